import json
import shutil
import subprocess
from pathlib import Path

import gymnasium as gym
import pytest
from gymnasium.envs.registration import EnvSpec

from tests.support.tiny_tasks import sum_task
from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.envs.wrappers import RecordCast
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.sandboxes import Backend


def test_an_episode_becomes_an_asciicast(native_backend: Backend, tmp_path: Path) -> None:
    env = RecordCast(TerminalEnv(sum_task(), backend=native_backend), str(tmp_path / "casts"))
    env.reset()
    env.step("printf 'a\\nb\\n'")
    env.step(SUBMIT)
    assert env.path == tmp_path / "casts" / "sum.plain-1-0.cast"
    header, *events = [json.loads(line) for line in env.path.read_text().splitlines()]
    assert (header["version"], header["title"]) == (2, "sum.plain-1")
    assert all(kind == "o" for _, kind, _ in events)
    times = [seconds for seconds, _, _ in events]
    assert times == sorted(times)
    shown = "".join(text for _, _, text in events)
    assert "\n" not in shown.replace("\r\n", "")
    assert shown.startswith(sum_task().instruction + "\r\n\r\n$ printf")
    assert "\r\na\r\nb\r\n\r\n(exit_code=0)\r\n$ echo COMPLETE_TASK" in shown
    assert shown.endswith("[submitted: reward 0.000]\r\n")
    env.close()


def test_recordings_are_never_overwritten(native_backend: Backend, tmp_path: Path) -> None:
    paths = []
    for _ in range(2):
        env = RecordCast(TerminalEnv(sum_task(), backend=native_backend), str(tmp_path))
        for _ in range(2):
            env.reset()
            paths.append(env.path)
        env.close()
    assert [p.name for p in paths if p] == [f"sum.plain-1-{n}.cast" for n in range(4)]


def test_what_was_recorded_is_on_disk_after_every_step(
    native_backend: Backend, tmp_path: Path
) -> None:
    env = RecordCast(TerminalEnv(sum_task(), backend=native_backend), str(tmp_path))
    env.reset()
    env.step("echo first")
    assert env.path is not None
    assert "first" in env.path.read_text()
    env.close()


def test_the_wrapper_is_part_of_the_spec(
    native_backend: Backend, tiny_catalogue: str, tmp_path: Path
) -> None:
    env = RecordCast(gym.make(tiny_catalogue, backend=native_backend.name), str(tmp_path))
    assert env.spec is not None
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert isinstance(again, RecordCast)
    again.reset()
    again.close()
    env.close()
    assert len(list(tmp_path.glob("*.cast"))) == 1


@pytest.mark.skipif(
    not (shutil.which("asciinema") and shutil.which("script")), reason="asciinema is not installed"
)
def test_asciinema_replays_it(native_backend: Backend, tmp_path: Path) -> None:
    env = RecordCast(TerminalEnv(sum_task(), backend=native_backend), str(tmp_path))
    env.reset()
    env.step("echo seen")
    env.close()
    # It opens /dev/tty, which `script` provides.
    replay = ["script", "-qec", f"asciinema cat {env.path}", "/dev/null"]
    ended = subprocess.run(replay, capture_output=True, stdin=subprocess.DEVNULL, check=True)
    assert b"(exit_code=0)" in ended.stdout

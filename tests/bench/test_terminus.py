"""The README's example, `tmax bench DIR -s docker -a terminus2`, in images that lack its tools."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.chat_server import Answer, Say, Script, serving
from tests.support.harness_play import DONE, call, keys
from tests.support.trial_tasks import TOML, trial_task
from tmax_gym.bench.records import TrialRecord
from tmax_gym.bench.store import read_records
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending

pytestmark = pytest.mark.docker
PROGRAM = (sys.executable, "-c", "from tmax_gym.cli import main; main()")
GRADED = """\
#!/bin/bash
[ "$(cat /app/program.c)" = 'int main(void) { return 0; }' ] && [ -s /app/found ] && reward=1
echo "${reward:-0}" > /logs/verifier/reward.txt
"""
BARE = "FROM tmax/core:latest\nWORKDIR /app\nRUN rm -f /usr/bin/tmux\n"
SOLVED = (
    keys("cat > program.c <<'END'\n", "int main(void) { return 0;", " }\nEND\n"),
    keys("find . -name '*.c' -exec ls {} \\; > found\n", "Enter"),
    keys("exit\n"),
    *DONE,
)
EDITED = (
    call("file_editor", command="create", path="/app/program.c",
         file_text="int main(void) { return 0; }\n"),
    call("terminal", command="ls /app > /app/found"),
    call("finish"),
)  # fmt: skip


@pytest.fixture(autouse=True)
def _core(image: str, docker_backend: Backend) -> None:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")


@pytest.fixture
def bare() -> Iterator[str]:
    """An image in the engine, as a task names one that it does not build."""
    import docker

    engine = docker.from_env()
    name = "tmax-tests/bare:latest"
    engine.images.build(fileobj=io.BytesIO(BARE.encode()), tag=name, rm=True)
    yield name
    engine.images.remove(name, force=True)
    engine.close()


def by_turn(answers: Sequence[Answer]) -> Script:
    """Return what answers a conversation by its length, however often it is begun."""

    def answer(body: Mapping[str, Any]) -> Answer:
        return answers[sum(message["role"] == "assistant" for message in body["messages"])]

    return answer


def bench(
    place: Path, harness: str, answers: Sequence[Answer], files: Mapping[str, str | bytes | None]
) -> tuple[subprocess.CompletedProcess[str], TrialRecord, int]:
    """Type the README's command; return how it ended, the trial, and how often it was asked."""
    dataset, out = place / "a dataset", place / "run"
    trial_task(dataset, "one task", {"tests/test.sh": GRADED, **files})
    with serving(by_turn(answers)) as server:
        words = ["bench", str(dataset), "-s", "docker", "-a", harness, "-m", "scripted"]
        words += ["--base-url", server.base_url, "-o", str(out)]
        ended = subprocess.run([*PROGRAM, *words], capture_output=True, text=True, timeout=280)
        asked = len(server.asked)
    (record,) = read_records(out)
    return ended, record, asked


def test_an_image_without_tmux_is_solved(tmp_path: Path) -> None:
    ended, record, asked = bench(tmp_path, "terminus2", SOLVED, {"environment/Dockerfile": BARE})
    assert ended.returncode == 0, ended.stderr
    assert (record.task, record.ending) == ("a dataset/one task", Ending.SUBMITTED)
    assert (record.reward, record.trajectory.attempts, asked) == (1.0, 1, 5)
    told = json.dumps([step.observation for step in record.trajectory.steps])
    assert "session had ended" in told


def test_an_image_without_tmux_that_a_task_only_names_is_solved(tmp_path: Path, bare: str) -> None:
    toml = TOML.format(seconds=60) + f'docker_image = "{bare}"\n'
    files = {"task.toml": toml, "environment/Dockerfile": None}
    ended, record, _ = bench(tmp_path, "terminus2", SOLVED, files)
    assert (ended.returncode, record.reward) == (0, 1.0), ended.stderr


def test_an_image_with_python_is_solved_by_openhands(tmp_path: Path) -> None:
    ended, record, _ = bench(tmp_path, "openhands", EDITED, {"environment/Dockerfile": BARE})
    assert (ended.returncode, record.reward) == (0, 1.0), ended.stderr


UNUSABLE = {
    "openhands without python3": (
        "openhands",
        "RUN rm -f /usr/bin/python3*\n",
        "Put python3 into the image",
    ),
    "openhands with a python3 that does not start": (
        "openhands",
        "RUN rm -f /usr/bin/python3* && printf '#!/bin/sh\\nexit 1\\n' > /usr/bin/python3 "
        "&& chmod +x /usr/bin/python3\n",
        "Put python3 into the image",
    ),
    "no place for what is lent": (
        "terminus2",
        "RUN rm -rf /opt && touch /opt\n",
        "'/opt' is no directory",
    ),
    "a link in that place that leads nowhere": (
        "terminus2",
        "RUN rm -rf /opt && ln -s /proc /opt\n",
        "'/opt' is no directory",
    ),
    "what is lent does not run": (
        "terminus2",
        "RUN rm -f /bin/sh\n",
        "Put tmux into the image",
    ),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_an_image_in_which_a_harness_cannot_work_is_no_zero(name: str, tmp_path: Path) -> None:
    harness, broken, said = UNUSABLE[name]
    files = {"environment/Dockerfile": f"{BARE}{broken}"}
    ended, record, asked = bench(tmp_path, harness, [Say("never asked")], files)
    assert ended.returncode == 3, "nothing was graded"
    assert (record.ending, record.reward) == (Ending.INFRA_ERROR, None)
    assert said in record.trajectory.message
    assert asked == 0

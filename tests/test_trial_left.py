"""Whatever an agent makes of its directories: its task is graded, and its next step begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trial_tasks import TOML, trial_task
from tmax_gym import load_dataset
from tmax_gym.agents import ScriptedAgent
from tmax_gym.observation import SUBMIT
from tmax_gym.rollout import rollout
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending, Trajectory

WORKDIR = {
    "removed": "rm -rf /app",
    "a file": "rm -rf /app; touch /app",
    "a link to nowhere": "rm -rf /app; ln -s /nowhere /app",
    "a link to itself": "rm -rf /app; ln -s /app /app",
    "closed": "chmod 0 /app",
    "moved": "mv /app /srv/app",
}
WITHIN = {
    "a link in the place of a directory": "ln -s /nowhere in",
    "a link to a directory in its place": "mkdir /srv/x; ln -s /srv/x in",
    "a file in the place of a directory": "touch in",
    "a directory in the place of a file": "mkdir -p in/f/x",
    "a link in the place of a file": "mkdir in; ln -s /etc/hostname in/f",
    "a FIFO in the place of a file": "mkdir in; mkfifo in/f",
}


@pytest.fixture(autouse=True)
def _core(image: str) -> None:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")


def play(place: Path, commands: list[str], backend: Backend) -> Trajectory:
    (task,) = load_dataset(place, name="ours").tasks
    return rollout(task, ScriptedAgent(commands, submit=False), backend=backend, retries=0)


@pytest.mark.parametrize("name", WORKDIR)
def test_a_spoilt_working_directory_is_graded(
    name: str, tmp_path: Path, any_backend: Backend
) -> None:
    trial_task(tmp_path)
    seen = play(tmp_path, [f"cd /; {WORKDIR[name]}", SUBMIT], any_backend)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.0), seen.message


def test_work_that_lies_elsewhere_counts_without_a_working_directory(
    tmp_path: Path, any_backend: Backend
) -> None:
    graded = "#!/bin/bash\n[ -s /srv/done ] && r=1\necho ${r:-0} > /logs/verifier/reward.txt\n"
    graded += "[ -z ${OLDPWD+x} ] && [ $PWD = / ] || echo 0 > /logs/verifier/reward.txt\n"
    trial_task(tmp_path, files={"tests/test.sh": graded})
    seen = play(tmp_path, ["cd /; rm -rf /app; echo x > /srv/done", SUBMIT], any_backend)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 1.0), seen.message


def steps(place: Path) -> Path:
    """Write a task whose second step brings a file of its own."""
    files: dict[str, str | bytes | None] = {
        "task.toml": TOML.format(seconds=60)
        + "".join(f'[[steps]]\nname = "{name}"\n' for name in ("one", "two")),
        "instruction.md": None,
        "tests/test.sh": None,
        "steps/two/workdir/in/f": "data\n",
    }
    for name in ("one", "two"):
        files[f"steps/{name}/instruction.md"] = "Copy what is in in/f to /srv."
        files[f"steps/{name}/tests/test.sh"] = (
            f'#!/bin/bash\n[ {name} = two ] && [ "$(cat /srv/got)" = data ] && r=1\n'
            "echo ${r:-0} > /logs/verifier/reward.txt\n"
        )
    return trial_task(place, files=files)


@pytest.mark.parametrize("name", [*WORKDIR, *WITHIN])
def test_the_next_step_begins_whatever_the_one_before_has_left(
    name: str, tmp_path: Path, any_backend: Backend
) -> None:
    """The second step finds its file, and half of both rewards can still be earned."""
    steps(tmp_path)
    left = f"cd /; {WORKDIR[name]}" if name in WORKDIR else WITHIN[name]
    seen = play(tmp_path, [left, SUBMIT, "cat /app/in/f > /srv/got", SUBMIT], any_backend)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.5), (seen.message, seen.steps)

"""The machine is prepared for every harness, also for replays and agents with a time limit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.chat_server import Say, scripted, serving
from tests.support.harness_play import DONE, call, keys, talk
from tests.support.trial_tasks import trial_task
from tmax_gym.agents.client.client import Client, Connection
from tmax_gym.agents.registry import AgentInputs, make_agent
from tmax_gym.agents.rollout import rollout
from tmax_gym.agents.scripted import ReplayAgent
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.harbor.tasks.directory import read_task
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending, Step, Trajectory

WITHOUT_TMUX = "FROM tmax/core:latest\nRUN rm -f /usr/bin/tmux\nWORKDIR /app\n"
WITHOUT_PYTHON = "FROM tmax/core:latest\nRUN rm -f /usr/bin/python3*\nWORKDIR /app\n"
BROKEN_TMUX = (
    "FROM tmax/core:latest\nWORKDIR /app\n"
    "RUN printf '#!/bin/sh\\ncase $1 in -V) ;; *) echo no pty >&2; exit 1;; esac\\n' "
    "> /usr/bin/tmux\n"
)
TYPED = (keys("echo hello > hello.txt\n"), *DONE)
EDITED = (
    call("file_editor", command="create", path="/app/hello.txt", file_text="hello\n"),
    call("finish"),
)


@pytest.fixture
def machines(native_backend: Backend, image: str) -> Backend:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")
    return native_backend


def trial(place: Path, dockerfile: str = "FROM tmax/core:latest\nWORKDIR /app\n") -> TrialTask:
    files: dict[str, str | bytes | None] = {"environment/Dockerfile": dockerfile}
    return TrialTask("trial/own", read_task(trial_task(place, files=files)))


@pytest.fixture
def typed(machines: Backend, tmp_path: Path) -> Trajectory:
    """A recorded episode of `terminus2` on a machine with tmux."""
    seen = talk("terminus2", TYPED, trial(tmp_path / "recorded"), machines).seen
    assert seen.reward == 0.75
    return seen


def test_a_replay_of_terminus_is_lent_a_tmux(
    typed: Trajectory, machines: Backend, tmp_path: Path
) -> None:
    seen = rollout(trial(tmp_path, WITHOUT_TMUX), ReplayAgent(typed), backend=machines, retries=0)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.75), seen.message


def test_a_replay_of_a_replay_is_lent_a_tmux(
    typed: Trajectory, machines: Backend, tmp_path: Path
) -> None:
    task = trial(tmp_path, WITHOUT_TMUX)
    again = rollout(task, ReplayAgent(typed), backend=machines, retries=0)
    assert again.agent == "replay"
    seen = rollout(task, ReplayAgent(again), backend=machines, retries=0)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.75), seen.message


def test_a_replay_whose_terminal_does_not_start_is_no_zero(
    typed: Trajectory, machines: Backend, tmp_path: Path
) -> None:
    seen = rollout(trial(tmp_path, BROKEN_TMUX), ReplayAgent(typed), backend=machines, retries=0)
    assert (seen.ending, seen.reward) == (Ending.INFRA_ERROR, None)
    assert "no pty" in seen.message


@pytest.mark.parametrize("times", [1, 2])
def test_a_replay_of_openhands_without_python_is_no_zero(
    times: int, machines: Backend, tmp_path: Path
) -> None:
    seen = talk("openhands", EDITED, trial(tmp_path / "recorded"), machines).seen
    assert seen.reward == 0.75
    if times == 2:
        seen = rollout(trial(tmp_path / "again"), ReplayAgent(seen), backend=machines, retries=0)
        assert (seen.agent, seen.reward) == ("replay", 0.75)
    task = trial(tmp_path / "without", WITHOUT_PYTHON)
    last = rollout(task, ReplayAgent(seen), backend=machines, retries=0)
    assert (last.ending, last.reward) == (Ending.INFRA_ERROR, None)
    assert "Put python3 into the image" in last.message


def test_a_replay_of_openhands_without_an_edit_needs_python_as_openhands_does(
    machines: Backend, tmp_path: Path
) -> None:
    step = Step("echo hello > hello.txt", "", 0, 0.1)
    recorded = Trajectory("t", "openhands", 0, Ending.AGENT_STOPPED, 1.0, (step,))
    task = trial(tmp_path, WITHOUT_PYTHON)
    seen = rollout(task, ReplayAgent(recorded), backend=machines, retries=0)
    assert (seen.ending, seen.reward) == (Ending.INFRA_ERROR, None)
    # `bash` needs none: the same commands are graded.
    seen = rollout(task, ReplayAgent(replace(recorded, agent="bash")), backend=machines, retries=0)
    assert seen.reward == 0.75, seen.message


def test_an_agent_with_a_limit_of_time_is_prepared_for(machines: Backend, tmp_path: Path) -> None:
    """The time limits of a dataset's task apply to its agent as a whole."""
    task = trial(tmp_path, WITHOUT_TMUX)
    assert task.limits().agent_seconds is not None
    with serving(scripted(TYPED)) as server:
        agent = make_agent(
            "terminus2", AgentInputs(Client(Connection(server.base_url, "scripted")))
        )
        seen = rollout(task, agent, backend=machines, retries=0)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 0.75), seen.message


def test_an_agent_with_a_limit_of_time_that_lacks_python_is_no_zero(
    machines: Backend, tmp_path: Path
) -> None:
    with serving(scripted([Say("never asked")])) as server:
        agent = make_agent(
            "openhands", AgentInputs(Client(Connection(server.base_url, "scripted")))
        )
        seen = rollout(trial(tmp_path, WITHOUT_PYTHON), agent, backend=machines, retries=0)
        assert not server.asked
    assert (seen.ending, seen.reward) == (Ending.INFRA_ERROR, None)

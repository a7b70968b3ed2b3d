"""No episode of a group source outlives its wall time by ten seconds, whatever hangs in it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.bench.test_time_limits import TEN, Stuck
from tests.bench.test_time_limits_parts import Frozen, Noting
from tests.support.tiny_tasks import by_name, sum_task
from tmax_gym.agents.agent import Ground, ScriptedAgent, Turn, oracle
from tmax_gym.errors import SandboxError, TrainingError
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending, Trajectory
from tmax_trainers.rollout.gates import PARTS, PlayLimits
from tmax_trainers.rollout.play import EpisodePlayer
from tmax_trainers.rollout.records import Episode

WALL = 2.0
IGNORING = "trap '' INT; bash -c \"trap '' INT; sleep 600\""


def episode() -> Episode:
    return Episode("sum.plain-1", group=0, member=0, attempt=0, seed=1, version=1)


def player(machines: Any, make: Callable[[], Any], **limits: Any) -> EpisodePlayer:
    wanted = PlayLimits(
        **{"starts": 1, "commands": 1, "verifiers": 1, "wall_seconds": WALL, **limits}
    )
    return EpisodePlayer(by_name().__getitem__, lambda e: make(), wanted, backend=machines)


def solving() -> ScriptedAgent:
    return oracle(sum_task())


def given_up(play: EpisodePlayer, part: str) -> Trajectory:
    """Play an episode that hangs; return it."""
    begun = time.monotonic()
    played = play(episode())
    assert time.monotonic() - begun < WALL + TEN
    assert (played.ending, played.reward) == (Ending.INFRA_ERROR, None)
    assert "raise wall_seconds" in played.message
    assert f"hung in: {part}" in played.message
    assert play.gates.inside() == dict.fromkeys(PARTS, 0)
    return played


class HangingAgent(ScriptedAgent):
    """An agent that never returns from one of its calls."""

    def __init__(self, where: str) -> None:
        super().__init__(["true"])
        self._where = where

    def reset(self, instruction: str, *, seed: int) -> None:
        self._hang("reset")
        super().reset(instruction, seed=seed)

    def prepare(self, ground: Ground) -> None:
        self._hang("prepare")

    def act(self, observation: str) -> Turn:
        self._hang("act")
        return super().act(observation)

    def _hang(self, where: str) -> None:
        if where == self._where:
            threading.Event().wait()


@pytest.mark.parametrize(("where", "part"), [("act", "sample"), ("prepare", "start")])
def test_an_agent_that_hangs_is_left_behind_and_reported(
    where: str, part: str, native_backend: Backend
) -> None:
    machines = Noting(native_backend, "")
    play = player(machines, lambda: HangingAgent(where))
    given_up(play, part)
    deadline = time.monotonic() + 5.0
    while not machines.opened[0]._closed and time.monotonic() < deadline:
        time.sleep(0.05)
    assert machines.opened[0]._closed
    assert play.gates.metrics()["concurrent/left_behind_max"] == 1.0


@pytest.mark.parametrize(
    ("call", "part", "command"),
    [
        ("open_terminal", "start", "true"),
        ("signal", "command", IGNORING),
        ("freeze", "verifier", "true"),
        ("get", "verifier", "true"),
    ],
)
def test_a_machine_that_hangs_ends_its_episode_and_lets_others_in(
    call: str, part: str, command: str, native_backend: Backend
) -> None:
    hung = [Stuck(native_backend, call)]

    class Sometimes:
        """Hangs only in the first machine."""

        name, problem = native_backend.name, native_backend.problem
        capabilities = native_backend.capabilities

        def open(self, image: str, **options: Any) -> Any:
            return (hung.pop() if hung else native_backend).open(image, **options)

    agents = [solving(), ScriptedAgent([command])]
    play = player(Sometimes(), lambda: agents.pop())
    given_up(play, part)
    # Each gate has room for one, so the episode that hung has left it.
    played = play(episode())
    assert (played.ending, played.reward) == (Ending.SUBMITTED, 1.0)


@pytest.mark.docker
def test_a_container_that_is_paused_ends_its_episode(docker_backend: Backend) -> None:
    machines = Frozen(docker_backend, "")

    class Pausing(ScriptedAgent):
        def act(self, observation: str) -> Turn:
            threading.Timer(0.5, lambda: machines.stop(pause=True)).start()
            return super().act(observation)

    play = player(machines, lambda: Pausing(["sleep 600"]))
    begun = time.monotonic()
    played = play(episode())
    assert time.monotonic() - begun < WALL + TEN
    assert (played.ending, played.reward) == (Ending.INFRA_ERROR, None)


def test_an_episode_that_waits_for_a_gate_ends_with_its_time(
    native_backend: Backend,
) -> None:
    play = player(native_backend, solving)
    with play.gates.through("start"):
        begun = time.monotonic()
        played = play(episode())
        assert time.monotonic() - begun < WALL + TEN
        assert (played.ending, played.reward) == (Ending.INFRA_ERROR, None)
        assert play.gates.inside()["start"] == 1
    assert play(episode()).reward == 1.0
    assert play.gates.left_behind() == 0


def test_too_many_threads_that_hang_end_the_run(native_backend: Backend) -> None:
    play = player(native_backend, lambda: HangingAgent("act"), wall_seconds=0.5, left_behind=1)
    with pytest.raises(TrainingError, match="still hang in: sample"):
        for _ in range(3):
            play(episode())


class Needy(ScriptedAgent):
    """An agent that needs something of the machine."""

    def __init__(self, error: Exception | None) -> None:
        super().__init__(["test -e /made && cp /made /app/sum.txt"])
        self._error = error

    def prepare(self, ground: Ground) -> None:
        if self._error is not None:
            raise self._error
        assert ground.probe("echo 42 > /made") == 0


def test_the_machine_is_prepared_for_an_agent_before_its_first_turn(
    native_backend: Backend,
) -> None:
    played = player(native_backend, lambda: Needy(None), wall_seconds=60.0)(episode())
    assert (played.ending, played.reward) == (Ending.SUBMITTED, 1.0)


@pytest.mark.parametrize("error", [SandboxError("no tmux here"), OSError("no tmux here")])
def test_a_machine_that_cannot_be_prepared_is_no_fault_of_the_agent(
    error: Exception, native_backend: Backend
) -> None:
    played = player(native_backend, lambda: Needy(error), wall_seconds=60.0)(episode())
    assert (played.ending, played.reward) == (Ending.INFRA_ERROR, None)
    assert "no tmux here" in played.message

"""Rollouts for tests of the rollout process: coins in real sandboxes, and processes that fail.

`python -c "from tests.support.rollout_child import hold; hold(DIRECTORY, IMAGE)"` is a trainer that
waits to be killed.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from functools import partial
from pathlib import Path

from tests.support.staged_rollouts import CoinAgent, Dice, FaultyBackend
from tests.support.tiny_tasks import sum_task
from tmax_gym import sandboxes
from tmax_gym.agents.agent import Turn
from tmax_gym.errors import RecipeError
from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Ending, Tokens, Trajectory
from tmax_trainers.rollout.groups import GroupSource
from tmax_trainers.rollout.play import EpisodePlayer, PlayLimits
from tmax_trainers.rollout.process.rollouts import ProcessRollouts
from tmax_trainers.rollout.records import Episode, GroupConfig
from tmax_trainers.rollout.task_order import Shuffled

TASKS = ("a", "b", "c", "d", "e")


def config(**options: int) -> GroupConfig:
    """Return batches of 2 x 4 episodes."""
    sizes = {"groups_per_step": 2, "group_size": 4, "workers": 4, "seed": 3} | options
    return GroupConfig(**sizes)  # type: ignore[arg-type]


class Trap:
    """Stops the episodes of a group in the middle, by files in a directory.

    They wait there until the test lets them go on.
    """

    def __init__(self, place: Path, group: int) -> None:
        self.place = place
        self.group = group

    def wait(self, episode: Episode) -> None:
        """Wait, inside a sandbox, if the episode belongs to the group."""
        if episode.group != self.group:
            return
        (self.place / f"reached-{os.getpid()}").touch()
        while not (self.place / "go").exists() and not episode.cancelled.is_set():
            time.sleep(0.01)

    def reached(self) -> int | None:
        """Return the process id whose episodes wait."""
        marks = sorted(self.place.glob("reached-*"))
        return int(marks[-1].name.partition("-")[2]) if marks else None

    def go(self) -> None:
        """Let the episodes go on."""
        (self.place / "go").touch()


class TrappedAgent(CoinAgent):
    """Solves the task in every second episode, by its seed; waits in the trap."""

    def __init__(
        self, task: Task, episode: Episode, backend: FaultyBackend, trap: Trap | None
    ) -> None:
        super().__init__(task, episode, Dice(0.0), backend)
        self._trap = trap
        self._episode = episode

    def act(self, observation: str) -> Turn:
        """Return the next command."""
        if self._trap is not None:
            self._trap.wait(self._episode)
        return super().act(observation)


class Coins(GroupSource):
    """A `Rollouts` whose episodes are real except for the agent."""

    def __init__(self, image: str, options: GroupConfig, trap: Trap | None = None) -> None:
        self._stamp = 0
        task, backend = sum_task(), FaultyBackend(sandboxes.backend("native"), Dice(0.0))
        self._player = EpisodePlayer(
            lambda name: task,
            lambda episode: TrappedAgent(task, episode, backend, trap),
            PlayLimits(),
            backend=backend,
            image=image,
        )
        super().__init__(self._player, Shuffled(TASKS, seed=2), options)

    def evaluate(self, step: int) -> tuple[float, ...]:
        """Return the reward of one episode, the step and the stamp."""
        played = self._player(Episode("held-out", -1 - step, 0, 0, step, 0))
        assert played.reward is not None
        return (played.reward, float(step), float(self._stamp))

    def inside(self) -> dict[str, float]:
        """Return the number of episodes in each part."""
        return {str(part): float(n) for part, n in self._player.gates.inside().items()}

    def stamp(self, version: int) -> None:
        """Record the version."""
        self._stamp = version

    def close(self) -> None:
        """Do nothing: there is no engine."""


class Solved(GroupSource):
    """A `Rollouts` without sandboxes that solves everything."""

    def __init__(self) -> None:
        tokens = Tokens((1, 2), (False, True), (0.0, -1.0), (-1, 0))
        super().__init__(
            lambda e: Trajectory(e.task, "test", e.seed, Ending.SUBMITTED, 1.0, tokens=tokens),
            Shuffled(TASKS, seed=2),
            GroupConfig(2, 4, workers=2, patience=5, seed=3),
        )

    def close(self) -> None:
        """Do nothing."""


def doomed() -> None:
    """Die like a process that the kernel kills."""
    print("these are my last words", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def refuse() -> None:
    """Raise the error of a setup that cannot work."""
    raise RecipeError("no such backend; choose another one")


def hold(directory: str, image: str) -> None:
    """Run a trainer whose episodes wait in their sandboxes."""
    source = ProcessRollouts(partial(Coins, image, config(), Trap(Path(directory), 0)), config())
    source.update_version(0)
    source.start()
    source.next_batch(600)

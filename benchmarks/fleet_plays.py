"""The job of the fleet benchmark: play the reference solution of a task, or do nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from tmax_gym.agents.agent import ScriptedAgent
from tmax_gym.agents.rollout import rollout
from tmax_gym.sandboxes import backend
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import Task


@cache
def task(name: str) -> Task:
    """Return a task of the catalogue, made once in a process."""
    return catalogue.load(name)


def play(name: str) -> float:
    """Play a task's reference solution."""
    agent = ScriptedAgent(task(name).oracle, name="oracle")
    reward = rollout(task(name), agent, backend=backend("native")).reward
    assert reward == 1.0, f"{name}: {reward}"
    return reward


@dataclass(frozen=True, slots=True)
class Plays:
    """The job of a node: play tasks, or do nothing for an empty request."""

    digest: str = "plays"

    def open(self) -> Plays:
        """Begin on this node."""
        return self

    def __call__(self, request: str) -> str:
        """Play the task that is asked for."""
        return str(play(request)) if request else ""

    def warm(self, environments: Sequence[str]) -> None:
        """Do nothing: the first round warms everything."""

    def close(self) -> None:
        """Do nothing."""

"""Agents: what decides the next command.

Covers the protocol and the agents without a model: oracle, no-op, scripted.
Does not cover agents around a model: see `model_agent.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tmax_gym.envs.observation import SUBMIT
from tmax_gym.nodes import Node
from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Ending, Tokens


@dataclass(frozen=True, slots=True)
class Turn:
    """What an agent does next: a command, a reply without one, or nothing more."""

    command: str | None = None
    """None where the reply holds no command or the agent stops."""
    reply: str = ""
    """A model's whole reply."""
    feedback: str = ""
    """What the model is told about a reply without a command."""
    ending: Ending | None = None
    """Why the agent cannot go on; None while it can."""


class Agent(Protocol):
    """Plays one episode at a time."""

    name: str

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin an episode."""

    def act(self, observation: str) -> Turn:
        """Return the next turn.

        `observation` is what the last command printed; "" at the beginning, and after a reply
        without a command.
        """

    @property
    def tokens(self) -> Tokens | None:
        """Return the exact token stream of the episode, where there is one."""


class Ground(Protocol):
    """The machine of an episode, as far as what an agent needs there has to be prepared."""

    def put(self, nodes: Sequence[Node]) -> None:
        """Create these entries as root."""

    def probe(self, command: str) -> int:
        """Run a command in the agent's own shell, which counts as no step; return its status."""


@runtime_checkable
class Prepared(Protocol):
    """An agent, or a part of one, that needs something of the machine."""

    def prepare(self, ground: Ground) -> None:
        """See that it is there, after `reset` and before the first turn.

        Raises:
            SandboxError: It is not; the trial has no reward.
        """


class Solvable(Protocol):
    """A task that brings an agent of its own that solves it: one of a dataset."""

    @property
    def submissions(self) -> int:
        """Return how often an agent submits: once for each step of the task."""

    def solver(self) -> Agent:
        """Return the agent that works through the reference solution.

        Raises:
            HarborError: There is none.
        """


class ScriptedAgent:
    """Runs given commands, then submits."""

    def __init__(
        self, commands: Sequence[str], *, name: str = "scripted", submit: bool = True
    ) -> None:
        self.name = name
        self._commands = (*commands, SUBMIT) if submit else tuple(commands)
        self._place = 0

    def reset(self, instruction: str, *, seed: int) -> None:
        """Start over."""
        self._place = 0

    def act(self, observation: str) -> Turn:
        """Return the next command, or stop."""
        if self._place == len(self._commands):
            return Turn(ending=Ending.AGENT_STOPPED)
        self._place += 1
        return Turn(self._commands[self._place - 1])

    @property
    def tokens(self) -> None:
        """Return None."""
        return None


def oracle(task: Task) -> ScriptedAgent:
    """Return the agent that works through a task's reference solution."""
    return ScriptedAgent(task.oracle, name="oracle")


def noop() -> ScriptedAgent:
    """Return the agent that submits at once."""
    return ScriptedAgent((), name="noop")

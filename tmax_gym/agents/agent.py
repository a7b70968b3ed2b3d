"""Agents: what decides the next command.

Covers the protocol and the agents without a model: oracle, no-op, scripted.
Does not cover agents around a model: see `model_agent.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.episodes.task import Ground as Ground
from tmax_gym.episodes.task import Script, Task
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


@runtime_checkable
class Prepared(Protocol):
    """An agent, or a part of one, that needs something of the machine."""

    def prepare(self, ground: Ground) -> None:
        """See that it is there, after `reset` and before the first turn.

        Raises:
            SandboxError: It is not; the trial has no reward.
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


class SolutionAgent:
    """Works through a task's reference solution, then submits."""

    name = "oracle"

    def __init__(self, task: Task) -> None:
        """Take a task.

        Raises:
            HarborError: It has no solution, or one that cannot be run.
        """
        self._solution = task.solution()
        self.reset("", seed=0)

    def reset(self, instruction: str, *, seed: int) -> None:
        """Start over."""
        self._ground: Ground | None = None
        self._script: Script | None = None

    def prepare(self, ground: Ground) -> None:
        """Learn in which machine the solution will run."""
        self._ground = ground

    def act(self, observation: str) -> Turn:
        """Return the next command.

        Raises:
            HarborError: The solution could not be started.
        """
        try:
            if self._script is None:
                self._script = self._whole()
                return Turn(next(self._script))
            return Turn(self._script.send(observation))
        except StopIteration:
            return Turn(ending=Ending.AGENT_STOPPED)

    @property
    def tokens(self) -> None:
        """Return None."""
        return None

    def _whole(self) -> Script:
        yield from self._solution(self._ground)
        yield SUBMIT


class NoopAgent:
    """Submits at once, each of a task's steps."""

    name = "noop"

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin."""

    def act(self, observation: str) -> Turn:
        """Submit."""
        return Turn(SUBMIT)

    @property
    def tokens(self) -> None:
        """Return None."""
        return None


def oracle(task: Task) -> SolutionAgent:
    """Return the agent that works through a task's reference solution.

    Raises:
        HarborError: It has none.
    """
    return SolutionAgent(task)


def noop() -> NoopAgent:
    """Return the agent that does nothing but submit."""
    return NoopAgent()

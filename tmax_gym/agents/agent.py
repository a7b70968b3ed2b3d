"""The protocol `Agent`, and the agents without a model: scripted, oracle, no-op."""

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
    """What an agent does next: a command, a reply without a command, or the end."""

    command: str | None = None
    """None if the reply has no command or the agent stops."""
    reply: str = ""
    """A model's whole reply."""
    feedback: str = ""
    """The answer to a reply without a command."""
    ending: Ending | None = None
    """Why the agent cannot go on; None while it can."""


class Agent(Protocol):
    """Plays one episode at a time."""

    name: str

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin an episode."""

    def act(self, observation: str) -> Turn:
        """Return the next turn.

        `observation` is the output of the last command; "" at the beginning, and after a reply
        without a command.
        """

    @property
    def tokens(self) -> Tokens | None:
        """Return the exact token stream of the episode, or None."""


@runtime_checkable
class Prepared(Protocol):
    """An agent, or a harness, that needs something in the machine."""

    def prepare(self, ground: Ground) -> None:
        """Make sure that it is there, after `reset` and before the first turn.

        Raises:
            SandboxError: It is not; the trial has no reward.
        """


class ScriptedAgent:
    """Runs given commands, then submits."""

    tokens: None = None

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


class SolutionAgent:
    """Runs a task's reference solution, then submits."""

    name = "oracle"
    tokens: None = None

    def __init__(self, task: Task) -> None:
        self._solution = task.solution()
        self.reset("", seed=0)

    def reset(self, instruction: str, *, seed: int) -> None:
        """Start over."""
        self._ground: Ground | None = None
        self._script: Script | None = None

    def prepare(self, ground: Ground) -> None:
        """Remember the machine in which the solution will run."""
        self._ground = ground

    def act(self, observation: str) -> Turn:
        """Return the next command; raise `HarborError` if the solution cannot be started."""
        try:
            if self._script is None:
                self._script = self._whole()
                return Turn(next(self._script))
            return Turn(self._script.send(observation))
        except StopIteration:
            return Turn(ending=Ending.AGENT_STOPPED)

    def _whole(self) -> Script:
        yield from self._solution(self._ground)
        yield SUBMIT


class NoopAgent:
    """Submits every step of a task at once."""

    name = "noop"
    tokens: None = None

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin."""

    def act(self, observation: str) -> Turn:
        """Submit."""
        return Turn(SUBMIT)


def oracle(task: Task) -> SolutionAgent:
    """Return the agent that runs a task's reference solution.

    Raises:
        HarborError: The task has no solution, or one that cannot be run.
    """
    return SolutionAgent(task)


def noop() -> NoopAgent:
    """Return the agent that does nothing but submit."""
    return NoopAgent()

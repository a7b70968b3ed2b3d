"""The protocols `Task` and `Episode`, which environments, rollouts, benchmarks and trainers use.

Our own tasks (`tasks.compose.Task`) and those of Harbor datasets (`harbor.run.task.TrialTask`)
implement them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Protocol, Unpack, runtime_checkable

from tmax_gym.checks.verdict import Verdict
from tmax_gym.episodes.limits import Deadlines, EpisodeLimits, LimitOptions
from tmax_gym.grading.verifier import Gradable
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import Backend
from tmax_gym.shell.coroutines import Steps


class Ground(Protocol):
    """The machine of an episode, as a harness sees it that prepares something there."""

    def put(self, nodes: Sequence[Node]) -> None:
        """Create these entries as root."""

    def probe(self, command: str) -> int:
        """Run a command in the agent's shell, not counted as a step; return its status."""


Script = Generator[str, str, None]
"""Yields commands one by one, and receives the output of each."""
Solution = Callable[[Ground | None], Script]
"""Starts a reference solution in a machine, which is None if it is not known."""


class StepGrade(Protocol):
    """The grade of one step, for tasks that have several."""

    @property
    def output(self) -> str:
        """Return the verifier's output."""

    @property
    def seconds(self) -> float:
        """Return how long it took."""

    @property
    def values(self) -> Mapping[str, float]:
        """Return the rewards by name; none if it was not graded."""


class Episode(Ground, Protocol):
    """A running episode: a machine, the agent's shell, and how much of the limits was used."""

    limits: EpisodeLimits
    steps: int
    """Commands so far."""
    seconds: float
    """Time of all commands together."""
    excused: float
    """Seconds that do not count, for example while a busy endpoint let the agent wait."""
    shell_lost: bool
    """Whether the agent has destroyed its shell."""

    @property
    def graded(self) -> Sequence[StepGrade]:
        """Return the grades of the steps that have ended; none for a task without steps."""

    @property
    def step_name(self) -> str:
        """Return the name of the current step, "" for a task without steps."""

    def time_left(self) -> float:
        """Return the seconds that the agent has left; infinity without a limit."""

    def running(self, command: str) -> Steps[tuple[str, dict[str, Any]]]:
        """Run one command; return the observation and its `info`.

        Raises:
            SandboxError: The machine failed, and the command did not cause it.
        """

    def advance(self) -> str | None:
        """Grade the submitted step and return the next instruction; do nothing at the last step.

        Raises:
            SandboxError: The machine failed.
            VerifierError: The verifier of this step failed.
        """

    def grade(self) -> Verdict:
        """Grade what is left; nothing runs in the machine afterwards.

        Raises:
            SandboxError: The machine failed.
            VerifierError: The verifier failed; also `Ungraded`.
        """

    def close(self) -> None:
        """Destroy the shell and the machine.  Idempotent."""


class Task(Protocol):
    """Something to do in a terminal, and how it is graded."""

    @property
    def name(self) -> str:
        """Return its name in trajectories and reports."""

    @property
    def digest(self) -> str:
        """Return a hash that changes when the task does."""

    @property
    def instruction(self) -> str:
        """Return the instruction for the agent; of several steps the first."""

    @property
    def image(self) -> str:
        """Return which of our images it needs, "" if it has its own."""

    def limits(self, **given: Unpack[LimitOptions]) -> EpisodeLimits:
        """Return the limits of an episode: given ones, else the task's own."""

    def deadlines(self, limits: EpisodeLimits) -> Deadlines:
        """Return when its start and its grading are overdue, under these limits."""

    def open(
        self, backend: Backend, *, limits: EpisodeLimits, seed: int, image: str | None = None
    ) -> Episode:
        """Start an episode.

        Args:
            backend: Where its machine runs.
            limits: What it may use.
            seed: Seeds bash's `$RANDOM`; it does not change the task.
            image: Root file system, for a task without one of its own.

        Raises:
            Unbuildable: This kind of machine cannot run the task; trying again does not help.
            Ungraded: Its verifier cannot run.
            SandboxError: Something could not be started; nothing is left open.
        """

    def solution(self) -> Solution:
        """Return the reference solution.

        Raises:
            HarborError: There is none, or it cannot be run.
        """


@runtime_checkable
class Regradable(Gradable, Protocol):
    """A task whose results can be graded again, in a machine without the agent."""

    @property
    def name(self) -> str:
        """Return its name in reports."""

    @property
    def image(self) -> str:
        """Return which of our images it needs."""

    @property
    def roots(self) -> tuple[str, ...]:
        """Return the directories that hold everything that its checks look at."""

"""What is played: the protocols `Task` and `Episode`.

Our own tasks (`tasks.compose.Task`) and those of Harbor datasets (`harbor.run.task.TrialTask`)
implement them, so environments, rollouts, benchmarks and trainers take either.
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
    """The machine of an episode, as far as what an agent needs there has to be prepared."""

    def put(self, nodes: Sequence[Node]) -> None:
        """Create these entries as root."""

    def probe(self, command: str) -> int:
        """Run a command in the agent's own shell, which counts as no step; return its status."""
        ...


Script = Generator[str, str, None]
"""Yields commands one by one, and is sent what each of them printed."""
Solution = Callable[[Ground | None], Script]
"""Begins a reference solution in a machine; None where the machine is not known."""


class StepGrade(Protocol):
    """What came of grading one step of a task that has several."""

    @property
    def output(self) -> str:
        """Return what the verifier printed."""
        ...

    @property
    def seconds(self) -> float:
        """Return how long it took."""
        ...

    @property
    def values(self) -> Mapping[str, float]:
        """Return the rewards by name; none where it was not graded."""
        ...


class Episode(Ground, Protocol):
    """A running episode: a machine, the agent's shell in it, and what was used of the limits."""

    limits: EpisodeLimits
    steps: int
    """Commands so far."""
    seconds: float
    """Of all commands together."""
    excused: float
    """Seconds that do not count for the agent, whose endpoint let it wait, say."""
    shell_lost: bool
    """Whether the agent has made it impossible to run another command."""

    @property
    def graded(self) -> Sequence[StepGrade]:
        """Return what the verifiers of the steps that ended said; none without steps."""
        ...

    @property
    def step_name(self) -> str:
        """Return the name of the step that runs, "" for a task without steps."""
        ...

    def time_left(self) -> float:
        """Return the seconds that the agent has left; infinity where nothing limits them."""
        ...

    def running(self, command: str) -> Steps[tuple[str, dict[str, Any]]]:
        """Run one command; return the observation and its `info`.

        Raises:
            SandboxError: The machine failed, through no fault of the command.
        """
        ...

    def advance(self) -> str | None:
        """Grade the step that was submitted; return the next instruction, None after the last.

        The last step is left to `grade`.

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
        ...

    def close(self) -> None:
        """Destroy the shell and the machine.  Idempotent."""


class Task(Protocol):
    """Something to do in a terminal, which can be graded."""

    @property
    def name(self) -> str:
        """Return what trajectories and reports call it."""
        ...

    @property
    def digest(self) -> str:
        """Return a hash that changes when the task does."""
        ...

    @property
    def instruction(self) -> str:
        """Return what the agent is asked to do; of several steps the first."""
        ...

    @property
    def image(self) -> str:
        """Return which of our images it needs, "" where it brings its own."""
        ...

    def limits(self, **given: Unpack[LimitOptions]) -> EpisodeLimits:
        """Return the limits of an episode: given ones, else the task's own."""
        ...

    def deadlines(self, limits: EpisodeLimits) -> Deadlines:
        """Return when its start and its grading are overdue, under these limits."""
        ...

    def open(
        self, backend: Backend, *, limits: EpisodeLimits, seed: int, image: str | None = None
    ) -> Episode:
        """Start an episode.

        Args:
            backend: Where its machine runs.
            limits: What it may use.
            seed: Decides what looks random to the agent; the task is fixed.
            image: Root file system, for a task that does not bring its own.

        Raises:
            Unbuildable: This kind of machine cannot run the task; trying again does not help.
            Ungraded: Its verifier cannot run.
            SandboxError: Something could not be started; nothing is left open.
        """
        ...

    def solution(self) -> Solution:
        """Return the reference solution.

        Raises:
            HarborError: There is none, or it cannot be run.
        """
        ...


@runtime_checkable
class Regradable(Gradable, Protocol):
    """A task whose remains can be graded again, in a machine without the agent."""

    @property
    def name(self) -> str:
        """Return what reports call it."""
        ...

    @property
    def image(self) -> str:
        """Return which of our images it needs."""
        ...

    @property
    def roots(self) -> tuple[str, ...]:
        """Return the trees that hold everything that its checks look at."""
        ...

"""What the driver and its nodes exchange: works, leases, outcomes, and the protocols of both sides.

Everything here can be pickled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Work:
    """One thing to do, which any node can do, for example one episode of a task."""

    key: str
    """Identifies it in its run."""
    environment: str
    """Works with equal environments prefer the same node, which has their files already."""
    request: str
    """What the job reads: plain text or JSON."""
    seconds: float = 7200.0
    """After this time on one node it is given to another."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A work that was given to a node; another lease of the same work makes this one void."""

    number: int
    """Grows with every lease, also after the driver was started again."""
    work: Work
    node: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a lease ended on its node."""

    number: int
    """Of the lease."""
    value: str | None
    """What the job returned; None if it raised an error."""
    error: str = ""
    """The error of the job; "" if it has a value."""
    hopeless: bool = False
    """Whether another node would fail as well."""
    phases: tuple[tuple[str, float], ...] = ()
    """Seconds of each phase: start, first command, verify; a phase may occur several times."""


@dataclass(frozen=True, slots=True)
class Health:
    """What a node says of itself every few seconds."""

    running: int
    """Leases that it works on."""
    room: int
    """Leases that it takes at the same time."""
    starts: float
    """Sandboxes that it starts in a second at most, by its token bucket."""
    memory: int
    """Bytes of the worker process, without its sandboxes."""
    draining: bool = False


class Doing(Protocol):
    """A job that was opened on a node; may be called from many threads."""

    def __call__(self, request: str) -> str:
        """Do one work and return its result.

        Raises:
            SandboxError: This node failed; another one may do better.
            TmaxError: The work itself cannot be done, on any node.
        """

    def warm(self, environments: Sequence[str]) -> None:
        """Prepare what works with these environments will need, in the background of others."""

    def close(self) -> None:
        """End what the job holds.  Idempotent."""


class Job(Protocol):
    """What a run does with its works; it is pickled and sent to every node."""

    @property
    def digest(self) -> str:
        """Return a hash of the settings that decide results."""

    def open(self) -> Doing:
        """Begin on this node.

        Raises:
            TmaxError: This node cannot do it.
        """


class Worker(Protocol):
    """The process of one node."""

    def run(self, lease: Lease, job: Job) -> Outcome:
        """Do the work of a lease; return when it has ended, whatever happens."""

    def warm(self, job: Job, environments: Sequence[str]) -> None:
        """Prepare for works with these environments."""

    def health(self) -> Health:
        """Return how the node is."""

    def cancel(self, number: int) -> None:
        """End a lease early: its sandboxes are destroyed."""

    def drain(self) -> None:
        """Take no more leases; those that run go on."""


class Node(Protocol):
    """A node, as the driver sees it.  No method blocks."""

    name: str

    def start(self, lease: Lease, job: Job, ended: Callable[[Outcome | None], None]) -> None:
        """Begin a lease; `ended` is called once, with None if the node was lost meanwhile."""

    def health(self) -> Health | None:
        """Return the last report; None if the node is lost."""

    def warm(self, job: Job, environments: Sequence[str]) -> None:
        """Ask the node to prepare; it may ignore that."""

    def cancel(self, number: int) -> None:
        """Ask the node to end a lease early."""

    def drain(self) -> None:
        """Ask the node to take no more leases."""


class Cluster(Protocol):
    """The nodes that are there now."""

    host: str
    """Address of the driver's machine that nodes can reach."""

    def nodes(self) -> Sequence[Node]:
        """Return them; a lost node is never returned again under the same name."""

    def expected(self) -> str:
        """Return in words which nodes may still come; "" if none will."""

    def close(self) -> None:
        """Let go of the nodes; those that this cluster started end."""

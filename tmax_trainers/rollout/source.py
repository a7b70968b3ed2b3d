"""Where a trainer's batches come from: `Source`, and `Rollouts`, which plays a whole run.

Covers the seams.  `groups.py` has the source that works in this process, `process/` the one
that works in a process of its own.
"""

from __future__ import annotations

from typing import Protocol

from tmax_gym.trajectory import Trajectory
from tmax_trainers.rollout.records import Batch
from tmax_trainers.rollout.replay import SourceState


class Source(Protocol):
    """Hands out batches of whole groups, in order."""

    def start(self) -> None:
        """Begin to run episodes."""

    def stop(self) -> None:
        """End the running episodes and wait for them.  Idempotent."""

    def update_version(self, version: int) -> None:
        """Tell which policy version is live: this is what lets more groups in."""

    def next_batch(self, timeout: float | None = None) -> Batch | None:
        """Return the next batch; None if the timeout ends or the source stops."""

    def state(self) -> SourceState:
        """Return what is needed to go on after this process has died."""
        ...

    def restore(self, state: SourceState) -> None:
        """Go on from a state; before `start`."""


class Rollouts(Source, Protocol):
    """A source that also plays the held-out tasks and can be looked into."""

    def evaluate(self, step: int) -> tuple[Trajectory, ...]:
        """Return the held-out episodes that were graded, without their tokens."""
        ...

    def inside(self) -> dict[str, float]:
        """Return how many episodes are in which part at this moment."""
        ...

    def stamp(self, version: int) -> None:
        """Tell which weights the engine draws from now; tokens bear this number."""

    def close(self) -> None:
        """End the turns in flight: what waits for them goes on at once."""

"""The protocols of rollouts: `Source`, and `Rollouts`, which also plays the held-out tasks."""

from __future__ import annotations

from typing import Protocol

from tmax_gym.trajectory import Trajectory
from tmax_trainers.rollout.records import Batch
from tmax_trainers.rollout.replay import SourceState


class Source(Protocol):
    """Hands out batches of complete groups, in order."""

    def start(self) -> None:
        """Begin to play episodes."""

    def stop(self) -> None:
        """End the running episodes and wait for them.  Idempotent."""

    def update_version(self, version: int) -> None:
        """Set the present policy version, which lets more groups begin."""

    def next_batch(self, timeout: float | None = None) -> Batch | None:
        """Wait for the next batch; return None after the timeout, or when the source stops."""

    def state(self) -> SourceState:
        """Return the state from which another source can continue."""
        ...

    def restore(self, state: SourceState) -> None:
        """Continue from a state; call it before `start`."""


class Rollouts(Source, Protocol):
    """A source that also plays the held-out tasks and reports what runs."""

    def evaluate(self, step: int) -> tuple[Trajectory, ...]:
        """Return the held-out episodes that were graded, without their tokens."""
        ...

    def inside(self) -> dict[str, float]:
        """Return the number of episodes in each part at this moment."""
        ...

    def stamp(self, version: int) -> None:
        """Set the version of the engine's present weights, which is recorded with its tokens."""

    def close(self) -> None:
        """Abort the turns in flight, so that nothing waits for them."""

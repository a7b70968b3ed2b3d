"""Gates limit how many episodes are in the same part at once, and measure each part.

An episode that is given up leaves its gate at once, or stops waiting for one; its thread is counted
until it has ended.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tmax_gym.agents.rollout import PlayPart
from tmax_gym.agents.timed import GivenUp
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.errors import TrainingError
from tmax_trainers.rollout.records import Metrics

PARTS: tuple[PlayPart, ...] = ("start", "command", "verifier", "sample")
_LOOK_SECONDS = 0.5
"""Interval at which a waiting thread checks whether its episode was given up."""


@dataclass(frozen=True, slots=True)
class PlayLimits:
    """How much may happen at the same time, and how long an episode may take."""

    starts: int = 64
    """Largest number of sandboxes that start (TMax: the same number)."""
    commands: int = 256
    """Largest number of commands that run (TMax: the same number)."""
    verifiers: int = 64
    """Largest number of episodes that are graded."""
    wall_seconds: float = 7200.0
    """Longest time of an episode; whatever hangs, it ends at most ten seconds later."""
    left_behind: int = 64
    """Largest number of threads of given-up episodes that hang in a call; more end the run."""
    episode: EpisodeLimits = field(default_factory=EpisodeLimits)


class Visit:
    """Where one episode is among the gates."""

    def __init__(self) -> None:
        self.part: PlayPart | None = None
        """The present or last part."""
        self.over = False
        """Whether the episode was given up."""
        self.ended = threading.Event()
        """Set when its thread has ended."""
        self._lock = threading.Lock()
        self._leave: Callable[[], None] | None = None

    def enter(self, part: PlayPart, leave: Callable[[], None]) -> None:
        """Record that the episode has entered a gate, which `leave` opens again.

        Raises:
            GivenUp: The episode was given up, and has left the gate.
        """
        with self._lock:
            if not self.over:
                self.part, self._leave = part, leave
                return
        leave()
        raise GivenUp

    def leave(self) -> None:
        """Leave the gate.  Idempotent."""
        with self._lock:
            leave, self._leave = self._leave, None
        if leave is not None:
            leave()

    def give_up(self) -> None:
        """Leave the gate and enter no other one."""
        self.over = True
        self.leave()


class Gates:
    """One gate for each part of an episode."""

    def __init__(self, limits: PlayLimits) -> None:
        room: dict[PlayPart, int] = {
            "start": limits.starts,
            "command": limits.commands,
            "verifier": limits.verifiers,
        }
        self._room = {part: threading.BoundedSemaphore(count) for part, count in room.items()}
        self._lock = threading.Lock()
        self._inside = dict.fromkeys(PARTS, 0)
        self._most = dict.fromkeys(PARTS, 0)
        self._seconds = {part: (0.0, 0) for part in PARTS}
        self._most_left = limits.left_behind
        self._left: list[Visit] = []

    @contextmanager
    def through(self, part: PlayPart, visit: Visit | None = None) -> Iterator[None]:
        """Wait until there is room, then count and time the body of the context.

        Raises:
            GivenUp: The episode was given up.
        """
        visit = visit or Visit()
        room = self._room.get(part)
        while room is not None and not room.acquire(timeout=_LOOK_SECONDS):
            if visit.over:
                raise GivenUp
        began = time.monotonic()
        with self._lock:
            self._inside[part] += 1
            self._most[part] = max(self._most[part], self._inside[part])

        def leave() -> None:
            with self._lock:
                self._inside[part] -= 1
                total, count = self._seconds[part]
                self._seconds[part] = (total + time.monotonic() - began, count + 1)
            if room is not None:
                room.release()

        visit.enter(part, leave)
        try:
            yield
        finally:
            visit.leave()

    def leave_behind(self, visit: Visit) -> None:
        """Count the thread of a given-up episode until it has ended."""
        with self._lock:
            self._left.append(visit)

    def left_behind(self) -> int:
        """Return the number of such threads that have not ended."""
        with self._lock:
            self._left = [visit for visit in self._left if not visit.ended.is_set()]
            return len(self._left)

    def check(self) -> None:
        """Check that another episode may begin.

        Raises:
            TrainingError: Too many threads hang.
        """
        if (left := self.left_behind()) > self._most_left:
            parts = sorted({str(visit.part) for visit in self._left})
            raise TrainingError(
                f"{left} episodes were given up and their threads still hang in: "
                f"{', '.join(parts)}; at most {self._most_left} may. Their calls never return: "
                "look at the container engine and at the sampling server"
            )

    def inside(self) -> dict[PlayPart, int]:
        """Return the present number of episodes in each part."""
        with self._lock:
            return dict(self._inside)

    def metrics(self) -> Metrics:
        """Return times and largest numbers since the last call."""
        left = float(self.left_behind())
        with self._lock:
            metrics: Metrics = {f"time/{part}": pair for part, pair in self._seconds.items()}
            metrics |= {f"concurrent/{part}_max": float(most) for part, most in self._most.items()}
            metrics["concurrent/left_behind_max"] = left
            self._seconds = {part: (0.0, 0) for part in PARTS}
            self._most = dict(self._inside)
        return metrics

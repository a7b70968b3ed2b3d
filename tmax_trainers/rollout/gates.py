"""Gates that many episodes pass: how many may be inside at once, and what each part took.

Covers episodes that are given up while they are inside, or wait: they are taken out, and their
threads are counted until they have ended.  Does not cover when that is: see `watch.py`.
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
"""Between two looks of who waits whether its episode was given up."""


@dataclass(frozen=True, slots=True)
class PlayLimits:
    """What may happen at the same time, and how long an episode may take."""

    starts: int = 64
    """Sandboxes that start (TMax: the same number)."""
    commands: int = 256
    """Commands that run (TMax: the same number)."""
    verifiers: int = 64
    """Episodes that are graded."""
    wall_seconds: float = 7200.0
    """Of an episode, waiting included; it ends at most ten seconds later, whatever hangs."""
    left_behind: int = 64
    """Threads of episodes that were given up and still hang in a call; more end the run."""
    episode: EpisodeLimits = field(default_factory=EpisodeLimits)


class Visit:
    """The way of one episode through the gates."""

    def __init__(self) -> None:
        self.part: PlayPart | None = None
        """Where it is, or was last."""
        self.over = False
        """Whether the episode was given up."""
        self.ended = threading.Event()
        """Set when its thread has ended."""
        self._lock = threading.Lock()
        self._leave: Callable[[], None] | None = None

    def enter(self, part: PlayPart, leave: Callable[[], None]) -> None:
        """Be inside a gate.

        Raises:
            GivenUp: The episode was given up; it is outside again.
        """
        with self._lock:
            if not self.over:
                self.part, self._leave = part, leave
                return
        leave()
        raise GivenUp

    def leave(self) -> None:
        """Be outside again.  Idempotent."""
        with self._lock:
            leave, self._leave = self._leave, None
        if leave is not None:
            leave()

    def give_up(self) -> None:
        """Take the episode out; it comes into no gate any more."""
        self.over = True
        self.leave()


class Gates:
    """Counts what happens at the same time, and how long it took."""

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
        """Wait for room, then count and time what is done inside.

        Raises:
            GivenUp: The episode of this visit was given up.
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
        """Count the thread of an episode that was given up, until it has ended."""
        with self._lock:
            self._left.append(visit)

    def left_behind(self) -> int:
        """Return how many such threads still hang."""
        with self._lock:
            self._left = [visit for visit in self._left if not visit.ended.is_set()]
            return len(self._left)

    def check(self) -> None:
        """Let another episode begin.

        Raises:
            TrainingError: Too many threads hang.
        """
        if (left := self.left_behind()) > self._most_left:
            parts = sorted({str(visit.part) for visit in self._left})
            raise TrainingError(
                f"{left} episodes were given up and their threads still hang in: "
                f"{', '.join(parts)}; {self._most_left} are the most. What they call never "
                "returns: look at the container engine and at the sampling server"
            )

    def inside(self) -> dict[PlayPart, int]:
        """Return what happens now."""
        with self._lock:
            return dict(self._inside)

    def metrics(self) -> Metrics:
        """Return mean seconds and greatest numbers since the last call."""
        left = float(self.left_behind())
        with self._lock:
            found: Metrics = {f"time/{part}": pair for part, pair in self._seconds.items()}
            found |= {f"concurrent/{part}_max": float(most) for part, most in self._most.items()}
            found["concurrent/left_behind_max"] = left
            self._seconds = {part: (0.0, 0) for part in PARTS}
            self._most = dict(self._inside)
        return found

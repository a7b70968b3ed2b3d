"""Admission control: queues the starts and removals of machines of one engine.

It serves in the order of arrival, runs as many starts side by side as the engine takes without
becoming slow, limits the machines that live or are being made, gives up waiting at a deadline, and
pauses for an engine that fails again and again.  Each process has an admission of its own.
"""

from __future__ import annotations

import heapq
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tmax_gym.errors import ImageError, SandboxError
from tmax_gym.sandboxes import trial_account
from tmax_gym.sandboxes.pool.admission_rules import Breaker, Width

REMOVAL, OPENING, SPARE = range(3)
"""Queue priority: removals, then requested starts, then spares."""

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of one engine."""

    creators: int
    """Most starts and removals side by side."""
    live: int
    """Most machines that live or are being made."""
    patience: float = 300.0
    """Seconds to wait for a turn: to start 256 containers takes 35."""


class Line:
    """A semaphore with priorities: a number of places, and a queue by rank, then by arrival."""

    def __init__(self, room: int) -> None:
        # An RLock: the finalizer of a garbage machine may run in the middle of this thread.
        self._lock = threading.RLock()
        self._room = room
        self._taken = 0
        self._waiting: list[tuple[int, int, threading.Event]] = []
        self._numbers = itertools.count()

    @property
    def taken(self) -> int:
        """How many places are taken."""
        return self._taken

    @property
    def waiting(self) -> int:
        """How many threads wait."""
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """Whether the next thread would have to wait."""
        return self._taken >= self._room or bool(self._waiting)

    def enter(self, rank: int, seconds: float) -> bool:
        """Wait for a place; return whether there was one in time."""
        event = threading.Event()
        mine = (rank, next(self._numbers), event)
        with self._lock:
            heapq.heappush(self._waiting, mine)
            self._serve()
        try:
            event.wait(max(0.0, seconds))
        except BaseException:  # ^C, say
            if not self._abandon(mine):
                self.leave()
            raise
        return event.is_set() or not self._abandon(mine)

    def leave(self) -> None:
        """Give a place back."""
        with self._lock:
            self._taken -= 1
            self._serve()

    def resize(self, room: int) -> None:
        """Change the number of places; places that are taken stay so."""
        with self._lock:
            self._room = room
            self._serve()

    def _abandon(self, mine: tuple[int, int, threading.Event]) -> bool:
        """Leave the queue; return False if a place came at the last moment."""
        with self._lock:
            if mine[2].is_set():
                return False
            self._waiting.remove(mine)
            heapq.heapify(self._waiting)
            return True

    def _serve(self) -> None:
        while self._waiting and self._taken < self._room:
            self._taken += 1
            heapq.heappop(self._waiting)[2].set()


class Place:
    """The place that one live machine takes."""

    def __init__(self, line: Line) -> None:
        self._line: Line | None = line
        self._pid = os.getpid()

    def leave(self) -> None:
        """Give it back.  Idempotent, and nothing in a forked child."""
        line, self._line = self._line, None
        if line is not None and os.getpid() == self._pid:
            line.leave()


class Admission:
    """The admission of one engine; safe to use from any thread."""

    def __init__(self, name: str, bounds: Bounds, *, clock: Clock = time.monotonic) -> None:
        """Take the engine's name for messages, and its limits."""
        self._name = name
        self._bounds = bounds
        self._clock = clock
        self._lock = threading.Lock()
        self._width = Width(bounds.creators)
        self._breaker = Breaker()
        self.live = Line(bounds.live)
        self.slots = Line(self._width.slots)

    @property
    def width(self) -> int:
        """How many starts may run side by side at present."""
        return self._width.slots

    @property
    def queued(self) -> int:
        """How many threads wait."""
        return self.live.waiting + self.slots.waiting

    def resting(self) -> float:
        """Return for how many more seconds nothing may be started; 0 if the engine works."""
        with self._lock:
            return self._breaker.rest(self._clock())

    @property
    def healthy(self) -> bool:
        """Whether the engine works, so that spares may be started."""
        with self._lock:
            return self._breaker.closed

    @contextmanager
    def start(self, *, spare: bool = False) -> Iterator[Place]:
        """Wait for a turn to start a machine, and learn from the outcome.

        The place stays taken if the block succeeds; the end of the machine gives it back.

        Args:
            spare: The machine is for the pool: queue behind all requests, and fail if there is
                no place.

        Raises:
            SandboxError: No turn in time, no room for a spare, or the engine rests.
        """
        rank = SPARE if spare else OPENING
        if spare and not self.healthy:
            raise SandboxError(f"{self._name} is not well: spares wait")
        self._refuse_at_rest(probing=False)
        deadline = self._clock() + self._bounds.patience
        with trial_account.waiting():
            room = self.live.enter(rank, 0.0 if spare else self._bounds.patience)
        if not room:
            raise SandboxError(self._crowded())
        place = Place(self.live)
        try:
            with self._slot(rank, deadline):
                probe = self._refuse_at_rest(probing=True)
                with self._watched(probe):
                    yield place
        except BaseException:
            place.leave()
            raise

    @contextmanager
    def removal(self) -> Iterator[None]:
        """Wait for a turn to end a machine, before all starts, or raise `SandboxError`."""
        with self._slot(REMOVAL, self._clock() + self._bounds.patience):
            yield

    @contextmanager
    def _slot(self, rank: int, deadline: float) -> Iterator[None]:
        with trial_account.waiting():
            turn = self.slots.enter(rank, deadline - self._clock())
        if not turn:
            raise SandboxError(
                f"{self._name}: no turn in {self._bounds.patience:g} s; {self.width} at a time "
                f"run and {self.slots.waiting} wait. The engine hangs or is overloaded: look at "
                "its log, or open fewer machines at once."
            )
        try:
            yield
        finally:
            self.slots.leave()

    @contextmanager
    def _watched(self, probe: bool) -> Iterator[None]:
        begun = self._clock()
        try:
            yield
        except SandboxError as error:
            self._learn(begun, error, probe=probe)
            raise
        except BaseException:
            self._learn(begun, Excused(), probe=probe)
            raise
        self._learn(begun, None, probe=probe)

    def _learn(self, begun: float, error: Exception | None, *, probe: bool) -> None:
        now = self._clock()
        with self._lock:
            if error is None:
                self._width.succeeded(begun, now)
                self._breaker.succeeded()
            elif excused(error):
                self._breaker.undecided(probe)
            else:
                self._width.failed(begun, now)
                self._breaker.failed(begun, now, str(error).splitlines()[0])
            slots = self._width.slots
        self.slots.resize(slots)

    def _refuse_at_rest(self, *, probing: bool) -> bool:
        """Raise while the engine rests; return whether this start is the one that probes it."""
        now = self._clock()
        with self._lock:
            if self._breaker.passes(now):
                return self._breaker.probe(now) if probing else False
            rest, last = self._breaker.rest(now), self._breaker.last
        when = f"in {rest:.1f} s" if rest else "after the attempt that is under way"
        raise SandboxError(
            f"{self._name} failed {self._breaker.LIMIT} times in a row and rests: nothing is "
            f"started now, the next attempt is {when}. The last failure: {last}"
        )

    def _crowded(self) -> str:
        return (
            f"{self._name}: no room in {self._bounds.patience:g} s; {self.live.taken} of at "
            f"most {self._bounds.live} machines live or are being made, {self.live.waiting} "
            "more wait. Close environments that have ended, or open fewer at once."
        )


class Excused(SandboxError):
    """A failure that says nothing about the engine: the request itself was wrong."""


def excused(error: BaseException | None) -> bool:
    """Return whether the engine is not to blame: the image is absent, or the request refused."""
    while error is not None:
        status = getattr(error, "status_code", None) or 0
        if isinstance(error, Excused | ImageError) or 400 <= status < 500:
            return True
        error = error.__cause__
    return False

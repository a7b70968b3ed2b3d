"""A pool of machines that are started ahead of time.

For each kind of machine that was opened before, the pool keeps as many in stock as the next burst
of openings is likely to take.  Threads in the background refill it, after every request that
waits; machines that died in stock, or that are no longer wanted, are removed.  A machine is taken
once and never comes back.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes.pool.admission import Admission, Clock

K = TypeVar("K", bound=Hashable)
M = TypeVar("M")
Asked = TypeVar("Asked", contravariant=True)

IDLE = 60.0
"""Seconds without an opening after which a kind has no stock: a RL step is often shorter."""
_WINDOW = 0.2
"""Least seconds in which openings count as one burst: the time of a refill on a quiet machine."""
_HALF = 30.0
"""Seconds without openings in which the expected rate falls by half."""
_GRACE = 0.05
"""Seconds that a refill waits after a machine was taken, whose first files and prompt would have
to share the processors with it."""
_LOOK = 1.0
"""Seconds after which an idle creator looks again: an engine may have recovered."""
_TRIES = 3
"""Failures in a row after which a kind is not refilled until one could be opened again."""


class Crew(Protocol[Asked, M]):
    """Makes and destroys machines.  Its methods may be called from any thread."""

    def make(self, kind: Asked) -> M:
        """Start one, as a spare of the admission; may raise `SandboxError`."""

    def usable(self, machine: M) -> bool:
        """Return whether it lives."""

    def discard(self, machine: M) -> None:
        """Destroy it; may raise `SandboxError`."""


class Demand:
    """Predicts how many machines the next burst will take: rate of openings times a refill's time.

    The rate rises at once and falls slowly: a batch of resets that follows a training step without
    any must find as many machines as the batch before.
    """

    def __init__(self) -> None:
        self._arrivals: deque[float] = deque()
        self._rate = 0.0
        self._at = 0.0
        self._refill = 0.0

    def arrived(self, now: float) -> None:
        """Count an opening."""
        self._arrivals.append(now)
        self._rate = self._update(now)
        self._at = now

    def made(self, seconds: float) -> None:
        """Take account of the time of a refill."""
        self._refill += (seconds - self._refill) * (0.3 if self._refill else 1.0)

    def expected(self, now: float) -> int:
        """Return how many machines the next burst will take; at least one."""
        return max(1, math.ceil(self._update(now) * self._window - 1e-6))

    @property
    def _window(self) -> float:
        return max(_WINDOW, self._refill)

    def _update(self, now: float) -> float:
        while self._arrivals and self._arrivals[0] < now - self._window:
            self._arrivals.popleft()
        remembered = self._rate * math.exp2((self._at - now) / _HALF)
        return max(remembered, len(self._arrivals) / self._window)


@dataclass(slots=True)
class _Shelf(Generic[M]):
    """The stock of one kind."""

    demand: Demand = field(default_factory=Demand)
    stock: deque[M] = field(default_factory=deque)
    creating: int = 0
    failures: int = _TRIES
    """Failures in a row; a kind of which none was opened yet is not refilled."""
    asked: float = 0.0
    """The time of the last opening."""
    due: float = 0.0
    """When refilling begins."""

    def lacking(self, now: float, most: int) -> int:
        """Return how many machines are to be made."""
        wanted = min(most, self.demand.expected(now))
        return wanted - len(self.stock) - self.creating


class Pool(Generic[K, M]):
    """The stock of all kinds; a kind has none before its first opening."""

    def __init__(
        self,
        crew: Crew[K, M],
        admission: Admission,
        *,
        most: int,
        idle: float = IDLE,
        clock: Clock = time.monotonic,
    ) -> None:
        """Keep at most `most` machines of a kind, none `idle` seconds after its last opening."""
        self._crew = crew
        self._admission = admission
        self._most = most
        self._idle = idle
        self._clock = clock
        self._changed = threading.Condition()
        self._shelves: dict[K, _Shelf[M]] = {}
        self._workers: list[threading.Thread] = []
        self._discarded = 0
        self._closed = False

    def take(self, kind: K) -> M | None:
        """Count an opening, and return a machine from stock if there is one."""
        with self._changed:
            if self._closed:
                return None
            shelf = self._shelves.setdefault(kind, _Shelf())
            now = self._clock()
            if shelf.lacking(now, self._most) <= 0:
                shelf.due = now + _GRACE
            shelf.demand.arrived(now)
            shelf.asked = now
            self._hire()
        while True:
            with self._changed:
                machine = shelf.stock.popleft() if shelf.stock else None
                self._changed.notify_all()
            if machine is None or self._crew.usable(machine):
                return machine
            self._throw_away(machine)

    def opened(self, kind: K) -> None:
        """Take note that a machine of this kind could be started."""
        with self._changed:
            if (shelf := self._shelves.get(kind)) and shelf.failures:
                shelf.failures = 0
                self._changed.notify_all()

    def make_room(self) -> None:
        """Destroy a machine in stock if all places for live ones are taken."""
        with self._changed:
            if not self._admission.live.full:
                return
            shelves = [shelf for shelf in self._shelves.values() if shelf.stock]
            if not shelves:
                return
            machine = min(shelves, key=lambda shelf: shelf.asked).stock.popleft()
        self._throw_away(machine)

    @property
    def waiting(self) -> int:
        """How many machines are in stock."""
        with self._changed:
            return sum(len(shelf.stock) for shelf in self._shelves.values())

    @property
    def creating(self) -> int:
        """How many are being made for the stock."""
        with self._changed:
            return sum(shelf.creating for shelf in self._shelves.values())

    @property
    def discarded(self) -> int:
        """How many were made and never used."""
        with self._changed:
            return self._discarded

    def close(self) -> None:
        """Destroy the stock, and wait for what is being made.  Idempotent."""
        with self._changed:
            self._closed = True
            workers = list(self._workers)
            self._changed.notify_all()
        self._work()  # side by side with the workers, if there are any
        for worker in workers:
            worker.join()

    def _hire(self) -> None:
        """Start another creator, if there are fewer than may work at once."""
        if len(self._workers) < self._admission.width:
            worker = threading.Thread(target=self._run, name="pool", daemon=True)
            self._workers.append(worker)
            worker.start()

    def _run(self) -> None:
        try:
            self._work()
        finally:
            with self._changed:
                self._workers.remove(threading.current_thread())

    def _work(self) -> None:
        """Remove and refill machines until the pool is closed or has no kinds."""
        while True:
            with self._changed:
                kind = None
                surplus = self._surplus()
                if surplus is None:
                    if self._closed or not self._shelves:
                        return
                    if (kind := self._wanted()) is None:
                        self._changed.wait(self._pause())
                        continue
                    self._shelves[kind].creating += 1
            if surplus is not None:
                self._throw_away(surplus)
            elif kind is not None:
                self._refill(kind)

    def _surplus(self) -> M | None:
        """Take a machine that is not needed any more; forget a kind without machines."""
        now = self._clock()
        for kind, shelf in list(self._shelves.items()):
            if self._closed or now - shelf.asked >= self._idle:
                if shelf.stock:
                    return shelf.stock.popleft()
                if not shelf.creating:
                    del self._shelves[kind]
        return None

    def _wanted(self) -> K | None:
        """Return the kind that lacks most machines, if one may be made now."""
        now = self._clock()
        lacking = {
            kind: shelf.lacking(now, self._most)
            for kind, shelf in self._shelves.items()
            if shelf.failures < _TRIES and shelf.due <= now < shelf.asked + self._idle
        }
        kind = max(lacking, key=lambda kind: lacking[kind], default=None)
        if kind is None or lacking[kind] <= 0:
            return None
        return kind if self._admission.healthy and not self._admission.live.full else None

    def _pause(self) -> float:
        """Return the seconds after which there may be something to do."""
        now = self._clock()
        idle = min(shelf.asked for shelf in self._shelves.values()) + self._idle - now
        soon = any(now < shelf.due for shelf in self._shelves.values())
        return min(max(idle, 0.01), _GRACE if soon else _LOOK)

    def _refill(self, kind: K) -> None:
        begun = self._clock()
        machine: M | None = None
        try:
            machine = self._crew.make(kind)
        except SandboxError:
            pass  # an opening will fail for the same reason, and report it
        finally:
            with self._changed:
                shelf = self._shelves[kind]
                shelf.creating -= 1
                shelf.failures = 0 if machine is not None else shelf.failures + 1
                if machine is not None:
                    shelf.stock.append(machine)
                    shelf.demand.made(self._clock() - begun)
                self._changed.notify_all()

    def _throw_away(self, machine: M) -> None:
        with self._changed:
            self._discarded += 1
        with contextlib.suppress(SandboxError):  # the watcher removes it at the latest
            self._crew.discard(machine)

"""Machines that are started before anybody asks for them.

*Covers*: for each kind of machine that was asked for, as many in stock as the next burst is
likely to take; creators in the background that go behind everybody who waits; machines that
died in stock; stock that nobody wants any more; figures.
*Does not cover*: making a machine, nor its second use: what was taken never comes back.
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
"""Seconds in which openings belong together, at least: what a refill takes on a quiet machine."""
_HALF = 30.0
"""Seconds in which the expected rate falls by half where nothing is opened."""
_GRACE = 0.05
"""Seconds a refill leaves to the machine that was just taken: its first files and prompt would
have to share the processors with it."""
_LOOK = 1.0
"""Seconds after which a creator without work looks again: an engine may have recovered."""
_TRIES = 3
"""Failures in a row after which a kind is not refilled before somebody opened one."""


class Crew(Protocol[Asked, M]):
    """What knows how to make machines.  Its methods may be called from any thread."""

    def make(self, kind: Asked) -> M:
        """Start one, going through the admission as a spare; may raise `SandboxError`."""

    def usable(self, machine: M) -> bool:
        """Return whether it lives."""

    def discard(self, machine: M) -> None:
        """Destroy it; may raise `SandboxError`."""


class Demand:
    """How many machines the next burst will take: the rate of openings times a refill's time.

    The rate is an average that rises at once and falls slowly: a batch of resets, and then
    nothing for the time of a training step, must find the stock that it took last time.
    """

    def __init__(self) -> None:
        self._arrivals: deque[float] = deque()
        self._rate = 0.0
        self._at = 0.0
        self._refill = 0.0

    def arrived(self, now: float) -> None:
        """Learn of an opening."""
        self._arrivals.append(now)
        self._rate = self._update(now)
        self._at = now

    def made(self, seconds: float) -> None:
        """Learn how long a refill took."""
        self._refill += (seconds - self._refill) * (0.3 if self._refill else 1.0)

    def expected(self, now: float) -> int:
        """Return how many the next burst will take; at least one."""
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
    """In a row; a kind that nobody could open yet is not refilled."""
    asked: float = 0.0
    """When one was opened for the last time."""
    due: float = 0.0
    """When refilling begins."""

    def lacking(self, now: float, most: int) -> int:
        """Return how many are to be made."""
        wanted = min(most, self.demand.expected(now))
        return wanted - len(self.stock) - self.creating


class Pool(Generic[K, M]):
    """The stock of all kinds; nothing is made before something was opened."""

    def __init__(
        self,
        crew: Crew[K, M],
        admission: Admission,
        *,
        most: int,
        idle: float = IDLE,
        clock: Clock = time.monotonic,
    ) -> None:
        """Keep at most `most` machines of a kind, none of them `idle` seconds after its use."""
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
        """Learn that a machine is opened, and return one from stock where there is one."""
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
        """Learn that a machine of this kind could be started."""
        with self._changed:
            if (shelf := self._shelves.get(kind)) and shelf.failures:
                shelf.failures = 0
                self._changed.notify_all()

    def make_room(self) -> None:
        """Give up a machine in stock where all places for live ones are taken."""
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
        self._work()  # side by side with the workers, where there are any
        for worker in workers:
            worker.join()

    def _hire(self) -> None:
        """Start one creator more, while there are fewer than may work at once."""
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
        """Do what is to be done, until there is nothing left that could be."""
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
        """Take a machine that nobody will want, and forget its kind with the last one."""
        now = self._clock()
        for kind, shelf in list(self._shelves.items()):
            if self._closed or now - shelf.asked >= self._idle:
                if shelf.stock:
                    return shelf.stock.popleft()
                if not shelf.creating:
                    del self._shelves[kind]
        return None

    def _wanted(self) -> K | None:
        """Return the kind that lacks most."""
        now = self._clock()
        found = {
            kind: shelf.lacking(now, self._most)
            for kind, shelf in self._shelves.items()
            if shelf.failures < _TRIES and shelf.due <= now < shelf.asked + self._idle
        }
        kind = max(found, key=lambda kind: found[kind], default=None)
        if kind is None or found[kind] <= 0:
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
            pass  # told to those who open: what made this fail makes theirs fail
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
        with contextlib.suppress(SandboxError):  # the watcher removes what is left of it
            self._crew.discard(machine)

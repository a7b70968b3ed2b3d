"""Many conversations in one thread: each goes on when what it waits for is there.

Covers fairness (whoever is ready gets one turn a round, of at most 64 kB), deadlines, and a pool
of threads for what blocks.  A command that sleeps costs no thread, so 16 that sleep hold up
nobody.  Does not cover asyncio, whose own loop does the same: see `aio.py`.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import select
import time
from collections.abc import Hashable, Mapping
from concurrent.futures import Executor, Future
from typing import Generic, Protocol, TypeVar

from tmax_gym.errors import SandboxError
from tmax_gym.shell.coroutines import BLOCKS, Steps, Wait, finish

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
R = TypeVar("R", covariant=True)


class Outcome(Protocol[R]):
    """What became of a conversation: what of a `Future` is asked for when it is done."""

    def result(self) -> R:
        """Return what it returned, or raise what it raised."""

    def exception(self) -> BaseException | None:
        """Return what it raised."""


def together(conversations: Mapping[K, Steps[T]], pool: Executor) -> dict[K, Outcome[T]]:
    """Drive all of them; return when none waits any more but those that block, in `pool`.

    A `SandboxError` is the result of its conversation; any other exception ends this call, and
    drops what has not ended.
    """
    crowd: _Crowd[T] = _Crowd(pool)
    members = {key: _Member(steps) for key, steps in conversations.items()}
    try:
        for member in members.values():
            crowd.advance(member, None)
        crowd.run()
    except BaseException:
        for member in members.values():
            if not member.apart:
                member.steps.close()
        raise
    finally:
        crowd.close()
    return {key: member.outcome() for key, member in members.items()}


class _Member(Generic[T]):
    """One conversation; its own outcome where it ends here.  A `Future` for each takes 3 us."""

    __slots__ = ("_error", "_value", "apart", "asked", "elsewhere", "steps", "wait")

    def __init__(self, steps: Steps[T]) -> None:
        self.steps = steps
        self._value: list[T] = []
        self._error: SandboxError | None = None
        self.elsewhere: Future[T] | None = None
        """Where it goes on in a thread."""
        self.wait = BLOCKS
        """What it waits for here; BLOCKS for nothing."""
        self.asked = False
        """Whether it was told to look, before the kernel was asked to watch."""
        self.apart = False
        """Whether it has ended here, or goes on in a thread of its own."""

    def end(self, value: T) -> None:
        """Note what it returned."""
        self._value.append(value)

    def fail(self, error: SandboxError) -> None:
        """Note what it raised."""
        self._error = error

    def outcome(self) -> Outcome[T]:
        """Return what became of it."""
        return self.elsewhere or self

    def result(self) -> T:
        """Return what it returned, or raise what it raised."""
        if self._error:
            raise self._error
        return self._value[0]

    def exception(self) -> SandboxError | None:
        """Return what it raised."""
        return self._error


class _Crowd(Generic[T]):
    """Who waits for what."""

    def __init__(self, pool: Executor) -> None:
        self._pool = pool
        # With `poll` those that are not ready take longer than the others, from 256 terminals on.
        self._ready = select.epoll()
        self._waiting: dict[int, _Member[T]] = {}
        self._alarms: list[tuple[float, int, _Member[T], Wait]] = []
        self._serial = itertools.count()
        self._fresh: list[_Member[T]] = []
        """Members that wait for the first time."""
        self._left = 0
        """Members that wait here."""

    def advance(self, member: _Member[T], answer: bool | None) -> None:
        """Give one member its turn."""
        before = member.wait
        try:
            wait = next(member.steps) if answer is None else member.steps.send(answer)
        except StopIteration as end:
            self._part(member)
            member.end(end.value)
        except SandboxError as error:
            self._part(member)
            member.fail(error)
        else:
            if wait is not BLOCKS:
                self._expect(member, before, wait)
                return
            self._part(member)
            member.elsewhere = self._pool.submit(finish, member.steps, True)

    def run(self) -> None:
        """Serve until nobody waits here."""
        while self._left:
            # While the last ones asked, the first ones were answered: no need to watch those.
            fresh, self._fresh = self._fresh, []
            for member in fresh:
                self.advance(member, True)
            now = time.monotonic()
            while self._alarms and self._alarms[0][0] <= now:
                _, _, member, wait = heapq.heappop(self._alarms)
                if member.wait is wait and not member.apart:
                    self.advance(member, self._ready_now(wait))
            if not self._left or self._fresh:
                continue
            rest = self._alarms[0][0] - time.monotonic()
            for fd, _ in self._ready.poll(max(rest, 0.0)):
                if found := self._waiting.get(fd):
                    self.advance(found, True)

    def close(self) -> None:
        """Forget all that waited."""
        self._ready.close()

    def _expect(self, member: _Member[T], before: Wait, wait: Wait) -> None:
        """Note what a member waits for; mostly it is what it has waited for before."""
        fd, events, until = wait
        if before is BLOCKS:
            self._left += 1
        if not member.asked and events & select.POLLIN:
            member.asked = True
            member.wait = wait
            self._fresh.append(member)
            return
        if before[0] != fd or before[1] != events or self._waiting.get(fd) is not member:
            self._forget(before)
            if fd >= 0 and not self._watch(member, wait):
                until = 0.0
        elif before[2] == until:
            return  # the alarm is set: `member.wait` stays the object that it knows
        member.wait = wait
        heapq.heappush(self._alarms, (until, next(self._serial), member, wait))

    def _watch(self, member: _Member[T], wait: Wait) -> bool:
        """Return whether the descriptor is open: of one that is not, its reader finds out."""
        try:
            self._ready.register(wait[0], wait[1])
        except OSError:
            return False
        self._waiting[wait[0]] = member
        return True

    def _part(self, member: _Member[T]) -> None:
        """Note that a member waits here no more."""
        member.apart = True
        if member.wait is not BLOCKS:
            self._left -= 1
            self._forget(member.wait)

    def _forget(self, wait: Wait) -> None:
        if self._waiting.pop(wait[0], None):
            with contextlib.suppress(OSError):  # closed meanwhile
                self._ready.unregister(wait[0])

    def _ready_now(self, wait: Wait) -> bool:
        """Return whether what a late member waits for came at the last moment."""
        if wait[0] < 0:
            return False
        poller = select.poll()
        poller.register(wait[0], wait[1])
        return bool(poller.poll(0))

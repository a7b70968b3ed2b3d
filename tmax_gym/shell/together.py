"""Many conversations in one thread: each goes on when what it waits for is there.

Covers fairness (whoever is ready gets one turn a round, of at most 64 kB), deadlines, and a pool
of threads for what blocks.  A command that sleeps costs no thread, so 16 that sleep hold up
nobody.  Does not cover asyncio, whose own loop does the same: see `aio.py`.
"""

from __future__ import annotations

import heapq
import itertools
import select
import time
from collections.abc import Hashable, Mapping
from concurrent.futures import Executor, Future
from typing import Generic, TypeVar

from tmax_gym.errors import SandboxError
from tmax_gym.shell.waits import BLOCKS, Steps, Wait, finish

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def together(conversations: Mapping[K, Steps[T]], pool: Executor) -> dict[K, Future[T]]:
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
    return {key: member.result for key, member in members.items()}


class _Member(Generic[T]):
    __slots__ = ("apart", "result", "steps", "wait")

    def __init__(self, steps: Steps[T]) -> None:
        self.steps = steps
        self.result: Future[T] = Future()
        self.wait = BLOCKS
        """What it waits for here; BLOCKS for nothing."""
        self.apart = False
        """Whether it has ended here, or goes on in a thread of its own."""


class _Crowd(Generic[T]):
    """Who waits for what."""

    def __init__(self, pool: Executor) -> None:
        self._pool = pool
        # Not select(): 1,024 terminals have descriptors that it cannot take.
        self._poller = select.poll()
        self._waiting: dict[int, _Member[T]] = {}
        self._alarms: list[tuple[float, int, _Member[T], Wait]] = []
        self._serial = itertools.count()
        self._left = 0
        """Members that wait here."""

    def advance(self, member: _Member[T], answer: bool | None) -> None:
        """Give one member its turn."""
        before = member.wait
        try:
            wait = next(member.steps) if answer is None else member.steps.send(answer)
        except StopIteration as end:
            self._part(member)
            member.result.set_result(end.value)
        except SandboxError as error:
            self._part(member)
            member.result.set_exception(error)
        else:
            if wait is not BLOCKS:
                self._expect(member, before, wait)
                return
            self._part(member)
            member.result = self._pool.submit(finish, member.steps, True)

    def run(self) -> None:
        """Serve until nobody waits here."""
        while self._left:
            now = time.monotonic()
            while self._alarms and self._alarms[0][0] <= now:
                _, _, member, wait = heapq.heappop(self._alarms)
                if member.wait is wait and not member.apart:
                    self.advance(member, self._ready_now(wait))
            if not self._left:
                return
            rest = self._alarms[0][0] - time.monotonic()
            for fd, _ in self._poller.poll(max(rest, 0.0) * 1000):
                if found := self._waiting.get(fd):
                    self.advance(found, True)

    def _expect(self, member: _Member[T], before: Wait, wait: Wait) -> None:
        """Note what a member waits for; mostly it is what it has waited for before."""
        if before is BLOCKS:
            self._left += 1
        if before[:2] != wait[:2]:
            self._forget(before)
            if wait[0] >= 0:
                self._waiting[wait[0]] = member
                self._poller.register(wait[0], wait[1])
        elif before[2] == wait[2]:
            return  # the alarm is set: `member.wait` stays the object that it knows
        member.wait = wait
        heapq.heappush(self._alarms, (wait[2], next(self._serial), member, wait))

    def _part(self, member: _Member[T]) -> None:
        """Note that a member waits here no more."""
        member.apart = True
        if member.wait is not BLOCKS:
            self._left -= 1
            self._forget(member.wait)

    def _forget(self, wait: Wait) -> None:
        if self._waiting.pop(wait[0], None):
            self._poller.unregister(wait[0])

    def _ready_now(self, wait: Wait) -> bool:
        """Return whether what a late member waits for came at the last moment."""
        if wait[0] < 0:
            return False
        poller = select.poll()
        poller.register(wait[0], wait[1])
        return bool(poller.poll(0))

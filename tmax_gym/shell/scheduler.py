"""Runs many coroutines in one thread: each goes on when what it waits for is ready.

A command that sleeps takes no thread, so many that sleep delay no other.  Each round gives every
coroutine that is ready one turn, of at most 64 kB of output.  Code that blocks runs in a thread
pool.  For asyncio, whose own loop does the same, see `envs/aio.py`.
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
    """The result or the exception of a coroutine, with the methods of a `Future`."""

    def result(self) -> R:
        """Return the coroutine's result, or raise its exception."""

    def exception(self) -> BaseException | None:
        """Return the coroutine's exception."""


def run_all(coroutines: Mapping[K, Steps[T]], pool: Executor) -> dict[K, Outcome[T]]:
    """Drive all coroutines; return when all have ended, or go on in `pool` as they block.

    A `SandboxError` is the outcome of its coroutine; any other exception ends this call, and drops
    the coroutines that have not ended.
    """
    loop: _Loop[T] = _Loop(pool)
    members = {key: _Member(steps) for key, steps in coroutines.items()}
    try:
        for member in members.values():
            loop.advance(member, None)
        loop.run()
    except BaseException:
        for member in members.values():
            if not member.left:
                member.steps.close()
        raise
    finally:
        loop.close()
    return {key: member.outcome() for key, member in members.items()}


class _Member(Generic[T]):
    """One coroutine; also its outcome if it ends here, as a `Future` for each would take 3 us."""

    __slots__ = ("_error", "_value", "asked", "future", "left", "steps", "wait")

    def __init__(self, steps: Steps[T]) -> None:
        self.steps = steps
        self._value: list[T] = []
        self._error: SandboxError | None = None
        self.future: Future[T] | None = None
        """Set if it goes on in a thread."""
        self.wait = BLOCKS
        """What it waits for here; BLOCKS for nothing."""
        self.asked = False
        """Whether it has tried to read once, before the kernel watches its descriptor."""
        self.left = False
        """Whether it has ended here, or goes on in a thread."""

    def end(self, value: T) -> None:
        """Keep the result."""
        self._value.append(value)

    def fail(self, error: SandboxError) -> None:
        """Keep the exception."""
        self._error = error

    def outcome(self) -> Outcome[T]:
        """Return the future of its thread, or this object."""
        return self.future or self

    def result(self) -> T:
        """Return the result, or raise the exception."""
        if self._error:
            raise self._error
        return self._value[0]

    def exception(self) -> SandboxError | None:
        """Return the exception."""
        return self._error


class _Loop(Generic[T]):
    """Watches descriptors and deadlines of all members."""

    def __init__(self, pool: Executor) -> None:
        self._pool = pool
        # `poll` takes longer for descriptors that are not ready than for the others, from 256 on.
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
            self._leave(member)
            member.end(end.value)
        except SandboxError as error:
            self._leave(member)
            member.fail(error)
        else:
            if wait is not BLOCKS:
                self._expect(member, before, wait)
                return
            self._leave(member)
            member.future = self._pool.submit(finish, member.steps, True)

    def run(self) -> None:
        """Run until no member waits here."""
        while self._left:
            # Most have their answer by now, so that the kernel need not watch them.
            fresh, self._fresh = self._fresh, []
            for member in fresh:
                self.advance(member, True)
            now = time.monotonic()
            while self._alarms and self._alarms[0][0] <= now:
                _, _, member, wait = heapq.heappop(self._alarms)
                if member.wait is wait and not member.left:
                    self.advance(member, self._ready_now(wait))
            if not self._left or self._fresh:
                continue
            rest = self._alarms[0][0] - time.monotonic()
            for fd, _ in self._ready.poll(max(rest, 0.0)):
                if waiting := self._waiting.get(fd):
                    self.advance(waiting, True)

    def close(self) -> None:
        """Stop watching."""
        self._ready.close()

    def _expect(self, member: _Member[T], before: Wait, wait: Wait) -> None:
        """Watch for what a member waits for; usually that is the same as before."""
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
            return  # the alarm is set, for the object that `member.wait` is
        member.wait = wait
        heapq.heappush(self._alarms, (until, next(self._serial), member, wait))

    def _watch(self, member: _Member[T], wait: Wait) -> bool:
        """Watch a descriptor; return False if it is closed, which its reader will find out."""
        try:
            self._ready.register(wait[0], wait[1])
        except OSError:
            return False
        self._waiting[wait[0]] = member
        return True

    def _leave(self, member: _Member[T]) -> None:
        """Forget a member that does not wait here any more."""
        member.left = True
        if member.wait is not BLOCKS:
            self._left -= 1
            self._forget(member.wait)

    def _forget(self, wait: Wait) -> None:
        if self._waiting.pop(wait[0], None):
            with contextlib.suppress(OSError):  # closed meanwhile
                self._ready.unregister(wait[0])

    def _ready_now(self, wait: Wait) -> bool:
        """Return whether the descriptor of a late member became ready at the last moment."""
        if wait[0] < 0:
            return False
        poller = select.poll()
        poller.register(wait[0], wait[1])
        return bool(poller.poll(0))

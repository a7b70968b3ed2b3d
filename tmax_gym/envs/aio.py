"""`AsyncTerminalEnv`: the same environment for one event loop, with cancellation.

Covers awaitable reset, step and close.  A command waits in the loop and costs no thread; a
machine starts, and a verdict is found, in the loop's default executor.
A call that is cancelled destroys the machine: the environment is as after `close`, and the next
`reset` starts a fresh one.  No terminal is ever left half read.
Does not cover other loops than asyncio's, nor two calls at once on one environment.
"""

from __future__ import annotations

import asyncio
import select
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Self, TypeVar

from tmax_gym.envs.terminal import TerminalEnv, Transition
from tmax_gym.shell.coroutines import BLOCKS, Steps, Wait, finish

T = TypeVar("T")


class AsyncTerminalEnv:
    """A `TerminalEnv` whose calls are awaited."""

    def __init__(self, env: TerminalEnv) -> None:
        """Take over an environment; nothing else may call it until this one is closed."""
        self.env = env
        self._busy = False
        self._errand: asyncio.Future[Any] | None = None
        """What a cancelled call has left to a thread."""

    async def reset(self, *, seed: int | None = None) -> tuple[str, dict[str, Any]]:
        """Start a fresh sandbox; see `TerminalEnv.reset`."""
        with self._alone():
            await self._settle()
            return await self._apart(lambda: self.env.reset(seed=seed))

    async def step(self, action: str) -> Transition:
        """Run a command, or submit and be graded; see `TerminalEnv.step`."""
        with self._alone():
            await self._settle()
            steps = self.env.stepping(action)
            try:
                wait = next(steps)
                while wait is not BLOCKS:
                    wait = steps.send(await self._wait(steps, wait))
            except StopIteration as end:
                transition: Transition = end.value
                return transition
            return await self._apart(lambda: finish(steps, True))

    async def close(self) -> None:
        """Destroy the sandbox and all that it held.  Idempotent; cancelled, it still happens."""
        with self._alone():
            await self._settle()
            await self._apart(self.env.close)

    async def __aenter__(self) -> Self:
        """Return this."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close."""
        await self.close()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if self._busy:
            raise RuntimeError("another call on this environment has not ended: await it first")
        self._busy = True
        try:
            yield
        finally:
            self._busy = False

    async def _settle(self) -> None:
        """Wait for what a cancelled call has left behind."""
        if self._errand is not None:
            await asyncio.wait([self._errand])
            self._errand = None

    async def _wait(self, steps: Steps[Transition], wait: Wait) -> bool:
        try:
            return await _ready(wait)
        except BaseException:
            # It closes the episode; not in the loop, which an engine may hold up for a second.
            self._leave(_in_thread(steps.close))
            raise

    async def _apart(self, call: Callable[[], T]) -> T:
        """Make a call in a thread; where this is cancelled, the thread undoes it."""
        errand = _Errand(call, self.env.close)
        ended = _in_thread(errand.run)
        try:
            return await asyncio.shield(ended)
        except asyncio.CancelledError:
            self._leave(_in_thread(self.env.close) if errand.drop() else ended)
            raise

    def _leave(self, errand: asyncio.Future[Any]) -> None:
        self._errand = errand
        # Nobody will ask how it went: what was cancelled has no result.
        errand.add_done_callback(lambda done: done.cancelled() or done.exception())


class _Errand(Generic[T]):
    """A call in a thread, that may become unwanted meanwhile."""

    def __init__(self, call: Callable[[], T], undo: Callable[[], None]) -> None:
        self._call = call
        self._undo = undo
        self._lock = threading.Lock()
        self._over = self._unwanted = False

    def run(self) -> T:
        """Make the call, and undo it where it is not wanted any more."""
        try:
            return self._call()
        finally:
            with self._lock:
                self._over, unwanted = True, self._unwanted
            if unwanted:
                self._undo()

    def drop(self) -> bool:
        """Have it undone; return whether it is over, so that the caller has to."""
        with self._lock:
            self._unwanted = True
            return self._over


def _in_thread(call: Callable[[], T]) -> asyncio.Future[T]:
    return asyncio.get_running_loop().run_in_executor(None, call)


async def _ready(wait: Wait) -> bool:
    """Wait in the loop; return whether the descriptor became ready."""
    fd, events, until = wait
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[bool] = loop.create_future()
    alarm = loop.call_later(max(0.0, until - time.monotonic()), _say, answer, False)
    try:
        if fd >= 0 and events & select.POLLIN:
            loop.add_reader(fd, _say, answer, True)
        if fd >= 0 and events & select.POLLOUT:
            loop.add_writer(fd, _say, answer, True)
        return await answer
    except OSError:  # closed behind our back: whoever reads it finds out
        return True
    finally:
        alarm.cancel()
        if fd >= 0:
            loop.remove_reader(fd)
            loop.remove_writer(fd)


def _say(answer: asyncio.Future[bool], value: bool) -> None:
    if not answer.done():
        answer.set_result(value)

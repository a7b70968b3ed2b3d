"""`AsyncTerminalEnv`: a terminal environment for asyncio, with cancellation.

A command waits in the event loop and needs no thread; starts and grading run in the loop's default
executor.  Cancelling a call destroys the sandbox, as `close` does, so that no terminal is left half
read; the next `reset` starts a fresh one.  An environment takes one call at a time.
"""

from __future__ import annotations

import asyncio
import select
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
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
        self._leftover: asyncio.Future[Any] | None = None
        """The clean-up of a cancelled call, which goes on in a thread."""

    async def reset(self, *, seed: int | None = None) -> tuple[str, dict[str, Any]]:
        """Start a fresh sandbox; see `TerminalEnv.reset`."""
        async with self._one_call():
            return await self._in_undoable_thread(lambda: self.env.reset(seed=seed))

    async def step(self, action: str) -> Transition:
        """Run a command, or submit and be graded; see `TerminalEnv.step`."""
        async with self._one_call():
            steps = self.env.stepping(action)
            try:
                wait = next(steps)
                while wait is not BLOCKS:
                    wait = steps.send(await self._wait(steps, wait))
            except StopIteration as end:
                transition: Transition = end.value
                return transition
            return await self._in_undoable_thread(lambda: finish(steps, True))

    async def close(self) -> None:
        """Destroy the sandbox, even if this call is cancelled.  Idempotent."""
        async with self._one_call():
            await self._in_undoable_thread(self.env.close)

    async def __aenter__(self) -> Self:
        """Return this."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close."""
        await self.close()

    @asynccontextmanager
    async def _one_call(self) -> AsyncIterator[None]:
        """Refuse a second call at the same time; wait for the clean-up of a cancelled one."""
        if self._busy:
            raise RuntimeError("another call on this environment has not ended: await it first")
        self._busy = True
        try:
            if self._leftover is not None:
                await asyncio.wait([self._leftover])
                self._leftover = None
            yield
        finally:
            self._busy = False

    async def _wait(self, steps: Steps[Transition], wait: Wait) -> bool:
        try:
            return await _ready(wait)
        except BaseException:
            # Closing an episode can take an engine a second, so it happens outside the loop.
            self._leave(_in_thread(steps.close))
            raise

    async def _in_undoable_thread(self, call: Callable[[], T]) -> T:
        """Make a call in a thread, which closes the environment if this is cancelled."""
        undoable = _UndoableCall(call, self.env.close)
        ended = _in_thread(undoable.run)
        try:
            return await asyncio.shield(ended)
        except asyncio.CancelledError:
            self._leave(_in_thread(self.env.close) if undoable.undo() else ended)
            raise

    def _leave(self, leftover: asyncio.Future[Any]) -> None:
        self._leftover = leftover
        # Fetches the error, which nobody else will: a cancelled call has no result.
        leftover.add_done_callback(lambda done: done.cancelled() or done.exception())


class _UndoableCall(Generic[T]):
    """A call in a thread that may be cancelled while it runs."""

    def __init__(self, call: Callable[[], T], undo: Callable[[], None]) -> None:
        self._call = call
        self._undo = undo
        self._lock = threading.Lock()
        self._ended = self._cancelled = False

    def run(self) -> T:
        """Make the call; undo it if it was cancelled meanwhile."""
        try:
            return self._call()
        finally:
            with self._lock:
                self._ended, cancelled = True, self._cancelled
            if cancelled:
                self._undo()

    def undo(self) -> bool:
        """Cancel the call; return whether it has already ended, so that the caller must undo it."""
        with self._lock:
            self._cancelled = True
            return self._ended


def _in_thread(call: Callable[[], T]) -> asyncio.Future[T]:
    return asyncio.get_running_loop().run_in_executor(None, call)


async def _ready(wait: Wait) -> bool:
    """Wait in the loop; return whether the descriptor became ready."""
    fd, events, until = wait
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[bool] = loop.create_future()
    alarm = loop.call_later(max(0.0, until - time.monotonic()), _resolve, ready, False)
    try:
        if fd >= 0 and events & select.POLLIN:
            loop.add_reader(fd, _resolve, ready, True)
        if fd >= 0 and events & select.POLLOUT:
            loop.add_writer(fd, _resolve, ready, True)
        return await ready
    except OSError:  # the descriptor was closed meanwhile: the next read will report that
        return True
    finally:
        alarm.cancel()
        if fd >= 0:
            loop.remove_reader(fd)
            loop.remove_writer(fd)


def _resolve(ready: asyncio.Future[bool], value: bool) -> None:
    if not ready.done():
        ready.set_result(value)

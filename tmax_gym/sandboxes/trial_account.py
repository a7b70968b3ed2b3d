"""Keeps account of one trial: the machines that it opened, and the time that it queued for them.

A time limit in another thread reads it: queueing does not count as a trial's own time, and giving
a trial up closes its machines, those of its verifier included.  The account in use belongs to the
context (`contextvars`); `timed.apart` passes it on to a thread.
"""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from tmax_gym.errors import SandboxError


class Machine(Protocol):
    """A sandbox, as far as an account uses it."""

    def close(self) -> None:
        """Destroy it."""


_current: ContextVar[Account | None] = ContextVar("account", default=None)


class Account:
    """The machines and the waits of one trial; safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._machines: weakref.WeakSet[Machine] = weakref.WeakSet()
        self._inner: weakref.WeakSet[Account] = weakref.WeakSet()
        self._waits: list[list[float]] = []
        """Begin and end of each; the end is infinite while it lasts."""
        self._given_up = False

    @property
    def given_up(self) -> bool:
        """Return whether this trial was ended from outside."""
        return self._given_up

    def check(self) -> None:
        """Raise `SandboxError` if the trial was given up."""
        if self._given_up:
            raise SandboxError("this trial was given up: its time was over")

    def add(self, machine: Machine) -> None:
        """Record a machine that was opened; if the trial was given up, close it at once.

        Raises:
            SandboxError: The trial was given up.
        """
        with self._lock:
            self._machines.add(machine)
            late = self._given_up
        if late:
            machine.close()
            self.check()

    def adopt(self, inner: Account) -> None:
        """Give up another account with this one."""
        with self._lock:
            self._inner.add(inner)
            late = self._given_up
        if late:
            inner.give_up()

    def give_up(self) -> None:
        """Close every machine, and later every other one that opens; does not wait for that."""
        with self._lock:
            self._given_up = True
            machines, inner = list(self._machines), list(self._inner)
        for account in inner:
            account.give_up()
        for machine in machines:
            # One thread each: a machine that hangs must not delay the others.
            threading.Thread(target=_close, args=(machine,), name="close", daemon=True).start()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count what is done inside as waiting for a turn."""
        wait = [time.monotonic(), float("inf")]
        with self._lock:
            self._waits.append(wait)
        try:
            yield
        finally:
            wait[1] = time.monotonic()

    def waited(self, since: float) -> float:
        """Return how many seconds since then were spent waiting."""
        now = time.monotonic()
        with self._lock:
            waits = list(self._waits)
        return sum(max(0.0, min(end, now) - max(begin, since)) for begin, end in waits)


@contextmanager
def used(account: Account) -> Iterator[None]:
    """Record everything that this context opens in an account.

    If the context has an account already, giving that one up gives up this one as well.
    """
    if (outer := _current.get()) is not None and outer is not account:
        outer.adopt(account)
    before = _current.set(account)
    try:
        yield
    finally:
        _current.reset(before)


@contextmanager
def waiting() -> Iterator[None]:
    """Count what is done inside as waiting for a turn, if this context has an account."""
    account = _current.get()
    with account.waiting() if account else contextlib.nullcontext():
        yield


@contextmanager
def turn(lock: threading.Lock) -> Iterator[None]:
    """Hold a lock, and count waiting for it as waiting for a turn; raise as `check`."""
    with waiting():
        lock.acquire()
    try:
        check()
        yield
    finally:
        lock.release()


def check() -> None:
    """Raise `SandboxError` if the trial of this context was given up."""
    if (account := _current.get()) is not None:
        account.check()


def opened(machine: Machine) -> None:
    """Record a machine in the account of this context, if there is one.

    Raises:
        SandboxError: The trial was given up; the machine is closed.
    """
    if (account := _current.get()) is not None:
        account.add(machine)


def _close(machine: Machine) -> None:
    with contextlib.suppress(SandboxError, OSError):
        machine.close()

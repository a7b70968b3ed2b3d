"""What one trial has of its backend: machines that it opened, and waits for its turn.

A watcher in another thread asks: a queue is no part of a trial's own time, and whoever gives a
trial up ends its machines, those of its verifier included.
Covers what `Backend.open` returns in the same context; `timed.apart` hands the context on.
Does not cover programs that nobody watches: they have no account.
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
    """What can be ended."""

    def close(self) -> None:
        """End it."""


_current: ContextVar[Account | None] = ContextVar("account", default=None)


class Account:
    """The machines and the waits of one trial; safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._machines: weakref.WeakSet[Machine] = weakref.WeakSet()
        self._waits: list[list[float]] = []
        """Begin and end of each; the end is infinite while it lasts."""
        self._given_up = False

    @property
    def given_up(self) -> bool:
        """Return whether nobody waits for this trial any more."""
        return self._given_up

    def check(self) -> None:
        """Go on only where the trial was not given up.

        Raises:
            SandboxError: It was.
        """
        if self._given_up:
            raise SandboxError("this trial was given up: its time was over")

    def add(self, machine: Machine) -> None:
        """Note a machine that was opened; where the trial was given up, it is closed at once.

        Raises:
            SandboxError: The trial was given up.
        """
        with self._lock:
            self._machines.add(machine)
            late = self._given_up
        if late:
            machine.close()
            self.check()

    def give_up(self) -> None:
        """Close every machine, those that are opened later included; does not wait for that."""
        with self._lock:
            self._given_up = True
            machines = list(self._machines)
        for machine in machines:
            # One thread each: a machine that hangs must not keep the others.
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
    """Have everything that this context opens noted in an account."""
    before = _current.set(account)
    try:
        yield
    finally:
        _current.reset(before)


@contextmanager
def waiting() -> Iterator[None]:
    """Count what is done inside as waiting for a turn, where there is an account."""
    found = _current.get()
    if found is None:
        yield
        return
    with found.waiting():
        yield


@contextmanager
def turn(lock: threading.Lock) -> Iterator[None]:
    """Hold a lock that trials have in turn.

    Raises:
        SandboxError: The trial of this context was given up meanwhile.
    """
    with waiting():
        lock.acquire()
    try:
        check()
        yield
    finally:
        lock.release()


def check() -> None:
    """Go on only where the trial of this context was not given up.

    Raises:
        SandboxError: It was.
    """
    if (found := _current.get()) is not None:
        found.check()


def opened(machine: Machine) -> None:
    """Note a machine in the account of this context, where there is one.

    Raises:
        SandboxError: The trial was given up; the machine is closed.
    """
    if (found := _current.get()) is not None:
        found.add(machine)


def _close(machine: Machine) -> None:
    with contextlib.suppress(SandboxError, OSError):
        machine.close()

"""Processes of this host, as /proc shows them: their state, their numbers, and how to kill a group.

Everything is read as bytes first: a process chooses its own name.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path

STATE, PARENT, GROUP, SESSION, FOREGROUND, FLAGS, THREADS, STARTED = 0, 1, 2, 3, 5, 6, 17, 19
"""Places in what `stat` returns; see proc(5)."""


def stat(pid: int) -> list[str]:
    """Return the fields of /proc/<pid>/stat after the name; empty if the process is gone."""
    try:
        line = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return []
    return line.rpartition(b")")[2].decode("ascii", "replace").split()


def start_time(pid: int) -> str:
    """Return when a process started, in clock ticks since boot; "" if it is gone."""
    fields = stat(pid)
    return fields[STARTED] if fields else ""


def is_running(pid: int) -> bool:
    """Return whether a process exists and a thread of it runs; its first one may have ended."""
    fields = stat(pid)
    return bool(fields) and (fields[STATE] not in "ZX" or int(fields[THREADS]) > 1)


def is_same(pid: int, started: str) -> bool:
    """Return whether a process that began then still runs; a zombie does not."""
    return start_time(pid) == started and is_running(pid)


def namespace_pids(pid: int) -> list[int]:
    """Return a process's number in each of its pid namespaces, outermost first."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    lines = (line for line in status.splitlines() if line.startswith("NSpid:"))
    return [int(number) for number in next(lines, "").split()[1:]]


def all_pids() -> list[int]:
    """Return the number of every process that this host shows."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def signal_running(pids: Iterable[int], number: int) -> bool:
    """Send a signal to those of these processes that run; return whether there was one."""
    sent = False
    for pid in filter(is_running, pids):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
            sent = True
    return sent


def kill_until_gone(members: Callable[[], Iterable[int]], *, rounds: int = 20) -> None:
    """Stop, then kill what `members` lists until it lists no running process.

    A fork may slip between reading the list and the signal: hence the stop, and the rounds.
    """
    for number in (signal.SIGSTOP, *[signal.SIGKILL] * rounds):
        if not signal_running(members(), number):
            return

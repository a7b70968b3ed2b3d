"""Part of drivers: time limits that do not count waiting for a processor.

A loaded machine must not cost a reward.  Used processor time always counts, and so do sleeping and
waiting for a disk.  Programs that end within two looks are not measured: they are far from a limit.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LOOK = 0.1
"""Seconds between two looks at the processes: one look takes 0.0003."""
TICKS = os.sysconf("SC_CLK_TCK")


class Allowance:
    """The time limit of a run: `seconds`, and up to `stretch` times as long if it had to wait."""

    def __init__(
        self,
        seconds: float,
        stretch: float,
        members: Callable[[], Iterable[str]] | None = None,
    ) -> None:
        self._seconds = seconds
        self._most = seconds * (stretch - 1.0)
        self._members = members or programs
        self._begun = self._last = time.monotonic()
        self._before = sum(state(pid)[1] for pid in self._members())
        self._wanted = self._got = 0.0

    def excuse(self, seconds: float) -> None:
        """Add the seconds that a part of the run has waited."""
        self._wanted += seconds

    def waited(self) -> float:
        """Return the seconds by which the limit has moved."""
        return min(max(0.0, self._wanted - self._got), self._most)

    def left(self) -> float:
        """Return the seconds that are left, after a look if one is due."""
        now = time.monotonic()
        if now - self._last >= LOOK:
            self._look(now)
        return self.rest()

    def rest(self) -> float:
        """Return the seconds that are left, without another look."""
        return self._seconds + self.waited() - (time.monotonic() - self._begun)

    def pause(self) -> float:
        """Return how long to wait before the next call of `left`."""
        return max(0.0, min(self.left(), LOOK))

    def _look(self, now: float) -> None:
        """Count the time since the last look if a program wants a processor now."""
        wants, used = False, 0.0
        for pid in self._members():
            runnable, seconds = state(pid)
            wants = wants or runnable
            used += seconds
        if wants:
            self._wanted += now - self._last
            self._got += max(0.0, used - self._before)
        self._last, self._before = now, used


def programs() -> list[str]:
    """Return every process of the sandbox but the first one and this one."""
    own = ("1", str(os.getpid()))
    return [name for name in os.listdir("/proc") if name.isdigit() and name not in own]


def state(pid: str) -> tuple[bool, float]:
    """Return whether a process is runnable, and the processor time of it and its ended children."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        used = sum(map(int, fields[11:15])) / TICKS
        return fields[0] == b"R" or any(map(runnable, threads(pid))), used
    except (OSError, IndexError, ValueError):
        return False, 0.0  # it has just ended


def threads(pid: str) -> list[str]:
    """Return the files of a process's threads if it has more than one."""
    names = os.listdir(f"/proc/{pid}/task")
    return [f"/proc/{pid}/task/{name}/stat" for name in names] if len(names) > 1 else []


def runnable(path: str) -> bool:
    """Return whether a thread is runnable."""
    try:
        with open(path, "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] == b"R"
    except (OSError, IndexError):
        return False

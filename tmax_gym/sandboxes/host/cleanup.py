"""Closes sandboxes when this process exits, and removes what killed processes left behind.

A weak set and one exit hook close what is still open; a synchronous hook, because an event
loop or a pool may be gone by then.  Files and cgroups carry a label that no later process can
have, so that the next process can tell and remove what belongs to a dead one.
What other machines left in a shared cache is removed after a week.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import signal
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from tmax_gym.sandboxes.host.processes import is_same, start_time

PREFIX = "tmax-"
_STALE_SECONDS = 7 * 86_400
_CLOSE_SECONDS = 20.0
"""At exit, for all machines of a backend to end; what hangs is left to the next process."""


class Closeable(Protocol):
    """Something to be closed."""

    def close(self) -> None:
        """Close it; twice is harmless."""


_live: weakref.WeakSet[Closeable] = weakref.WeakSet()
_hooked: set[int] = set()


def track(thing: Closeable) -> None:
    """Close an object at exit, unless it is garbage by then."""
    if os.getpid() not in _hooked:
        _hooked.add(os.getpid())
        atexit.register(_close_all, os.getpid())
    _live.add(thing)


def _close_all(owner: int) -> None:
    if os.getpid() == owner:  # a forked child must not close its parent's sandboxes
        close_all()


def close_all() -> None:
    """Close every tracked object of this process; backends may be used again afterwards."""
    for thing in list(_live):
        closing = threading.Thread(target=_close, args=(thing,), name="close", daemon=True)
        try:
            closing.start()
        except RuntimeError:  # newer Pythons start no thread so late
            _close(thing)
        else:
            closing.join(_CLOSE_SECONDS)


def _close(thing: Closeable) -> None:
    with contextlib.suppress(Exception):  # the process ends: there is no one to report to
        thing.close()


def label() -> str:
    """Return a name for this process that no later process has."""
    return f"{PREFIX}{os.getpid()}-{start_time(os.getpid())}-{_namespace()}"


def alive(name: str) -> bool:
    """Return whether the process with this label may still live.

    Labels of other machines, containers and boots count as alive, since that cannot be known here.
    """
    parts = name.removeprefix(PREFIX).split("-")
    if not name.startswith(PREFIX) or len(parts) < 3 or parts[2] != _namespace():
        return True
    return is_same(int(parts[0]), parts[1])


def remove(entry: Path) -> None:
    """Remove a tree of files, or a cgroup with all that runs in it."""
    if not (entry / "cgroup.procs").exists():
        shutil.rmtree(entry, ignore_errors=True)
        return
    for _ in range(50):  # a killed process leaves its cgroup a moment later
        busy = False
        for directory, _, _ in os.walk(entry, topdown=False):
            with contextlib.suppress(OSError, ValueError):
                for word in Path(directory, "cgroup.procs").read_text().split():
                    if int(word) > 1:
                        os.kill(int(word), signal.SIGKILL)
            try:
                os.rmdir(directory)
            except OSError:
                busy = True
        if not busy:
            return
        time.sleep(0.02)


_swept: dict[Path, Callable[[Path], object]] = {}
"""Where this process has looked for what dead ones left, and how that is removed."""


def sweep(directories: list[Path], remover: Callable[[Path], object] = remove) -> list[Path]:
    """Remove the labelled entries of dead processes from these directories; return them.

    A cgroup's processes are killed before it is removed.
    """
    _swept.update(dict.fromkeys(directories, remover))
    removed = []
    for directory in directories:
        for entry in sorted(directory.glob(PREFIX + "*")):
            if not alive(entry.name) or _is_foreign_and_old(entry):
                remover(entry)
                removed.append(entry)
    return removed


def sweep_again() -> list[Path]:
    """Remove what other processes left that have died since this one looked; return it."""
    return [entry for place, remover in list(_swept.items()) for entry in sweep([place], remover)]


def _is_foreign_and_old(entry: Path) -> bool:
    parts = entry.name.split("-")
    if len(parts) < 4 or parts[3] == _namespace() or (entry / "cgroup.procs").exists():
        return False
    with contextlib.suppress(OSError):
        return time.time() - entry.stat().st_mtime > _STALE_SECONDS
    return False


def _namespace() -> str:
    """Return a short name of this boot and process namespace."""
    with contextlib.suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()
        space = os.stat("/proc/self/ns/pid").st_ino
        return hashlib.blake2b(f"{boot}{space}".encode(), digest_size=4).hexdigest()
    return "unknown"

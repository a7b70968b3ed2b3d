"""The guarantee that no instance outlives the process that opened it.

Covers owners that ended in any way, also by SIGKILL: a watcher of ours ends their instances at
once, and every new backend ends what earlier ones left (the watcher may have been killed too).
Does not cover other machines: a directory on a shared disk is theirs to clear.

Run as a script it is the watcher: `python watch.py DIRECTORY`, with the read end of
the owner's pipe as its input.  It needs the standard library alone.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

PID_FILE = "pid"
GROUPS_FILE = "groups"
_NAMES = ("appinit", "sinit", "starter")
"""What the first process of an instance calls itself: another's number is left alone."""
_PATIENCE = 30.0


class Watcher:
    """A process that ends the instances of this one when this one ends."""

    def __init__(self, directory: Path) -> None:
        """Start it."""
        ours, self._pipe = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", __file__, str(directory)],
                stdin=ours,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,  # Ctrl-C is for the owner
            )
        finally:
            os.close(ours)

    def close(self) -> None:
        """Have it look for the last time, and wait for its end."""
        os.close(self._pipe)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)


def end(directory: Path) -> None:
    """Kill the instances below a directory of an ended owner, and remove it."""
    for place in sorted(directory.iterdir() if directory.is_dir() else ()):
        with contextlib.suppress(OSError, ValueError):
            _kill(int((place / PID_FILE).read_text(encoding="ascii")))
        with contextlib.suppress(OSError):
            for group in (place / GROUPS_FILE).read_text(encoding="utf-8").splitlines():
                _remove_group(group)
    remove(directory)


def remove(directory: Path) -> None:
    """Remove a tree in which nothing runs any more, closed directories included."""
    for at, names, _ in os.walk(directory):
        for name in names:  # before the walk goes there
            path = os.path.join(at, name)
            with contextlib.suppress(OSError):
                if not os.path.islink(path):
                    os.chmod(path, 0o700)
    shutil.rmtree(directory, ignore_errors=True)


def _kill(pid: int) -> None:
    name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
    if name not in _NAMES:
        return
    pidfd = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        poller = select.poll()
        poller.register(pidfd, select.POLLIN)
        poller.poll(_PATIENCE * 1000)
    finally:
        os.close(pidfd)


def _remove_group(group: str) -> None:
    for _ in range(50):  # a killed process leaves its cgroup a moment later
        with contextlib.suppress(OSError):
            os.rmdir(group)
        if not os.path.isdir(group):
            return
        time.sleep(0.02)


def _watch(directory: Path) -> None:
    parent = os.getppid()
    # Two signs, as forks of the owner keep the pipe open: its end, and the owner's.
    poller = select.poll()
    poller.register(0, select.POLLIN | select.POLLHUP)
    with contextlib.suppress(OSError):
        poller.register(os.pidfd_open(parent), select.POLLIN)
    if os.getppid() == parent:
        poller.poll()
    end(directory)
    time.sleep(1.0)  # an instance may have been in the making
    end(directory)


if __name__ == "__main__":
    _watch(Path(sys.argv[1]))

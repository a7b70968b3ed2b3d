"""Removes the sandboxes of a process that has ended, so that none outlives its owner.

For backends whose sandboxes are processes of another program: Apptainer and gVisor.
The `Watcher` runs it as a script with the owner's directory, when the owner has ended in any way.
Every new backend calls it as well, as the watcher may have been killed, too.
It needs the standard library only.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import sys
import time
from pathlib import Path

PID_FILE = "pid"
GROUPS_FILE = "groups"
_NAMES = ("appinit", "sinit", "starter")
"""Names of an instance's first process in Apptainer.  gVisor's has our directory in its command
line.  Any other process has reused the number."""
_KILL_SECONDS = 30.0


def remove_all(directory: Path) -> None:
    """Kill the instances below a directory of an ended owner, and remove it."""
    for place in sorted(directory.iterdir() if directory.is_dir() else ()):
        with contextlib.suppress(OSError, ValueError):
            _kill(int((place / PID_FILE).read_text(encoding="ascii")), place)
        groups: list[str] = []
        with contextlib.suppress(OSError):
            groups = (place / GROUPS_FILE).read_text(encoding="utf-8").splitlines()
        for group in groups:
            remove_group(group)
            with contextlib.suppress(OSError):  # the owner's, which others may still be in
                os.rmdir(os.path.dirname(group))
    remove(directory)


def remove(directory: Path) -> None:
    """Remove the tree of an ended instance, directories without permissions included."""
    for at, names, _ in os.walk(directory):
        for name in names:  # before `os.walk` enters it
            path = os.path.join(at, name)
            with contextlib.suppress(OSError):
                if not os.path.islink(path):
                    os.chmod(path, 0o700)
    shutil.rmtree(directory, ignore_errors=True)


def _kill(pid: int, place: Path) -> None:
    name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
    command = Path(f"/proc/{pid}/cmdline").read_bytes()
    if name not in _NAMES and os.fsencode(place) + b"/" not in command:
        return
    pidfd = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        poller = select.poll()
        poller.register(pidfd, select.POLLIN)
        poller.poll(_KILL_SECONDS * 1000)
    finally:
        os.close(pidfd)


def remove_group(group: str) -> None:
    """Remove a cgroup, for up to 5 seconds: a killed process leaves it a moment later."""
    for _ in range(1000):
        with contextlib.suppress(OSError):
            os.rmdir(group)
        if not os.path.isdir(group):
            return
        time.sleep(0.005)


if __name__ == "__main__":
    remove_all(Path(sys.argv[1]))
    time.sleep(1.0)  # another instance may have been starting
    remove_all(Path(sys.argv[1]))

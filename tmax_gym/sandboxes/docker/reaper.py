"""The guarantee that no container outlives the process that opened it.

Covers containers of processes that ended in any way, also by SIGKILL: a watcher process of
ours removes them at once, and every new backend removes what earlier ones left (the watcher may
have been killed as well).  Does not cover engines that are reached by TCP: there the containers
end with their input, and the next backend removes what is left of them.

Run as a script it is the watcher: `python reaper.py SOCKET OWNER`, with the read end
of the owner's pipe as its input.  It needs the standard library alone.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from urllib.parse import quote

LABEL = "tmax.owner"
"""Its value: boot id, pid namespace, process id and start time of the owner, and a serial."""
MACHINE = "tmax.machine"
"""Its value: a name that was known before the engine was asked for the container."""
_PATIENCE = 30.0
_LATE = (2.0, 4.0, 8.0, 16.0)
"""Seconds between the watcher's last looks: a container may have been in the making, which takes
30 at most (`engine.TIMEOUT`), and the engine may be starting again."""


def owner() -> str:
    """Return a new label of this process."""
    return f"{_machine()}:{os.getpid()}:{_started(os.getpid())}:{os.urandom(4).hex()}"


def orphan(label: str) -> bool:
    """Return whether the owner in a label has ended, as far as this process can know."""
    parts = label.split(":")
    if len(parts) != 5:
        return False  # not ours
    boot, _, pid, started, _ = parts
    if boot != _machine().split(":")[0]:
        return True  # the machine was started anew
    if parts[:2] != _machine().split(":"):
        return False  # another container's process: not visible from here
    return _started(int(pid)) != started


def _machine() -> str:
    """Return what tells process numbers of this namespace from others."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"{file.read().strip()}:{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return f"{socket.gethostname()}:0"


def _started(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return ""


class Watcher:
    """A process that removes the containers of this one when this one ends."""

    def __init__(self, address: str, label: str) -> None:
        """Start it; for an engine without a local socket there is none."""
        self._pipe = -1
        self._process: subprocess.Popen[bytes] | None = None
        scheme, _, path = address.partition("://")
        if scheme != "unix":
            return
        ours, self._pipe = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", __file__, path, label],
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
        if self._process is None:
            return
        os.close(self._pipe)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        self._process = None

    def forget(self) -> None:
        """Let go of it in a forked child: it waits for the parent's end."""
        if self._process is not None:
            os.close(self._pipe)
            self._process.returncode = 0  # not this process's child: nothing to wait for
            self._process = None


class _Connection(http.client.HTTPConnection):
    """HTTP over a local socket."""

    def __init__(self, path: str) -> None:
        super().__init__("engine", timeout=_PATIENCE)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _call(path: str, method: str, url: str) -> bytes:
    connection = _Connection(path)
    try:
        connection.request(method, url)
        return connection.getresponse().read()
    finally:
        connection.close()


def _remove(path: str, label: str) -> int:
    filters = quote(json.dumps({"label": [f"{LABEL}={label}"]}))
    found = json.loads(_call(path, "GET", f"/containers/json?all=1&filters={filters}"))
    for container in found:
        _call(path, "DELETE", f"/containers/{container['Id']}?force=1&v=1")
    return len(found)


def _watch(path: str, label: str) -> None:
    parent = os.getppid()
    # Two signs, as forks of the owner keep the pipe open: its end, and the owner's.
    import select

    poll = select.poll()
    poll.register(0, select.POLLIN | select.POLLHUP)
    with contextlib.suppress(OSError, AttributeError):
        poll.register(os.pidfd_open(parent), select.POLLIN)
    if os.getppid() == parent:
        poll.poll()
    for pause in (0.0, *_LATE):
        time.sleep(pause)
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            _remove(path, label)
            if not orphan(label):
                return  # the owner waits for this, and makes no more


if __name__ == "__main__":
    _watch(sys.argv[1], sys.argv[2])

"""Client processes of Apptainer: fed, heard up to a cap, ended in time.

Covers one program without a terminal, and finding what of a sandbox runs on this host, by
session or by process namespace.  Does not cover processes of other users: without root a
sandbox has none.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_CHUNK = 1 << 16
_LAST = 1 << 20
"""Bytes: a pipe holds less, so one such read takes all that an ended program left."""
_KILL_SECONDS = 10.0
"""A killed program that has not ended by now hangs in the kernel."""
_REAP_SECONDS = 1.0
"""A client ends 0.01 s after what it waits for."""
_SESSION, _GROUP = 3, 2
"""Columns of /proc/PID/stat after the name: state, parent, group, session, tty, foreground."""


@dataclass(slots=True)
class Ended:
    """How a client ended."""

    code: int
    stdout: bytes
    stderr: bytes
    late: bool
    truncated: bool


@dataclass(slots=True)
class _Output:
    cap: int
    kept: dict[int, bytearray] = field(default_factory=dict)
    truncated: bool = False

    def take(self, fd: int, size: int = _CHUNK) -> bool:
        """Read what is there; return False at the end."""
        try:
            data = os.read(fd, size)
        except BlockingIOError:
            return True
        room = self.cap - len(self.kept[fd])
        self.kept[fd] += data[:room]
        self.truncated = self.truncated or len(data) > room
        return bool(data)


def run(
    argv: Sequence[str],
    environment: Mapping[str, str],
    *,
    stdin: bytes = b"",
    timeout: float,
    cap: int = 1 << 20,
) -> Ended:
    """Run a client in a session of its own, which dies with it at the time-out."""
    process = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(environment),
        cwd="/",
        start_new_session=True,
    )
    assert process.stdin and process.stdout and process.stderr
    output = _Output(cap)
    with process.stdin, process.stdout, process.stderr:
        late = not _talk(process, output, stdin, time.monotonic() + timeout)
        if late:
            kill_session(process.pid)
            _talk(process, output, b"", time.monotonic() + _KILL_SECONDS)
        for fd in output.kept:
            output.take(fd, _LAST)
        out, err = (bytes(output.kept[s.fileno()]) for s in (process.stdout, process.stderr))
    code = process.wait(_KILL_SECONDS)
    return Ended(128 - code if code < 0 else code, out, err, late, output.truncated)


def _talk(process: subprocess.Popen[bytes], output: _Output, stdin: bytes, deadline: float) -> bool:
    """Feed and listen until the process ends; return whether it did before the deadline."""
    assert process.stdin and process.stdout and process.stderr
    into = -1 if process.stdin.closed else process.stdin.fileno()
    end = os.pidfd_open(process.pid)
    poller, rest = select.poll(), memoryview(stdin)
    poller.register(end, select.POLLIN)
    for fd in (process.stdout.fileno(), process.stderr.fileno()):
        os.set_blocking(fd, False)
        output.kept.setdefault(fd, bytearray())
        poller.register(fd, select.POLLIN)
    if into >= 0:
        os.set_blocking(into, False)
        poller.register(into, select.POLLOUT)
    try:
        while (left := deadline - time.monotonic()) > 0:
            for fd, _ in poller.poll(left * 1000):
                if fd == end:
                    return True
                if fd == into:
                    rest = _feed(into, rest)
                    if not rest:
                        poller.unregister(into)
                        process.stdin.close()
                elif not output.take(fd):
                    poller.unregister(fd)
    finally:
        os.close(end)
    return False


def _feed(fd: int, rest: memoryview) -> memoryview:
    try:
        return rest[os.write(fd, rest[:_CHUNK]) :] if rest else rest
    except BlockingIOError:
        return rest
    except BrokenPipeError:
        return rest[:0]


def stat(pid: int) -> list[str]:
    """Return the fields of a process after its name, none where it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return []
    return text[text.rfind(b")") + 1 :].decode("ascii", "replace").split()


def group(pid: int) -> int:
    """Return a live process's group, 0 where it is gone."""
    fields = stat(pid)
    return int(fields[_GROUP]) if fields and fields[0] not in "ZX" else 0


def kill_session(leader: int) -> None:
    """Kill every process of a session, its leader last.

    That one reaps what it has put into the instance.  Orphans there would be left to the first
    process of this host, and an instance cannot end before they are gone.
    """
    _kill(lambda pid: pid != leader and stat(pid)[_SESSION : _SESSION + 1] == [str(leader)])
    with contextlib.suppress(ProcessLookupError):
        pidfd = os.pidfd_open(leader)
        try:
            poller = select.poll()
            poller.register(pidfd, select.POLLIN)
            if not poller.poll(_REAP_SECONDS * 1000):
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        finally:
            os.close(pidfd)


def kill_space(space: str, spared: int) -> None:
    """Kill every process of a process namespace but one."""
    _kill(lambda pid: pid != spared and namespace(pid) == space)


def namespace(pid: int) -> str:
    """Return a process's process namespace, "" where it cannot be seen."""
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:
        return ""


def in_session(leader: int, inside: int) -> int:
    """Return the host's number of a session's process by its inner one, 0 where there is none."""
    for pid in _all():
        if stat(pid)[_SESSION : _SESSION + 1] == [str(leader)] and _inner(pid) == inside:
            return pid
    return 0


def _inner(pid: int) -> int:
    """Return what a process is called in its own namespace, 0 where it is gone."""
    with contextlib.suppress(OSError, StopIteration):
        text = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
        line = next(line for line in text.splitlines() if line.startswith("NSpid:"))
        return int(line.split()[-1])
    return 0


def _kill(chosen: Callable[[int], bool]) -> None:
    # A fork may slip between reading the list and the signal: stop all, then kill until none
    # is left.
    for number in (signal.SIGSTOP, *[signal.SIGKILL] * 20):
        found = False
        for pid in _all():
            if chosen(pid) and stat(pid)[:1] not in ([], ["Z"], ["X"]):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
                    found = True
        if not found:
            return


def _all() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]

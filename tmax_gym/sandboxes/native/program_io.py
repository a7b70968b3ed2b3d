"""Driving one program in a sandbox: feed it, keep its output to a cap, end it in time.

Covers what `Sandbox.exec` promises.  What a program's children write after its own end is
left unread.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Mapping

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import ExecResult
from tmax_gym.sandboxes.native import init

_CHUNK = 1 << 16
_RAISE = "Raise the limit of open files: ulimit -n"
_COLLECT_SECONDS = 2.0
"""For a first process to end after its descriptors have, and for its parent to see it."""
_KILL_SECONDS = 10.0
"""A killed program that has not ended by now hangs in the kernel."""


class Conversation:
    """The host's ends of one program: its report socket and three pipes."""

    def __init__(self, link: socket.socket, pipes: tuple[int, int, int], *, cap: int) -> None:
        self.link = link
        self.stdin, out, err = pipes
        self.cap = cap
        self.kept = {out: bytearray(), err: bytearray()}
        self.order = (out, err)
        self.open = {out, err}
        self.cut = False
        self.status: int | None = None
        self.refused = 0
        for fd in pipes:
            os.set_blocking(fd, False)
        link.setblocking(False)

    def run(self, data: bytes, timeout: float) -> ExecResult:
        """Talk until the program ends or its time is over.

        Raises:
            SandboxError: The sandbox ended first.
        """
        poller = select.poll()
        poller.register(self.link, select.POLLIN)
        for fd in self.open:
            poller.register(fd, select.POLLIN)
        rest = memoryview(data)
        if rest:
            poller.register(self.stdin, select.POLLOUT)
        else:
            self._end_input()
        deadline = time.monotonic() + timeout
        late = False
        while self.status is None and not self.refused:
            left = deadline - time.monotonic()
            if left <= 0:
                if late:
                    raise SandboxError("a killed program does not end: the host is stuck")
                late = True
                deadline = time.monotonic() + _KILL_SECONDS
                with contextlib.suppress(OSError):  # asks for its session to be killed
                    self.link.shutdown(socket.SHUT_WR)
                continue
            for fd, _ in poller.poll(left * 1000):
                if fd == self.link.fileno():
                    self._listen()
                elif fd == self.stdin:
                    rest = self._feed(rest)
                    if not rest:
                        poller.unregister(fd)
                        self._end_input()
                elif not self._drain(fd):
                    poller.unregister(fd)
        for fd in sorted(self.open):
            self._drain(fd, size=1 << 20)  # a pipe holds less: all that it wrote is in there
        return self._result(late)

    def close(self) -> None:
        """Close every descriptor."""
        self._end_input()
        for fd in self.order:
            os.close(fd)
        self.link.close()

    def _end_input(self) -> None:
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def _listen(self) -> None:
        try:
            packet = self.link.recv(64)
        except BlockingIOError:
            return
        except OSError:
            packet = b""
        if not packet:
            raise SandboxError("the sandbox ended while a program ran in it: open another")
        if packet[:1] == init.ENDED:
            self.status = struct.unpack("=i", packet[1:])[0]
        elif packet[:1] == init.FAILED:
            self.refused = struct.unpack("=i", packet[1:])[0]

    def _feed(self, rest: memoryview) -> memoryview:
        try:
            return rest[os.write(self.stdin, rest[:_CHUNK]) :]
        except BlockingIOError:
            return rest
        except BrokenPipeError:
            return rest[:0]

    def _drain(self, fd: int, size: int = _CHUNK) -> bool:
        """Read what is there; return False at the end."""
        try:
            data = os.read(fd, size)
        except BlockingIOError:
            return True
        if not data:
            self.open.discard(fd)
            return False
        kept = self.kept[fd]
        room = self.cap - len(kept)
        kept += data[:room]
        self.cut = self.cut or len(data) > room
        return True

    def _result(self, late: bool) -> ExecResult:
        out, err = (bytes(self.kept[fd]) for fd in self.order)
        if self.refused:  # the agent's processes fill the limit: a result, not an error
            err = b"no process could be started: " + os.strerror(self.refused).encode()
            return ExecResult(126, out, err)
        code = os.waitstatus_to_exitcode(self.status or 0)
        code = 128 - code if code < 0 else code
        return ExecResult(124 if late else code, out, err, late, self.cut)


def pipes() -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Return the host's ends of three pipes (input, output, errors), and the program's."""
    made: list[int] = []
    try:
        for _ in range(3):
            made += os.pipe2(os.O_CLOEXEC)
    except OSError as error:
        _close_all(made)
        raise SandboxError(f"no pipe to a program: {error}. {_RAISE}") from error
    return (made[1], made[2], made[4]), (made[0], made[3], made[5])


def pair() -> tuple[socket.socket, socket.socket]:
    """Return both ends of a connection that keeps packets apart."""
    try:
        return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    except OSError as error:
        raise SandboxError(f"no connection to a sandbox: {error}. {_RAISE}") from error


def receive(link: socket.socket, wanted: Mapping[bytes, int]) -> tuple[bytes, list[int]]:
    """Return one packet and the descriptors in it, as many as its first byte says.

    Raises:
        SandboxError: Some were lost, for this process may not hold more.
        OSError: The connection failed.
    """
    data, fds = init.receive(link)
    if len(fds) < wanted.get(data[:1], 0):
        _close_all(fds)
        raise SandboxError(f"descriptors of a sandbox were lost. {_RAISE}")
    return data, fds


def _close_all(fds: list[int]) -> None:
    for fd in fds:
        os.close(fd)


def await_end(link: socket.socket, deadline: float) -> None:
    """Wait until the first process closes a job's socket: its session is gone."""
    link.settimeout(max(0.0, deadline - time.monotonic()))
    while link.recv(64):
        pass


def is_alive(pidfd: int) -> bool:
    """Return whether the process behind a descriptor still runs."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return not poller.poll(0)


def gone(pidfd: int) -> bool:
    """Return whether a process that seems to end has ended, and was collected by its parent."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    # A first process closes its descriptors before it waits for all others to die.
    if not poller.poll(_COLLECT_SECONDS * 1000):
        return False
    deadline = time.monotonic() + _COLLECT_SECONDS
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            signal.pidfd_send_signal(pidfd, 0)
            time.sleep(0.001)
    return True


def kill(pidfd: int) -> bool:
    """Kill a process and wait for its end, and with it that of its pid namespace."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(_KILL_SECONDS * 1000))

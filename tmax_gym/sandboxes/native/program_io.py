"""The host's side of a native sandbox's processes: run one program, see and cause ends."""

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
from tmax_gym.sandboxes.program_pipes import FILES_REMEDY, ProgramPipes, close_all, exit_code

_COLLECT_SECONDS = 2.0
"""For a first process to end after its descriptors have, and for its parent to see it."""
_KILL_SECONDS = 10.0
"""A killed program that has not ended by now hangs in the kernel."""


class RunningProgram:
    """One program: the socket that reports its end, and its pipes."""

    def __init__(self, link: socket.socket, fds: tuple[int, int, int], *, cap: int) -> None:
        self._link = link
        self._pipes = ProgramPipes(fds, cap=cap)
        self._status = 0
        self._start_error = 0
        link.setblocking(False)

    def run(self, stdin: bytes, timeout: float) -> ExecResult:
        """Feed the program and read its output until it ends or its time is over.

        What its children write after its own end is left unread.

        Raises:
            SandboxError: The sandbox ended first.
        """
        late = not self._exchange(stdin, timeout)
        if late:
            with contextlib.suppress(OSError):  # asks for its session to be killed
                self._link.shutdown(socket.SHUT_WR)
            if not self._exchange(b"", _KILL_SECONDS):
                raise SandboxError("a killed program does not end: the host is stuck")
        self._pipes.drain()
        output = self._pipes.output
        if self._start_error:  # the agent's processes fill the limit: a result, not an error
            problem = b"no process could be started: " + os.strerror(self._start_error).encode()
            return ExecResult(126, output.stdout, problem)
        code = 124 if late else exit_code(os.waitstatus_to_exitcode(self._status))
        return ExecResult(code, output.stdout, output.stderr, late, output.truncated)

    def close(self) -> None:
        """Close every descriptor."""
        self._pipes.close()
        self._link.close()

    def _exchange(self, stdin: bytes, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        watched = self._link.fileno()
        return self._pipes.exchange(stdin, deadline, watched=watched, ended=self._has_ended)

    def _has_ended(self) -> bool:
        try:
            packet = self._link.recv(64)
        except BlockingIOError:
            return False
        except OSError:
            packet = b""
        if not packet:
            raise SandboxError("the sandbox ended while a program ran in it: open another")
        number = struct.unpack("=i", packet[1:])[0] if len(packet) > 1 else 0
        if packet[:1] == init.ENDED:
            self._status = number
        elif packet[:1] == init.FAILED:
            self._start_error = number
        return packet[:1] == init.ENDED or self._start_error != 0


def pair() -> tuple[socket.socket, socket.socket]:
    """Return both ends of a connection that keeps packets apart."""
    try:
        return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    except OSError as error:
        raise SandboxError(f"no connection to a sandbox: {error}. {FILES_REMEDY}") from error


def receive(link: socket.socket, wanted: Mapping[bytes, int]) -> tuple[bytes, list[int]]:
    """Return one packet and its descriptors; `wanted` says how many go with each first byte.

    Raises:
        SandboxError: Some were lost, as this process may not hold more.
        OSError: The connection failed.
    """
    data, fds = init.receive(link)
    if len(fds) < wanted.get(data[:1], 0):
        close_all(fds)
        raise SandboxError(f"descriptors of a sandbox were lost. {FILES_REMEDY}")
    return data, fds


def await_end(link: socket.socket, deadline: float) -> None:
    """Wait until the first process closes a job's socket: its session is gone."""
    link.settimeout(max(0.0, deadline - time.monotonic()))
    while link.recv(64):
        pass


def ends_within(pidfd: int, seconds: float) -> bool:
    """Return whether the process behind a descriptor ends within some seconds."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(seconds * 1000))


def is_alive(pidfd: int) -> bool:
    """Return whether the process behind a descriptor still runs."""
    return not ends_within(pidfd, 0)


def is_collected(pidfd: int) -> bool:
    """Return whether a process that seems to end has ended, and wait for its parent to see it."""
    # A first process closes its descriptors before it waits for all others to die.
    if not ends_within(pidfd, _COLLECT_SECONDS):
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
    return ends_within(pidfd, _KILL_SECONDS)

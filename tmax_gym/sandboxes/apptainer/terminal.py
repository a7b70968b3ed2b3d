"""A bash on a pseudo-terminal in an instance of Apptainer.

Covers the pair of ends on the instance's own devpts, the terminal's life and its signals.
Does not cover starting its client: the sandbox does.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import struct
import subprocess
import termios
import time

from tmax_gym.errors import ShellError
from tmax_gym.sandboxes.apptainer import command
from tmax_gym.sandboxes.apptainer import process as clients
from tmax_gym.sandboxes.shell_activity import Doing, Watch

_START_SECONDS = 30.0
"""A shell takes 0.05 s; beyond this the host is stuck."""
_ROWS, _COLUMNS = 24, 80
_TIOCSPTLCK, _TIOCGPTPEER = 0x40045431, 0x5441
"""asm-generic/ioctls.h: unlock the other side; open it without a path."""


def open_pair(pts: int) -> tuple[int, int]:
    """Return both ends of a new pseudo-terminal of the devpts behind a descriptor."""
    flags = os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC
    master = os.open("ptmx", flags | os.O_NOFOLLOW, dir_fd=pts)
    try:
        fcntl.ioctl(master, _TIOCSPTLCK, struct.pack("=i", 0))
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("=HHHH", _ROWS, _COLUMNS, 0, 0))
        return master, fcntl.ioctl(master, _TIOCGPTPEER, flags)
    except BaseException:
        os.close(master)
        raise


class ApptainerTerminal:
    """One bash on a pseudo-terminal of the instance's own devpts."""

    def __init__(self, fd: int, client: subprocess.Popen[bytes]) -> None:
        self.fd = fd
        self._client = client
        self._group = 0
        self._watch: Watch | None = None

    def await_shell(self) -> None:
        """Read the shell's number, with which it begins, and find it on this host.

        Raises:
            ShellError: It did not start.
        """
        line = bytearray()
        deadline = time.monotonic() + _START_SECONDS
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self.fd], [], [], max(0, deadline - time.monotonic()))
            with contextlib.suppress(OSError):  # the other side has closed
                if ready and (byte := os.read(self.fd, 1)):
                    line += byte
                    continue
            break
        word = bytes(line).strip()
        host = clients.in_session(self._client.pid, int(word)) if word.isdigit() else 0
        if not host:
            with contextlib.suppress(OSError):
                word += os.read(self.fd, 4096)
            raise ShellError(f"bash did not start: {command.explain(word)}")
        self._group = host

    def signal_foreground(self, signal: int) -> bool:
        """Send a signal to the foreground process group unless that is the shell itself."""
        if self.fd < 0:
            return False
        try:
            # Asked of the master's side, the kernel answers with numbers of this host.
            answer = fcntl.ioctl(self.fd, termios.TIOCGPGRP, b"\0\0\0\0")
            front = struct.unpack("=i", answer)[0]
            if front <= 1 or front in (self._group, self._client.pid):
                return False
            os.killpg(front, signal)
        except OSError:
            return False
        return True

    def alive(self) -> bool:
        """Return whether the shell process still runs."""
        return self.fd >= 0 and self._client.poll() is None and bool(clients.group(self._group))

    def doing(self) -> Doing:
        """Return what the shell process does, as far as this host's kernel shows it."""
        if self._watch is None:
            self._watch = Watch(self._group)
        return self._watch.doing()

    def close(self) -> None:
        """Kill the shell and what it left in its session, and close `fd`.  Idempotent."""
        if self.fd < 0:
            return
        clients.kill_session(self._client.pid)
        os.close(self.fd)  # not before: a hangup would take the client, which must reap the shell
        self.fd = -1
        if self._watch:
            self._watch.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._client.wait(_START_SECONDS)

"""A bash on a pseudo-terminal of a native sandbox, seen from the host."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import struct
import termios
import threading
import time

from tmax_gym.sandboxes.native import program_io
from tmax_gym.sandboxes.shell_activity import Activity, ActivityProbe

HANG_UP_SECONDS = 2.0
"""For a shell's session to be killed: 0.005 are usual."""
_TIOCGSID = 0x5429


class NativeTerminal:
    """One bash on a pseudo-terminal of the sandbox's own devpts."""

    def __init__(self, fd: int, link: socket.socket) -> None:
        self.fd = fd
        self._link = link
        self._lock = threading.Lock()
        self._probe: ActivityProbe | None = None

    def signal_foreground(self, signal: int) -> bool:
        """Send a signal to the foreground process group unless that is the shell itself."""
        with self._lock:
            if self.fd < 0:
                return False
            # On the master's side the kernel answers with process numbers of this host.
            group, leader = self._ask(termios.TIOCGPGRP), self._ask(_TIOCGSID)
            if group <= 1 or leader <= 1 or group == leader:
                return False
            try:
                os.killpg(group, signal)
            except (ProcessLookupError, PermissionError):
                return False
            return True

    def _ask(self, request: int) -> int:
        try:
            answer = fcntl.ioctl(self.fd, request, b"\0\0\0\0")
        except OSError:  # the other side has no terminal any more
            return 0
        return int(struct.unpack("=i", answer)[0])

    def alive(self) -> bool:
        """Return whether the shell process still runs."""
        with self._lock:
            if self.fd < 0:
                return False
            try:
                self._link.recv(64, socket.MSG_PEEK)
            except BlockingIOError:
                return True
            except OSError:
                return False
            return False  # its end was reported, or the sandbox has gone

    def activity(self) -> Activity:
        """Return what the shell process does, as far as this host's kernel shows it."""
        if self._probe is None:
            with self._lock:
                # The shell leads a session of its own, so the leader is the shell, or gone.
                self._probe = ActivityProbe(self._ask(_TIOCGSID) if self.fd >= 0 else 0)
        return self._probe.activity()

    def forget(self) -> None:
        """Drop the descriptors in a forked child; the shell goes on."""
        self._lock = threading.Lock()
        if self._probe:
            self._probe.close()
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
            self._link.close()

    def close(self) -> None:
        """Kill the shell and what it left in its session, and close `fd`."""
        with self._lock:
            if self.fd < 0:
                return
            os.close(self.fd)
            self.fd = -1
            if self._probe:
                self._probe.close()
            with contextlib.suppress(OSError):
                self._link.shutdown(socket.SHUT_WR)
                program_io.await_end(self._link, time.monotonic() + HANG_UP_SECONDS)
            self._link.close()

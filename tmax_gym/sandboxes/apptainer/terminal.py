"""A bash on a pseudo-terminal in an instance of Apptainer."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import subprocess
import termios

from tmax_gym.errors import ShellError
from tmax_gym.sandboxes.apptainer import command
from tmax_gym.sandboxes.apptainer import process as clients
from tmax_gym.sandboxes.host import processes
from tmax_gym.sandboxes.login import first_line
from tmax_gym.sandboxes.shell_activity import Activity, ActivityProbe

_START_SECONDS = 30.0
"""A shell takes 0.05 s; beyond this the host is stuck."""


class ApptainerTerminal:
    """One bash on a pseudo-terminal of the instance's own devpts."""

    def __init__(self, fd: int, client: subprocess.Popen[bytes]) -> None:
        self.fd = fd
        self._client = client
        self._group = 0
        self._probe: ActivityProbe | None = None

    def await_shell(self) -> None:
        """Read the pid that the shell prints first, and find it; raise `ShellError` if none."""
        answer = first_line(self.fd, seconds=_START_SECONDS)
        self._group = clients.in_session(self._client.pid, int(answer)) if answer.isdigit() else 0
        if not self._group:
            with contextlib.suppress(OSError):
                answer += os.read(self.fd, 4096)
            raise ShellError(f"bash did not start: {command.explain(answer)}")

    def signal_foreground(self, signal: int) -> bool:
        """Send a signal to the foreground process group unless that is the shell itself."""
        if self.fd < 0:
            return False
        try:
            # On the master's side the kernel answers with process numbers of this host.
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
        if self.fd < 0 or self._client.poll() is not None:
            return False
        return processes.is_running(self._group)

    def activity(self) -> Activity:
        """Return what the shell process does, as far as this host's kernel shows it."""
        if self._probe is None:
            self._probe = ActivityProbe(self._group)
        return self._probe.activity()

    def close(self) -> None:
        """Kill the shell and every process of its session, and close `fd`.  Idempotent."""
        if self.fd < 0:
            return
        clients.kill_session(self._client.pid)
        os.close(self.fd)  # not before: a hangup would take the client, which must reap the shell
        self.fd = -1
        if self._probe:
            self._probe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._client.wait(_START_SECONDS)

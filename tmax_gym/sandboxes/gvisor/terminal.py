"""A bash in a gVisor sandbox, on a pseudo-terminal of this host.

The terminal is the host's, so that its line discipline answers to ^C and ^Z; the client of `runsc`
that owns it passes signals on to the foreground inside.
Does not cover: what the shell does at a moment; the host's kernel does not see that.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal as signals
import struct
import subprocess
import termios
from collections.abc import Callable
from fcntl import ioctl

from tmax_gym.errors import ShellError
from tmax_gym.sandboxes.login import TERMINAL_SIZE, first_line
from tmax_gym.sandboxes.shell_activity import Activity

_START_SECONDS = 30.0
"""A shell takes 0.1 s; beyond this the host is stuck."""
_FATAL = signals.SIGSTKFLT
"""For SIGKILL, which a client cannot pass on: it ends programs, and none has a use for it."""
_END_SECONDS = 5.0
"""A client ends 0.01 s after its program."""


def open_pair() -> tuple[int, int]:
    """Return both ends of a terminal without echo and output processing."""
    master, slave = os.openpty()
    try:
        modes = termios.tcgetattr(slave)
        modes[1] &= ~termios.OPOST
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(slave, termios.TCSANOW, modes)
        ioctl(master, termios.TIOCSWINSZ, struct.pack("=4H", *TERMINAL_SIZE, 0, 0))
    except BaseException:
        os.close(master)
        os.close(slave)
        raise
    return master, slave


class GvisorTerminal:
    """One bash, and the client of `runsc` that runs it."""

    def __init__(
        self,
        fd: int,
        client: subprocess.Popen[bytes],
        *,
        has_jobs: Callable[[int], bool],
        end: Callable[[int], None],
    ) -> None:
        """Take over the host's end and the client.

        `has_jobs(shell)` tells whether there is a group besides the shell's, which may be in the
        foreground; `end(shell)` kills the session.
        """
        self.fd = fd
        self._client = client
        self._has_jobs = has_jobs
        self._end = end
        self._shell = 0

    def await_shell(self) -> None:
        """Read the number that the shell prints first; raise `ShellError` if there is none."""
        answer = first_line(self.fd, seconds=_START_SECONDS)
        if not answer.isdigit():
            with contextlib.suppress(OSError):
                while select.select([self.fd], [], [], 0.1)[0] and (rest := os.read(self.fd, 4096)):
                    answer += rest
            raise ShellError(f"bash did not start: {answer[-500:].decode(errors='replace')}")
        self._shell = int(answer)

    def signal_foreground(self, signal: int) -> bool:
        """Send a signal to the foreground process group unless that is the shell itself.

        A shell that is in the foreground with jobs in the background gets it, too: only gVisor
        knows which group is in the foreground.
        """
        if not self.alive() or not self._has_jobs(self._shell):
            return False
        self._client.send_signal(_FATAL if signal == signals.SIGKILL else signal)
        return True

    def alive(self) -> bool:
        """Return whether the shell process still runs."""
        return self.fd >= 0 and self._client.poll() is None

    def activity(self) -> Activity:
        """Return `UNKNOWN`: the host's kernel does not see processes of gVisor."""
        return Activity.UNKNOWN

    def close(self) -> None:
        """Kill the shell and every process of its session, and close `fd`.  Idempotent."""
        if self.fd < 0:
            return
        if self._shell:
            self._end(self._shell)
        os.close(self.fd)
        self.fd = -1
        try:
            self._client.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._client.kill()
            self._client.wait()

"""A bash on a terminal in a container, and the environment of what runs there.

Covers the terminal's life and its signals.  Does not cover starting it: the sandbox does.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Mapping

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import User
from tmax_gym.sandboxes.docker_init import Pid, Processes

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_HOMES: Mapping[User, str] = {"root": "/root", "nobody": "/tmp"}
# The wrapper tells the shell's number inside, and takes a directory that is gone for "/".
SHELL = (
    "/bin/bash",
    "--norc",
    "--noprofile",
    "-c",
    "unset HOSTNAME container; echo $$; { echo 500 >/proc/self/oom_score_adj; "
    'cd -- "$0" || cd /; } 2>/dev/null; unset OLDPWD; '
    "exec /bin/bash --norc --noprofile --noediting -i",
)
"""What `exec` runs for a terminal, with the directory as one more word."""


class DockerTerminal:
    """A bash behind the stream of an `exec` with a terminal."""

    def __init__(self, stream: socket.socket, shell: Pid, processes: Processes) -> None:
        stream.setblocking(True)
        self.fd = stream.fileno()
        self._stream = stream
        self._shell = shell
        self._processes = processes
        self._closed = False

    def signal_foreground(self, signal: int) -> bool:
        """Send a signal to the foreground process group unless that is the shell itself."""
        return not self._closed and self._processes.front(self._shell, signal)

    def alive(self) -> bool:
        """Return whether the shell process still runs."""
        if self._closed:
            return False
        try:
            return self._processes.alive(self._shell)
        except SandboxError:
            return False

    def close(self) -> None:
        """Kill the shell and what it left in its session, and close `fd`.  Idempotent."""
        if self._closed:
            return
        self._closed = True
        self._stream.close()
        with contextlib.suppress(SandboxError):
            self._processes.kill_session(self._shell)


def environment(user: User) -> dict[str, str]:
    """Return what a fresh login would have; a test holds it equal to the native backend's."""
    return {
        "PATH": PATH,
        "HOME": _HOMES[user],
        "USER": user,
        "LOGNAME": user,
        "SHELL": "/bin/bash",
        "TERM": "dumb",
        "LANG": "C.UTF-8",
    }


def first_line(stream: socket.socket) -> str:
    """Read one line and not a byte more."""
    line = bytearray()
    while not line.endswith(b"\n") and len(line) < 1000:
        byte = stream.recv(1)
        if not byte:
            break
        line += byte
    return line.decode(errors="replace").strip()

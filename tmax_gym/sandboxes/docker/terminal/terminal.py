"""A bash on a terminal in a container, and the command lines that start one."""

from __future__ import annotations

import contextlib
import select
import socket
from collections.abc import Sequence

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import quoting
from tmax_gym.sandboxes.docker.init import Init, Pid, Processes
from tmax_gym.sandboxes.docker.terminal.pty import Pty
from tmax_gym.sandboxes.login import BASH, INTERACTIVE_BASH, environment
from tmax_gym.sandboxes.shell_activity import Activity, ActivityProbe

_TO = "cd -- %s || cd /; } 2>/dev/null; unset OLDPWD; "
_EXEC = f"exec {' '.join(INTERACTIVE_BASH)}"
_CLEAN = "unset HOSTNAME container; "
_LAST = "{ echo 500 >/proc/self/oom_score_adj; "
WAITING = (
    *BASH,
    "-c",
    _CLEAN + r"""IFS= read -rsp "$$"$'\n' at; echo $$; """ + _LAST + _TO % '"$at"' + _EXEC,
)
"""The same as `shell_in` for a terminal whose directory is not known yet: it waits for a line with
the directory, and prints its pid a second time.  By the prompt the tty is silent already."""
_ENTER = 5.0
"""Seconds for a waiting shell to answer: 0.001 are usual."""
_LONGEST = 1000
"""Most characters of a directory; a line of a tty takes 4,095 bytes."""


class DockerTerminal:
    """A bash behind the stream of an `exec` with a terminal, or behind a terminal of the host's."""

    def __init__(self, stream: socket.socket | Pty, shell: Pid, processes: Processes) -> None:
        stream.setblocking(True)
        self.fd = stream.fileno()
        self._stream = stream
        self._shell = shell
        self._processes = processes
        self._closed = False
        self._probe: ActivityProbe | None = None

    def enter(self, cwd: str) -> bool:
        """Send a waiting shell (`WAITING`) to its directory; return whether it can go there."""
        if not cwd.isprintable() or len(cwd) > _LONGEST:
            return False  # a tty acts on control characters
        try:
            self._stream.settimeout(_ENTER)
            self._stream.sendall(cwd.encode() + b"\n")
            answer = first_line(self._stream)
            self._stream.setblocking(True)
        except OSError:
            return False
        return answer == str(self._shell.inside)

    def quiet(self) -> bool:
        """Return whether the stream is open and holds nothing unread."""
        poll = select.poll()  # `select` knows no descriptor beyond 1,024
        poll.register(self._stream, select.POLLIN)
        return not poll.poll(0)

    def drop(self) -> None:
        """Close `fd` alone: the shell ends with its container, or has ended.  Idempotent."""
        self._closed = True
        self._stream.close()
        if self._probe:
            self._probe.close()

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

    def activity(self) -> Activity:
        """Return what the shell process does, as far as this host's kernel shows it."""
        if self._probe is None:
            self._probe = ActivityProbe(self._shell.host)
        return self._probe.activity()

    def close(self) -> None:
        """Kill the shell and every process of its session, and close `fd`.  Idempotent."""
        if self._closed:
            return
        self.drop()
        with contextlib.suppress(SandboxError):
            self._processes.kill_session(self._shell)


DIRECT = "".join(f"export {n}={v}; " for n, v in environment("root").items()) + WAITING[-1]
"""The script of `WAITING` for a shell that process 1 starts without the engine."""


def shell_in(cwd: str) -> Sequence[str]:
    """Return the command of a terminal: it prints its pid, and goes to "/" if `cwd` is gone."""
    return (*BASH, "-c", _CLEAN + "echo $$; " + _LAST + _TO % quoting.quoted(cwd) + _EXEC)


def direct_terminal(init: Init, processes: Processes, main: int) -> DockerTerminal | None:
    """Return a waiting shell that process 1 starts: that saves the 45 ms of an engine's `exec`.

    `main` is the number of process 1 on this host.  None if that is not possible.
    """
    with contextlib.ExitStack() as failing, contextlib.suppress(OSError):
        pty = Pty(main)
        failing.callback(pty.close)
        pty.settimeout(_ENTER)
        if not init.ask("shell", str(pty.number)):
            return None
        line = first_line(pty)
        shell = processes.find(int(line)) if line.isdigit() else Pid(0)
        if shell.host:
            failing.pop_all()
            return DockerTerminal(pty, shell, processes)
    return None


def first_line(stream: socket.socket | Pty) -> str:
    """Read one line and not a byte more."""
    line = bytearray()
    while not line.endswith(b"\n") and len(line) < 1000:
        byte = stream.recv(1)
        if not byte:
            break
        line += byte
    return line.decode(errors="replace").strip()

"""The first process of a container, and signals to the others.

Process 1 is a bash of ours that was started before anything of the agent's.  Nothing inside can
kill it, it needs neither a fork nor a file to obey, it reaps orphans, and it ends when its input
does: when the process that owns the sandbox dies, the container ends.

Covers signals to a terminal's foreground, to groups and sessions, and the first files.  Where
this process is root beside the engine, signals go through the host's own /proc instead, which
nothing inside can answer for.  Does not cover the end of the container: the engine kills it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes.docker.terminal.frames import Frames

_SCRIPT = r"""
trap '' HUP INT QUIT TERM; exec 2>/dev/null; LC_ALL=C; waiting=$1
[[ -s /etc/hosts ]] || printf '%s\n' '127.0.0.1 localhost sandbox' \
  '::1 localhost ip6-localhost' >/etc/hosts
look() {
  local line=; IFS= read -r -d '' line <"/proc/$1/stat"; line=${line##*) }; set -f; set -- $line
  set +f; state=$1 group=$3 session=$4 front=$6
}
alive() { look "$1"; [[ $state != [ZX] && $state ]]; }
front() { look "$1"; [[ $front -gt 1 && $front != "$1" ]] && kill -"$2" -- "-$front"; }
session() {
  local turn at found; for turn in STOP 9 9 9 9 9; do
    found=; for at in /proc/[0-9]*; do
      look "${at#/proc/}"; [[ $session = "$1" && $state != [ZX] ]] && kill -$turn "${at#/proc/}" &&
        found=1
    done; [[ $found ]] || return 0
  done
}
room() { kill -9 -- -1; }
layer() { head -c "$1" | tar -xpf - -C / --numeric-owner; }
shell() (
  trap - HUP INT QUIT TERM; unset LC_ALL SHLVL OLDPWD
  exec setsid -f /bin/bash --norc --noprofile -c "exec <>/dev/pts/$1 >&0 2>&1; $waiting" \
    </dev/null >/dev/null
)
while IFS= read -r line; do
  set -f; set -- $line; set +f; token=$1; shift
  case "$1 $2$3" in
    : | ': ' | 'room ') ;;
    *' '*[!0-9]*) continue ;;
    'alive '* | 'front '* | 'session '* | 'layer '* | 'shell '*) ;;
    *) continue ;;
  esac
  "$@"; printf '%s %s\n' "$token" $?
done
exit 99
"""
# Root inside can write orders to it, by /proc/1/fd/0, and so none of those that it takes can make
# it end, nor name anything but numbers.  Status 99: the host's end went away.
COMMAND = ("/bin/bash", "--norc", "--noprofile", "-c", _SCRIPT, "-")
"""What a container runs, with what a shell does before it is asked for as one more word."""
_PATIENCE = 5.0
"""Seconds for process 1 to answer: 0.0005 are usual, 0.8 with 256 busy processes on one CPU."""

_EXITING = 4
"""PF_EXITING of linux/sched.h: a first process waits for the others to die before it is gone."""


class Init:
    """Process 1, by the stream to its input and output."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._frames = Frames()
        self._lock = threading.Lock()

    def ask(self, *words: str, data: bytes = b"", patience: float = _PATIENCE) -> bool:
        """Have it run a function; return whether that succeeded.

        Raises:
            SandboxError: No answer in time.
        """
        token = secrets.token_hex(8)
        with self._lock:
            deadline = time.monotonic() + patience
            try:
                self._connection.settimeout(patience)
                self._connection.sendall(f"{token} {' '.join(words)}\n".encode() + data)
                answer = self._answer(token.encode(), deadline)
            except OSError as error:
                raise SandboxError(f"process 1 did not answer {words[0]!r}: {error!r}") from error
        return answer == b"0"

    def _answer(self, token: bytes, deadline: float) -> bytes:
        seen = b""
        while (left := deadline - time.monotonic()) > 0:
            self._connection.settimeout(left)
            data = self._connection.recv(4096)
            if not data:
                raise ConnectionResetError("its output ended")
            for _, piece in self._frames.feed(data):
                seen = (seen + piece)[-8192:]
            # Lines that are not the answer came late, or from the agent.
            for line in seen.split(b"\n")[:-1]:
                if line.startswith(token + b" "):
                    return line[len(token) + 1 :]
        raise TimeoutError("no answer in time")

    def close(self) -> None:
        """End its input, and so process 1."""
        self._connection.close()


@dataclass(frozen=True, slots=True)
class Pid:
    """One process by its two numbers."""

    inside: int
    host: int = 0
    """0 where the host's processes cannot be seen."""
    started: str = ""
    """When, in clock ticks: tells a process from a later one with the same number."""


class Processes:
    """Signals to the processes of one container."""

    def __init__(self, init: Init, main: int) -> None:
        """`main` is the number that the engine has for process 1."""
        self._init = init
        self._cgroup = _cgroup(main)

    @property
    def on_host(self) -> bool:
        """Whether signals go through the host's /proc."""
        return self._cgroup is not None

    def front(self, shell: Pid, number: int) -> bool:
        """Signal the foreground group of a shell's terminal; False if that is the shell."""
        if not self._cgroup or not shell.host:
            return self._init.ask("front", str(shell.inside), str(number))
        group = _stat(shell.host)[5:6]
        if not group or group[0] == str(shell.host):
            return False
        return self._signal(2, group[0], number)

    def kill_session(self, leader: Pid) -> None:
        """SIGKILL everything in a session."""
        if self._cgroup and leader.host:
            self._sweep(3, str(leader.host))
        else:
            self._init.ask("session", str(leader.inside))

    def find(self, inside: int) -> Pid:
        """Return the process of the container that has this number inside."""
        for pid in _members(self._cgroup):
            if (found := locate(pid, inside)).host:
                return found
        return Pid(inside)

    def kill_all(self) -> None:
        """SIGKILL everything but process 1."""
        self._init.ask("room")

    def alive(self, process: Pid) -> bool:
        """Return whether it runs."""
        if not process.host:
            return self._init.ask("alive", str(process.inside))
        now = _stat(process.host)
        exiting = bool(now) and int(now[6]) & _EXITING
        return bool(now) and now[0] not in "ZX" and not exiting and now[19] == process.started

    def _sweep(self, column: int, value: str) -> None:
        # A fork may slip between reading the list and the signal: stop all, then kill until
        # none is left.
        for number in (signal.SIGSTOP, *[signal.SIGKILL] * 20):
            if not self._signal(column, value, number):
                return

    def _signal(self, column: int, value: str, number: int) -> bool:
        """Signal every live process of the container with `value` in a column of its stat."""
        found = False
        for pid in _members(self._cgroup):
            fields = _stat(pid)
            if fields and fields[0] not in "ZX" and fields[column] == value:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
                    found = True
        return found


def locate(host: int, inside: int = 0) -> Pid:
    """Return a process that the engine knows as `host`; its inner number is read if unknown."""
    try:
        status = Path(f"/proc/{host}/status").read_text(encoding="ascii", errors="replace")
        spaces = next(line for line in status.splitlines() if line.startswith("NSpid:")).split()
    except (OSError, StopIteration):
        return Pid(inside)
    seen = int(spaces[-1])
    fields = _stat(host)
    if len(spaces) < 3 or (inside and seen != inside) or not fields:
        return Pid(inside)  # another machine's number
    return Pid(seen, host, fields[19])


def _stat(pid: int) -> list[str]:
    """Return the fields after the name: state, parent, group, session, tty, foreground, ..."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return []
    return text[text.rfind(b")") + 1 :].decode("ascii", "replace").split()


def _members(cgroup: Path | None) -> list[int]:
    try:
        return [int(pid) for pid in cgroup.read_text().split()] if cgroup else []
    except OSError:
        return []


def _cgroup(main: int) -> Path | None:
    """Return the list of a container's processes, if this process is root beside them."""
    if os.geteuid() != 0 or main <= 1:
        return None
    try:
        lines = Path(f"/proc/{main}/cgroup").read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeError):
        return None
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers not in ("", "pids") or ".." in path:
            continue
        root = Path("/sys/fs/cgroup") / controllers
        file = root / path.lstrip("/") / "cgroup.procs"
        # The number itself must be in the list: otherwise it belongs to another machine.
        if path != "/" and main in _members(file):
            return file
    return None

"""The first process of a container, and signals to its other processes.

Process 1 is a bash of ours that starts before any program of the agent.  Nothing inside can kill
it, it needs neither a fork nor a file to answer, it reaps orphans, and it ends when its input
does: when the process that owns the sandbox dies, the container ends.

It sends signals to a terminal's foreground, to groups and sessions, and unpacks the first files.
If this process is root on the engine's machine, signals go through the host's own /proc instead,
which nothing inside can forge.  To end a container is left to the engine.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes.docker.terminal.frames import Frames
from tmax_gym.sandboxes.host import processes
from tmax_gym.sandboxes.login import BASH

SCRIPT = r"""
trap '' HUP INT QUIT TERM; exec 2>/dev/null; LC_ALL=C; waiting=$1
[[ -s /etc/hosts ]] || printf '%s\n' '127.0.0.1 localhost sandbox' \
  '::1 localhost ip6-localhost' >/etc/hosts
look() {
  local line=; IFS= read -r -d '' line <"/proc/$1/stat"; line=${line##*) }; set -f; set -- $line
  set +f; state=$1 group=$3 session=$4 front=$6 threads=${18}
}
runs() { [[ $state != [ZX] || $threads -gt 1 ]]; }
alive() { look "$1"; [[ $state ]] && runs; }
front() { look "$1"; [[ $front -gt 1 && $front != "$1" ]] && kill -"$2" -- "-$front"; }
session() {
  local turn at found; for turn in STOP 9 9 9 9 9; do
    found=; for at in /proc/[0-9]*; do
      look "${at#/proc/}"; [[ $session = "$1" ]] && runs && kill -$turn "${at#/proc/}" && found=1
    done; [[ $found ]] || return 0
  done
}
groups() {
  local at; for at in /proc/[0-9]*; do
    look "${at#/proc/}"; [[ $session = "$1" && $group != "$1" ]] && runs && return; done; return 1
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
    'alive '* | 'front '* | 'groups '* | 'session '* | 'layer '* | 'shell '*) ;;
    *) continue ;;
  esac
  "$@"; printf '%s %s\n' "$token" $?
done
exit 99
"""
# It exits with 99 if the host's end of its input is gone.  Root inside can write requests to it, by
# /proc/1/fd/0: so no request can make it end, nor have arguments other than numbers.
COMMAND = (*BASH, "-c", SCRIPT, "-")
"""The command of a container; one more argument is the script of a waiting shell."""
_PATIENCE = 5.0
"""Seconds for process 1 to answer: 0.0005 are usual, 0.8 with 256 busy processes on one CPU."""
_EXITING = 4
"""PF_EXITING of linux/sched.h: a first process waits for the others to die before it is gone."""


class Connection(Protocol):
    """The part of a socket that `Init` uses."""

    def settimeout(self, seconds: float | None, /) -> None:
        """Wait for this long at most."""

    def sendall(self, data: bytes, /) -> None:
        """Write all of this."""

    def recv(self, size: int, /) -> bytes:
        """Read up to that many bytes."""

    def close(self) -> None:
        """End it."""


class Init:
    """Process 1, behind the stream to its input and output."""

    def __init__(self, connection: Connection, frames: Frames | None = None) -> None:
        """Take the stream to process 1, and what splits its answers: an engine's frames."""
        self._connection = connection
        self._frames = frames or Frames()
        self._lock = threading.Lock()

    def ask(self, *words: str, data: bytes = b"", patience: float = _PATIENCE) -> bool:
        """Run a function of its script; return its success; raise `SandboxError` if it is late."""
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
            # Other lines are late answers, or the agent's.
            for line in seen.split(b"\n")[:-1]:
                if line.startswith(token + b" "):
                    return line[len(token) + 1 :]
        raise TimeoutError("no answer in time")

    def close(self) -> None:
        """End its input, and so process 1."""
        self._connection.close()


@dataclass(frozen=True, slots=True)
class Pid:
    """One process, by its number inside and on the host."""

    inside: int
    host: int = 0
    """0 if the host's processes cannot be seen."""
    started: str = ""
    """Start time in clock ticks, which a later process with the same number does not share."""


class Processes:
    """Signals to the processes of one container."""

    def __init__(self, init: Init, main: int) -> None:
        """Take process 1, which the engine knows by the number `main`."""
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
        fields = processes.stat(shell.host)
        if not fields or fields[processes.FOREGROUND] == str(shell.host):
            return False
        members = self._members(processes.GROUP, fields[processes.FOREGROUND])
        return processes.signal_running(members, number)

    def kill_session(self, leader: Pid) -> None:
        """SIGKILL everything in a session."""
        if self._cgroup and leader.host:
            host = str(leader.host)
            processes.kill_until_gone(lambda: self._members(processes.SESSION, host))
        else:
            self._init.ask("session", str(leader.inside))

    def find(self, inside: int) -> Pid:
        """Return the process of the container that has this number inside."""
        for pid in _listed(self._cgroup):
            if (process := locate(pid, inside)).host:
                return process
        return Pid(inside)

    def kill_all(self) -> None:
        """SIGKILL everything but process 1."""
        self._init.ask("room")

    def alive(self, process: Pid) -> bool:
        """Return whether it runs."""
        if not process.host:
            return self._init.ask("alive", str(process.inside))
        now = processes.stat(process.host)
        if not now or now[processes.STATE] in "ZX" or int(now[processes.FLAGS]) & _EXITING:
            return False
        return now[processes.STARTED] == process.started

    def _members(self, field: int, value: str) -> list[int]:
        """Return the processes of the container with a value in a field of their stat."""
        return [pid for pid in _listed(self._cgroup)
                if processes.stat(pid)[field : field + 1] == [value]]  # fmt: skip


def locate(host: int, inside: int = 0) -> Pid:
    """Return a process that the engine knows as `host`; its number inside is read if unknown."""
    numbers = processes.namespace_pids(host)
    started = processes.start_time(host)
    if len(numbers) < 2 or (inside and numbers[-1] != inside) or not started:
        return Pid(inside)  # another machine's number
    return Pid(numbers[-1], host, started)


def _listed(cgroup: Path | None) -> list[int]:
    try:
        return [int(pid) for pid in cgroup.read_text().split()] if cgroup else []
    except OSError:
        return []


def _cgroup(main: int) -> Path | None:
    """Return the file that lists a container's processes, if this process is root beside them."""
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
        if path != "/" and main in _listed(file):
            return file
    return None

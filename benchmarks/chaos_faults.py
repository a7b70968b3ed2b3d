"""Cause faults of one sandbox from this host: kills, pauses, a tenth of the CPU, a full disk.

A process is signalled by a descriptor that was opened before its process namespace was compared
with the sandbox's, never by its id, which may belong to another process by now.
Covers `native`, `docker` and `podman` if their processes run on this host.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from tmax_gym.errors import TmaxError
from tmax_gym.rng import Rng
from tmax_gym.sandboxes import Backend, Layer, Limits, Sandbox

PAUSE_SECONDS = 1.5
SLOW_SECONDS = 4.0
SLOW_SHARE = 10
"""A slow sandbox has one tenth of its CPU time."""
_FILL = "head -c 4G /dev/zero > /var/tmp/.fill; head -c 1M /dev/zero > /app/.fill"


class Watched:
    """A real backend for one episode that remembers the newest sandbox."""

    def __init__(self, inner: Backend) -> None:
        self.name = inner.name
        self.newest: Sandbox | None = None
        """The agent's sandbox, or the verifier's."""
        self._inner = inner

    def problem(self) -> str | None:
        """Return the real backend's answer."""
        return self._inner.problem()

    def capabilities(self) -> frozenset[str]:
        """Return the real backend's answer."""
        return self._inner.capabilities()

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> Sandbox:
        """Open a sandbox."""
        self.newest = self._inner.open(image, limits=limits, layer=layer)
        return self.newest


def strike(kind: str, sandbox: Sandbox, rng: Rng, *, where: str) -> str:
    """Cause a fault of this kind in a sandbox; return what was hit, "" if there was nothing.

    In the verifier's sandbox only its own processes are hit: a program under test might as well
    have killed itself, or filled its disk.
    """
    if kind == "disk":
        if where != "agent":
            return ""
        try:
            done = sandbox.exec(["bash", "-c", _FILL], timeout=20)
        except (TmaxError, OSError):
            return ""
        return "filled" if done.exit_code else ""
    main = first_process(sandbox)
    with contextlib.ExitStack() as held:
        members = dict(_members(main, held))
        if main not in members:
            return ""
        if kind == "machine":
            return _kill(main, members)
        if kind == "pause":
            return _pause(main, members)
        if kind == "slow":
            return _slow(main)
        ours = {pid for pid in members if where == "agent" or os.stat(f"/proc/{pid}").st_uid == 0}
        return _kill(_victim(kind, main, members.keys() & ours, rng), members)


def first_process(sandbox: Sandbox) -> int:
    """Return the process id, on this host, of a sandbox's process 1; 0 if it has ended."""
    pidfd = getattr(sandbox, "_pidfd", None)
    if pidfd is None:
        main = sandbox._main  # type: ignore[attr-defined]
        return int(main.host) if sandbox._processes.alive(main) else 0  # type: ignore[attr-defined]
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines():
            if line.startswith("Pid:"):
                return max(0, int(line.split()[1]))
    return 0


def _members(main: int, held: contextlib.ExitStack) -> Iterator[tuple[int, int]]:
    """Yield (id, descriptor) of every process in the process namespace of `main`."""
    namespace = _namespace(main)
    if not namespace or namespace == _namespace(os.getpid()):
        return
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            fd = os.pidfd_open(int(name))
        except OSError:
            continue
        held.callback(os.close, fd)
        if _namespace(int(name)) == namespace:
            yield int(name), fd


def _namespace(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}/ns/pid").st_ino if pid else 0
    except OSError:
        return 0


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _victim(kind: str, main: int, members: set[int], rng: Rng) -> int:
    """Return the shell, or any other process except process 1."""
    shells = [pid for pid in members if b"--noediting" in _words(pid) and pid != main]
    leaders = [pid for pid in shells if os.getsid(pid) == pid] if kind == "shell" else []
    others = members - {main} - set(shells)
    choice = leaders if kind == "shell" else others
    return rng.choice(sorted(choice)) if choice else 0


def _kill(pid: int, members: dict[int, int]) -> str:
    if not pid:
        return ""
    name = _words(pid).replace(b"\0", b" ").decode(errors="replace")[:40]
    try:
        signal.pidfd_send_signal(members[pid], signal.SIGKILL)
    except ProcessLookupError:
        return ""
    return f"killed {pid} {name}"


def _pause(main: int, members: dict[int, int]) -> str:
    # The shell and process 1 continue last: they must not see the others as stopped jobs.
    shells = [pid for pid in members if b"--noediting" in _words(pid) and pid != main]
    order = [pid for pid in sorted(members, reverse=True) if pid not in (*shells, main)]
    order += [*sorted(shells, reverse=True), main]
    for number, pids in ((signal.SIGSTOP, order[::-1]), (signal.SIGCONT, order)):
        for pid in pids:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(members[pid], number)
        if number == signal.SIGSTOP:
            time.sleep(PAUSE_SECONDS)
    return f"stopped {len(order)} for {PAUSE_SECONDS} s"


def _slow(main: int) -> str:
    file, before, quota, after = _cpu_quota(main)
    if not file:
        return ""
    try:
        file.write_text(quota)
        time.sleep(SLOW_SECONDS)
        file.write_text(after)
    except OSError:  # the sandbox has ended meanwhile
        return "slowed until its end" if before else ""
    return f"a tenth of the CPU for {SLOW_SECONDS} s"


def _cpu_quota(main: int) -> tuple[Path | None, str, str, str]:
    """Return the file of a CPU quota, its content, a tenth of it, and what restores it."""
    try:
        lines = Path(f"/proc/{main}/cgroup").read_text().splitlines()
        for line in lines:
            _, names, path = line.split(":", 2)
            version1 = Path("/sys/fs/cgroup/cpu", path.lstrip("/"), "cpu.cfs_quota_us")
            version2 = Path("/sys/fs/cgroup", path.lstrip("/"), "cpu.max")
            if "cpu" in names.split(",") and path != "/" and version1.exists():
                before = version1.read_text().strip()
                return version1, before, str(max(1000, int(before) // SLOW_SHARE)), before
            if names == "" and path != "/" and version2.exists():
                before = version2.read_text().strip()
                quota, period = before.split()
                whole = int(period) if quota == "max" else int(quota)
                return version2, before, f"{max(1000, whole // SLOW_SHARE)} {period}", before
    except (OSError, ValueError):
        pass
    return None, "", "", ""

"""Prepare the host of a chaos run, cause faults of disks and processes, and list leftovers.

The supervisor has a mount namespace of its own, with a small disk for the cache and a small
/dev/shm, so that both can be filled and frozen.  Orphans of its children become its children.
Leftovers are listed from /proc and /sys alone, without the library's code.  Needs root.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from pathlib import Path

CACHE_BYTES = 192 << 20
SHM_BYTES = 320 << 20
"""Above the 256 MiB that must be free for layers to lie in memory (`native/layers.py`)."""
_CLONE_NEWNS, _MS_REC, _MS_PRIVATE = 0x00020000, 16384, 1 << 18
_PR_SET_CHILD_SUBREAPER = 36
_FILL_CHUNK = 4 << 20


class Disk:
    """A small ext4 file system in a file, which can be filled and frozen."""

    def __init__(self, place: Path, size: int) -> None:
        """Create and mount it."""
        self.place = place
        self.image = place.with_suffix(".img")
        with open(self.image, "wb") as file:
            file.truncate(size)
        place.mkdir()
        _call("mkfs.ext4", "-q", "-F", "-m", "0", str(self.image))
        _call("mount", "-o", "loop", str(self.image), str(place))

    def frozen(self, seconds: float) -> str:
        """Block all writes for a while."""
        _then("fsfreeze -f $0 && sleep $1; fsfreeze -u $0", self.place, seconds)
        return f"frozen for {seconds} s"

    def close(self) -> str:
        """Unmount it; return the reason if that fails."""
        ended = subprocess.run(["umount", str(self.place)], capture_output=True, text=True)
        if ended.returncode:
            subprocess.run(["umount", "-l", str(self.place)], check=False)
        self.image.unlink()
        return ended.stderr.strip()


def full(places: list[Path], seconds: float) -> str:
    """Fill file systems to the last block for a while."""
    files = [place / ".filler" for place in places]
    try:
        for file in files:
            with open(file, "wb") as target:
                size, chunk = 0, _FILL_CHUNK
                while chunk >= 4096:
                    try:
                        os.posix_fallocate(target.fileno(), size, chunk)
                        size += chunk
                    except OSError:
                        chunk //= 2
        time.sleep(seconds)
    finally:
        for file in files:
            file.unlink(missing_ok=True)
    return f"full for {seconds} s"


def isolate(shm: int = SHM_BYTES) -> None:
    """Give this process its own mounts and a small /dev/shm, and let it adopt orphans."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNS) or libc.mount(b"", b"/", None, _MS_REC | _MS_PRIVATE, None):
        error = ctypes.get_errno()
        raise OSError(error, f"no mount namespace: {os.strerror(error)}; run as root")
    adopt_orphans()
    _call("mount", "-t", "tmpfs", "-o", f"size={shm},mode=1777", "tmpfs", "/dev/shm")


def adopt_orphans() -> None:
    """Let the orphans of this process's children become its children."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def stopped(pid: int, seconds: float) -> str:
    """Stop a process for a while."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return ""
    _then("kill -STOP $0 && sleep $1; kill -CONT $0", pid, seconds)
    return f"stopped {pid} for {seconds} s"


def killed(pids: list[int]) -> str:
    """Kill processes; return which of them existed."""
    existing = []
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            existing.append(pid)
    return f"killed {existing}" if existing else ""


def descendants(root: int) -> dict[int, str]:
    """Return all processes below one, without zombies, with their command lines."""
    parents: dict[int, int] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            # In bytes, because a process may have any name.
            fields = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()
            if fields[0] not in (b"Z", b"X"):
                parents[int(name)] = int(fields[1])
    tree = {root}
    while more := {pid for pid, parent in parents.items() if parent in tree} - tree:
        tree |= more
    return {pid: _command(pid) for pid in sorted(tree - {root})}


def reap(known: set[int]) -> None:
    """Collect children that have ended, until one is `known`: its own object waits for it."""
    with contextlib.suppress(ChildProcessError):
        while True:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None or ended.si_pid in known:
                return
            os.waitpid(ended.si_pid, 0)


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
        return words.decode(errors="replace")[:80]
    return ""


def cgroups(players: set[int]) -> list[str]:
    """Return the control groups whose name has the label of one of these processes."""
    marks = tuple(f"tmax-{player}-" for player in players)
    return sorted(
        os.path.join(above, name)
        for above, names, _ in os.walk("/sys/fs/cgroup")
        for name in names
        if marks and name.startswith(marks)
    )


def mounts() -> list[str]:
    """Return the mount points of this process's namespace."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return sorted(line.split()[4] for line in lines)


def files(*places: Path) -> list[str]:
    """Return the entries of these directories."""
    return sorted(str(path) for place in places if place.is_dir() for path in place.iterdir())


def _then(script: str, what: object, seconds: float) -> None:
    """Run a script that undoes its effect, in a process that outlives this one."""
    words = ["sh", "-c", script, str(what), str(seconds)]
    subprocess.run(words, capture_output=True, start_new_session=True, check=False)


def _call(*words: str) -> None:
    ended = subprocess.run(words, capture_output=True, text=True)
    if ended.returncode:
        raise OSError(f"{' '.join(words)} failed: {ended.stderr.strip()}")

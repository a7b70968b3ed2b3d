"""Control groups, version 1 and 2: finds the directories in which a sandbox's limits are set.

For each controller that is a directory below this process's own group to which it may write.
Systemd is not asked for one: `systemd-run --user -p Delegate=yes` does that.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tmax_gym.sandboxes import Limits
from tmax_gym.sandboxes.host import cleanup

CONTROLLERS = ("memory", "pids", "cpu")
Group = tuple[str, list[tuple[str, str]], bool]
"""A directory to make and join, what to write into it first, and whether it is of version 2."""
_CPU_PERIOD = 100_000
"""Microseconds; the kernel's default."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where this process may make groups."""

    parents: dict[str, Path]
    """Version 1: by controller.  Version 2: the same directory for each."""
    unified: bool

    @property
    def controllers(self) -> frozenset[str]:
        """Return what can be limited here."""
        return frozenset(self.parents)

    def directories(self) -> list[Path]:
        """Return the distinct parent directories."""
        return sorted(set(self.parents.values()))

    def prepare(self, label: str) -> None:
        """Make this process's own directory in each hierarchy."""
        for parent in self.directories():
            own = parent / label
            own.mkdir(exist_ok=True)
            if self.unified:
                _enable(own, self.controllers)

    def groups(self, path: str, limits: Limits) -> list[Group]:
        """Return the groups of one sandbox, `path` being label and number."""
        merged: dict[str, list[tuple[str, str]]] = {}
        for controller, parent in self.parents.items():
            merged.setdefault(str(parent / path), []).extend(self._settings(controller, limits))
        return [(path, settings, self.unified) for path, settings in sorted(merged.items())]

    def _settings(self, controller: str, limits: Limits) -> list[tuple[str, str]]:
        quota = str(max(1000, int(limits.cpus * _CPU_PERIOD)))
        if controller == "pids":
            return [("pids.max", str(limits.pids))]
        if self.unified:
            if controller == "cpu":
                return [("cpu.max", f"{quota} {_CPU_PERIOD}")]
            memory, swap = ("memory.max", str(limits.memory)), ("memory.swap.max", "0")
            return [memory, swap] if self._counts_swap() else [memory]
        if controller == "cpu":
            return [("cpu.cfs_quota_us", quota)]
        memory = ("memory.limit_in_bytes", str(limits.memory))
        swap = ("memory.memsw.limit_in_bytes", str(limits.memory))
        return [memory, swap] if self._counts_swap() else [memory]

    def _counts_swap(self) -> bool:
        file = "memory.swap.max" if self.unified else "memory.memsw.limit_in_bytes"
        parent = self.parents["memory"]
        return (parent / file).exists() or any(parent.glob(f"{cleanup.PREFIX}*/{file}"))


def disk_bytes(limits: Limits) -> int:
    """Return the size of a disk that lies in memory: a full one must leave memory to work with."""
    if "memory" not in layout().controllers:
        return limits.disk
    return min(limits.disk, limits.memory * 3 // 4)


@cache
def layout() -> Layout:
    """Return what this process can use, found by trying."""
    own = _own_groups()
    parents = {name: own[name][0] for name in CONTROLLERS
               if name in own and _is_writable(own[name][0], name)}  # fmt: skip
    if not parents and "" in own:
        return _unified(*own[""])
    return Layout(parents, unified=False)


def _own_groups() -> dict[str, tuple[Path, Path]]:
    """Return (own group, mount point) by controller; version 2 under the empty name."""
    mounts: dict[str, tuple[str, str]] = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        root, point = before.split()[3:5]
        if kind == "cgroup2":
            mounts[""] = (root, point)
        elif kind == "cgroup":
            for name in options.split(","):
                mounts.setdefault(name, (root, point))
    groups = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        for name in names.split(","):
            if name in mounts:
                root, point = mounts[name]
                inside = os.path.relpath(path, root) if root != "/" else path.lstrip("/")
                inside = "" if inside.startswith("..") else inside
                groups[name] = (Path(point, inside), Path(point))
    return groups


def _is_writable(own: Path, controller: str) -> bool:
    """Return whether a child of a group can be made, and has this controller."""
    probe = own / f"{cleanup.label()}-probe"
    try:
        probe.mkdir()
    except OSError:
        return False
    try:
        return any(probe.glob(f"{controller}.*"))
    finally:
        probe.rmdir()


def _unified(own: Path, top: Path) -> Layout:
    """Look from the own group upwards: a group with processes cannot pass controllers on."""
    for candidate in (own, *own.parents):
        probe = candidate / f"{cleanup.label()}-probe"
        with contextlib.suppress(OSError):
            if _populated(candidate):
                # It could pass on pids and cpu only, to groups that may hold no process.
                raise BlockingIOError
            _enable(candidate, frozenset(CONTROLLERS))
            probe.mkdir()
            try:
                have = [name for name in CONTROLLERS if any(probe.glob(f"{name}.max"))]
                movable = os.access(candidate / "cgroup.procs", os.W_OK)
            finally:
                probe.rmdir()
            if have and movable:
                return Layout(dict.fromkeys(have, candidate), unified=True)
        if candidate == top:
            break
    return Layout({}, unified=True)


def _populated(group: Path) -> bool:
    """Return whether a group holds processes; the topmost one, which has no type, may do so."""
    typed = (group / "cgroup.type").exists()
    return typed and bool((group / "cgroup.procs").read_text().strip())


def _enable(group: Path, controllers: frozenset[str]) -> None:
    for controller in sorted(controllers):
        with contextlib.suppress(OSError):  # absent, or the group holds processes
            (group / "cgroup.subtree_control").write_text(f"+{controller}")

"""Control groups, version 1 and 2: where a sandbox's limits are written.

Covers finding, per controller, a directory below this process's own group that it may write
to.  Does not cover asking systemd for one: `systemd-run --user -p Delegate=yes` does that.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tmax_gym.sandboxes import Limits, cleanup

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
            found = [("memory.max", str(limits.memory))]
            return found + ([("memory.swap.max", "0")] if self._counts_swap() else [])
        if controller == "cpu":
            return [("cpu.cfs_quota_us", quota)]
        found = [("memory.limit_in_bytes", str(limits.memory))]
        swap = ("memory.memsw.limit_in_bytes", str(limits.memory))
        return found + ([swap] if self._counts_swap() else [])

    def _counts_swap(self) -> bool:
        file = "memory.swap.max" if self.unified else "memory.memsw.limit_in_bytes"
        parent = self.parents["memory"]
        return (parent / file).exists() or any(parent.glob(f"{cleanup.PREFIX}*/{file}"))


@cache
def layout() -> Layout:
    """Return what this process can use, found by trying."""
    own = _own_groups()
    parents = {}
    for controller in CONTROLLERS:
        place = own.get(controller)
        if place and (found := _writable(place, controller)):
            parents[controller] = found
    if parents:
        return Layout(parents, unified=False)
    if place := own.get(""):
        return _unified(place)
    return Layout({}, unified=False)


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
    found = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        for name in names.split(","):
            if name in mounts:
                root, point = mounts[name]
                inside = os.path.relpath(path, root) if root != "/" else path.lstrip("/")
                inside = "" if inside.startswith("..") else inside
                found[name] = (Path(point, inside), Path(point))
    return found


def _writable(place: tuple[Path, Path], controller: str) -> Path | None:
    """Return the own group where a child of it can be made and has this controller."""
    own, _ = place
    probe = own / f"{cleanup.label()}-probe"
    try:
        probe.mkdir()
    except OSError:
        return None
    try:
        return own if any(probe.glob(f"{controller}.*")) else None
    finally:
        probe.rmdir()


def _unified(place: tuple[Path, Path]) -> Layout:
    """Look from the own group upwards: a group with processes cannot pass controllers on."""
    own, top = place
    for candidate in (own, *own.parents):
        probe = candidate / f"{cleanup.label()}-probe"
        with contextlib.suppress(OSError):
            if _populated(candidate):
                # It could pass on pids and cpu alone, to groups that may hold no process.
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
    """Return whether a group holds processes; the root of all, which has no type, may."""
    typed = (group / "cgroup.type").exists()
    return typed and bool((group / "cgroup.procs").read_text().strip())


def _enable(group: Path, controllers: frozenset[str]) -> None:
    for controller in sorted(controllers):
        with contextlib.suppress(OSError):  # absent, or the group holds processes
            (group / "cgroup.subtree_control").write_text(f"+{controller}")

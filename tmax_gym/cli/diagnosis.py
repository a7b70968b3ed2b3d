"""Examine what works on this machine, what does not, and what to do about it (`tmax doctor`).

Every sandbox backend starts a sandbox and runs a command in it.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from tmax_gym.errors import BackendUnavailable, ImageError, SandboxError
from tmax_gym.sandboxes import ELSEWHERE, ORDER, Backend, backend
from tmax_gym.sandboxes.images import available, default_image
from tmax_gym.tasks import catalogue, folder

State = Literal["ok", "absent", "broken"]

WANTED = frozenset(
    {"pid", "mount", "net", "ipc", "uts", "memory", "pids", "cpu", "disk", "inodes"}
    | {"seccomp", "caps"}
)
"""The limits and isolation that a sandbox should enforce."""
EXTRAS = {"docker": "docker", "torch": "train", "transformers": "train", "trl": "train"}
"""Optional packages and the extra that installs them."""
NEEDED_SPACE = 2 << 30
"""Bytes for a base image and the writable layers of a few sandboxes."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one examination."""

    name: str
    state: State
    """`absent` if the thing is optional, `broken` if it should work."""
    text: str
    remedy: str = ""


def examine() -> Iterator[Finding]:
    """Yield the findings, fast ones first."""
    yield _python()
    yield from _packages()
    yield _machine()
    yield _cgroup()
    yield _space()
    yield _tasks()
    yield from _sandboxes()


def healthy(findings: list[Finding]) -> bool:
    """Return whether nothing is broken."""
    return not any(finding.state == "broken" for finding in findings)


def _python() -> Finding:
    return Finding(
        "python", "ok", f"{platform.python_version()} at {sys.executable} on {platform.platform()}"
    )


def _packages() -> Iterator[Finding]:
    versions = {name: _version(name) for name in ("gymnasium", "pexpect", *EXTRAS)}
    for extra in ("", *dict.fromkeys(EXTRAS.values())):
        group = {n: v for n, v in versions.items() if EXTRAS.get(n, "") == extra}
        missing = sorted(n for n, v in group.items() if v is None)
        text = ", ".join(f"{n} {v}" for n, v in group.items() if v) or "nothing"
        name = f"packages [{extra}]" if extra else "packages"
        if missing:
            yield Finding(
                name,
                "absent" if extra else "broken",
                f"{', '.join(missing)} not installed",
                f"pip install 'tmax-gym[{extra}]'" if extra else "pip install tmax-gym",
            )
        else:
            yield Finding(name, "ok", text)


def _version(name: str) -> str | None:
    """Return the installed version of a package, without importing it."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _machine() -> Finding:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    cores = len(os.sched_getaffinity(0))
    who = "root" if os.geteuid() == 0 else f"user {os.geteuid()}"
    return Finding("machine", "ok", f"{cores} cores, {memory / (1 << 30):.0f} GiB, {who}")


def _cgroup() -> Finding:
    root = Path("/sys/fs/cgroup")
    unified = root / "cgroup.controllers"
    if unified.exists():
        there = unified.read_text().split()
        kind = "version 2"
    else:
        there = sorted(p.name for p in root.glob("*") if p.is_dir())
        kind = "version 1"
    missing = [c for c in ("memory", "pids", "cpu") if not any(c in t.split(",") for t in there)]
    if not there or missing:
        what = ", ".join(missing) or "any controller"
        return Finding(
            "cgroups",
            "absent",
            f"{kind}, without {what}: native sandboxes fall back to rlimits",
            "Mount cgroup2 at /sys/fs/cgroup, or start this container with --cgroupns=private",
        )
    writable = "writable" if os.access(root, os.W_OK) else "not writable by this user"
    return Finding("cgroups", "ok", f"{kind}, memory pids cpu, {writable}")


def _space() -> Finding:
    where = tempfile.gettempdir()
    free = shutil.disk_usage(where).free
    text = f"{free / (1 << 30):.0f} GiB free in {where}"
    if free < NEEDED_SPACE:
        return Finding("space", "broken", text, f"Free {NEEDED_SPACE >> 30} GiB, or set TMPDIR")
    return Finding("space", "ok", text)


def _tasks() -> Finding:
    count = len(catalogue.names())
    if count == 0:
        return Finding("catalogue", "broken", "no tasks", "Run: tmax catalogue build")
    return Finding("catalogue", "ok", f"{count} tasks in {folder.root()}")


def _sandboxes() -> Iterator[Finding]:
    image = default_image()
    yield _images(image)
    tried = [_backend(name, image) for name in ORDER]
    yield from tried
    yield from (_backend(name, image) for name in ELSEWHERE)
    if not any(finding.state == "ok" for finding in tried):
        yield Finding("sandboxes", "broken", "none works here", "Repair any one of those above")
        return
    yield Finding("sandboxes", "ok", f"auto takes {backend('auto').name}")


def _images(image: str) -> Finding:
    text = f"{', '.join(available())}; {image} unless another is asked for"
    if image == "core":
        absent = "" if "poly" in available() else "; for C++, Go, Rust: tmax images build poly"
        return Finding("images", "ok", text + absent)
    remedy = "For the tools that most tasks need: tmax images build core"
    return Finding("images", "absent", f"core is not built; there are {text}", remedy)


def _backend(name: str, image: str) -> Finding:
    try:
        candidate = backend(name)
    except BackendUnavailable as error:
        return Finding(name, "absent", "not available", str(error))
    try:
        milliseconds = _first_command(candidate, image)
    except ImageError as error:
        return Finding(name, "absent", "answers, but has no image yet", str(error))
    except SandboxError as error:
        return Finding(name, "broken", f"answers, but image {image} does not start", str(error))
    enforced = candidate.capabilities()
    text = f"works: first command after {milliseconds:.0f} ms; enforces "
    text += " ".join(sorted(enforced & WANTED))
    if lacking := sorted(WANTED - enforced):
        text += f"; does not enforce {' '.join(lacking)}"
    return Finding(name, "ok", text)


def _first_command(candidate: Backend, image: str) -> float:
    start = time.perf_counter()
    sandbox = candidate.open(image)
    try:
        ended = sandbox.exec(["/bin/sh", "-c", "echo ready"], timeout=30)
        if ended.stdout != b"ready\n":
            raise SandboxError(f"'echo ready' printed {ended.stdout!r}: {ended.stderr!r}")
    finally:
        sandbox.close()
    return (time.perf_counter() - start) * 1000

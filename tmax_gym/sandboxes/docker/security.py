"""Security options of containers: one seccomp profile for every engine, and hidden paths.

Engines differ in their own profiles (Docker 20.10 allows io_uring, Podman 4 new user namespaces),
so ours makes a task run under the same rules everywhere.  Calls of other word sizes are not
allowed at all.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import seccomp
from tmax_gym.sandboxes.host import hidden_paths

_DENIED = (*seccomp.DENIED, "umount", "create_module", "adjtimex", "pidfd_getfd")
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97

HIDDEN = (
    "/proc/1/mem", "/proc/1/task", "/proc/1/map_files", "/proc/1/oom_score_adj", "/proc/1/oom_adj",
    *hidden_paths.FILES, *(path for path in hidden_paths.DIRECTORIES if path != "/sys/fs"),
)  # fmt: skip
"""Paths that an empty file or directory covers: what tells about the host, and process 1's
insides.  Not /sys/fs, where engines mount the container's own cgroup.  Not /proc/1/fd, which runc
itself needs: a program that writes there can forge requests to process 1 (`docker/init.py`)."""
IPC: Mapping[str, str] = {
    "kernel.shmall": str((64 << 20) // 4096),
    "kernel.msgmni": "128",
    "kernel.sem": "250 32000 32 128",
}
"""System V objects hold memory without a process that could be killed for it: 64 MiB as in
/dev/shm, 128 queues of 16 kB, 128 sets of semaphores."""


def options(*, podman: bool, near: bool) -> tuple[list[str], list[str]]:
    """Return security options, and paths that the engine is to hide.

    Podman reads the profile from a file on its own machine: one that is not `near`, on this
    machine, keeps its default profile.
    """
    if not podman:
        return [f"seccomp={profile()}"], list(HIDDEN)
    # Podman has an option of its own for hidden paths, and ignores the field.
    return [f"mask={':'.join(HIDDEN)}", *([f"seccomp={_file()}"] if near else [])], []


@cache
def _file() -> Path:
    """Return a file that holds the profile and that every user may read."""
    text = profile()
    digest = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
    # Not in the cache: a rootless engine is another user, whom root's home is closed to.
    folder = Path(tempfile.gettempdir(), f"tmax-profiles-{os.getuid()}")
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
        folder.chmod(0o755)
    if (info := os.lstat(folder)).st_uid != os.getuid() or not stat.S_ISDIR(info.st_mode):
        raise SandboxError(f"{folder} belongs to another user; set TMPDIR")
    path = folder / f"seccomp-{digest}.json"
    if not path.exists():
        new = path.with_suffix(f".{os.getpid()}")
        new.write_text(text, encoding="ascii")
        new.chmod(0o644)
        new.replace(path)
    return path


def profile() -> str:
    """Return the seccomp profile as engines take it."""
    rules = [
        seccomp.refuse(_DENIED, error=_EPERM),
        seccomp.refuse(("clone3",), error=_ENOSYS),
        *seccomp.shared_rules(error=_EPERM),
    ]
    highest = max(seccomp.FAMILIES)
    refused = [seccomp.masked(seccomp.INT, family)
               for family in range(highest) if family not in seccomp.FAMILIES]  # fmt: skip
    for condition in (*refused, {"value": highest, "op": "SCMP_CMP_GT"}):
        rules.append(seccomp.refuse(("socket",), condition, error=_EAFNOSUPPORT))
    return json.dumps({
        "defaultAction": "SCMP_ACT_ALLOW",
        "architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"],
        "syscalls": rules,
    })  # fmt: skip

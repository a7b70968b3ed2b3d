"""What a container's processes may not call and not see: one profile for every engine.

Covers what the native backend refuses as well, by name instead of number, so that a task meets
the same walls everywhere; engines differ in theirs (Docker 20.10 allows io_uring, Podman 4 new
user namespaces).  Also covers process 1, which obeys the host: root inside has the same user,
so nothing but this keeps it from being traced, or from being killed by a limit of its own.
Does not cover calls of other word sizes: those are not allowed at all.
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
from tmax_gym.sandboxes import hidden_paths

_DENIED = (
    "mount umount umount2 pivot_root unshare setns chroot open_tree move_mount fsopen fsconfig "
    "fsmount fspick mount_setattr kexec_load kexec_file_load reboot swapon swapoff init_module "
    "finit_module delete_module create_module bpf perf_event_open userfaultfd fanotify_init "
    "keyctl add_key request_key name_to_handle_at open_by_handle_at acct quotactl quotactl_fd "
    "syslog settimeofday clock_settime clock_adjtime adjtimex iopl ioperm modify_ldt vhangup "
    "uselib _sysctl nfsservctl lookup_dcookie move_pages io_uring_setup io_uring_enter "
    "io_uring_register pidfd_getfd"
)
"""Calls that reach outside the namespaces or that have a history of kernel holes."""
_OF_PROCESS_1 = {"ptrace": 1, "process_vm_readv": 0, "process_vm_writev": 0, "prlimit64": 0,
                 "pidfd_open": 0}  # fmt: skip
"""Calls that name a process, and which argument does."""
_NAMESPACES = (0x20000, *(1 << bit for bit in range(25, 31)))
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
_FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: AF_VSOCK, for one, reaches the hypervisor."""
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_WORD = 0xFFFFFFFF
"""The part of an argument that the kernel takes for a process or a family."""

HIDDEN = (
    "/proc/1/mem", "/proc/1/task", "/proc/1/map_files", "/proc/1/oom_score_adj", "/proc/1/oom_adj",
    *hidden_paths.FILES, *(path for path in hidden_paths.DIRECTORIES if path != "/sys/fs"),
)  # fmt: skip
"""Paths that an empty file or directory covers: what tells about the host, and process 1's
insides.  Not /sys/fs, where engines mount the container's own cgroup.
Not /proc/1/fd, which runc itself needs: whoever writes there forges orders (`docker/init.py`)."""
IPC: Mapping[str, str] = {
    "kernel.shmall": str((64 << 20) // 4096),
    "kernel.msgmni": "128",
    "kernel.sem": "250 32000 32 128",
}
"""System V objects hold memory without a process that could be killed for it: 64 MiB as in
/dev/shm, 128 queues of 16 kB, 128 sets of semaphores."""


def walls(*, podman: bool, near: bool) -> tuple[list[str], list[str]]:
    """Return security options, and paths that the engine is to hide.

    Podman reads the profile from a file of its own machine: one that is elsewhere keeps its own.
    """
    if not podman:
        return [f"seccomp={seccomp()}"], list(HIDDEN)
    # Podman has its own word for hidden paths, and ignores the field.
    return [f"mask={':'.join(HIDDEN)}", *([f"seccomp={_file()}"] if near else [])], []


@cache
def _file() -> Path:
    """Return a file with the profile, for everybody to read."""
    text = seccomp()
    digest = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
    # Not in the cache: a rootless engine is another user, whom root's home is closed to.
    place = Path(tempfile.gettempdir(), f"tmax-profiles-{os.getuid()}")
    with contextlib.suppress(FileExistsError):
        place.mkdir()
        place.chmod(0o755)
    if (found := os.lstat(place)).st_uid != os.getuid() or not stat.S_ISDIR(found.st_mode):
        raise SandboxError(f"{place} belongs to another user; set TMPDIR")
    path = place / f"seccomp-{digest}.json"
    if not path.exists():
        new = path.with_suffix(f".{os.getpid()}")
        new.write_text(text, encoding="ascii")
        new.chmod(0o644)
        new.replace(path)
    return path


def seccomp() -> str:
    """Return the profile as engines take it."""
    rules = [_refuse(_DENIED.split(), _EPERM), _refuse(["clone3"], _ENOSYS)]
    for name, index in _OF_PROCESS_1.items():
        rules.append(_refuse([name], _EPERM, {"index": index, **_equal(_WORD, 1)}))
    for flag in _NAMESPACES:
        rules.append(_refuse(["clone"], _EPERM, {"index": 0, **_equal(flag, flag)}))
    for family in sorted(set(range(max(_FAMILIES))) - set(_FAMILIES)):
        rules.append(_refuse(["socket"], _EAFNOSUPPORT, {"index": 0, **_equal(_WORD, family)}))
    beyond = {"index": 0, "value": max(_FAMILIES), "op": "SCMP_CMP_GT"}
    rules.append(_refuse(["socket"], _EAFNOSUPPORT, beyond))
    return json.dumps({
        "defaultAction": "SCMP_ACT_ALLOW",
        "architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"],
        "syscalls": rules,
    })  # fmt: skip


def _equal(mask: int, value: int) -> dict[str, object]:
    return {"value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}


def _refuse(names: list[str], error: int, *args: dict[str, object]) -> dict[str, object]:
    return {"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": error, "args": list(args)}

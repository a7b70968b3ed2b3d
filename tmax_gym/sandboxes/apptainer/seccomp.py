"""The seccomp profile of Apptainer's sandboxes: what the native backend's filter refuses, by name.

Covers the same system calls, namespaces by `clone`, address families without a namespace, and
calls that name process 1.
Does not cover `clone3`: its flags are behind a pointer, and the error that makes libc fall back
to `clone` cannot be asked for here.  So a program may make a user namespace, in which it still
cannot mount, change a namespace or reach the host.
"""

from __future__ import annotations

import json
from pathlib import Path

DENIED = (
    "mount", "umount2", "pivot_root", "unshare", "setns", "kexec_load", "kexec_file_load",
    "reboot", "swapon", "swapoff", "init_module", "finit_module", "delete_module", "bpf",
    "perf_event_open", "userfaultfd", "fanotify_init", "keyctl", "add_key", "request_key",
    "name_to_handle_at", "open_by_handle_at", "chroot", "acct", "quotactl", "quotactl_fd",
    "syslog", "settimeofday", "clock_settime", "clock_settime64", "clock_adjtime", "iopl",
    "ioperm", "modify_ldt", "vhangup", "uselib", "_sysctl", "nfsservctl", "lookup_dcookie",
    "move_pages", "io_uring_setup", "io_uring_enter", "io_uring_register", "open_tree",
    "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
)  # fmt: skip
"""libseccomp leaves out the names that an architecture or its own version lacks."""
_NAMESPACES = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET of linux/sched.h."""
_WORD = 0xFFFFFFFF
"""The part of a register that the kernel takes for an int."""
_FAMILIES = (3, 4, 5, 8, 9, 11, *range(17, 47))
"""All of bits/socket.h but AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK; ancient ones aside."""


_OF_PROCESS_1 = {"ptrace": 1, "process_vm_readv": 0, "process_vm_writev": 0, "prlimit64": 0,
                 "pidfd_open": 0}  # fmt: skip
"""Calls that name a process, and which argument does: the first one of an instance is not to be
taken over, whose user is the agent's."""


def profile() -> str:
    """Return the profile in the OCI form that `--security seccomp:FILE` reads."""
    rules: list[dict[str, object]] = [_rule(DENIED)]
    for flag in _NAMESPACES:
        rules.append(_rule(["clone"], op="SCMP_CMP_MASKED_EQ", value=flag, valueTwo=flag))
    for family in _FAMILIES:
        rules.append(_rule(["socket"], op="SCMP_CMP_EQ", value=family))
    for name, index in _OF_PROCESS_1.items():
        rules.append(_rule([name], index=index, op="SCMP_CMP_MASKED_EQ", value=_WORD, valueTwo=1))
    return json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": rules}, sort_keys=True)


def _rule(names: object, **condition: object) -> dict[str, object]:
    rule = {"names": names, "action": "SCMP_ACT_ERRNO"}
    return {**rule, "args": [{"index": 0} | condition]} if condition else rule


def write(path: Path) -> None:
    """Write the profile for a client to read."""
    path.write_text(profile(), encoding="ascii")

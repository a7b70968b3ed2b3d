"""The system calls that sandboxes refuse, by name, for profiles in the OCI format.

The native backend's own filter refuses the same by number (`native/seccomp.py`).
"""

from __future__ import annotations

DENIED = (
    "mount", "umount2", "pivot_root", "unshare", "setns", "chroot", "open_tree", "move_mount",
    "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "kexec_load", "kexec_file_load",
    "reboot", "swapon", "swapoff", "init_module", "finit_module", "delete_module", "bpf",
    "perf_event_open", "userfaultfd", "fanotify_init", "keyctl", "add_key", "request_key",
    "name_to_handle_at", "open_by_handle_at", "acct", "quotactl", "quotactl_fd", "syslog",
    "settimeofday", "clock_settime", "clock_adjtime", "iopl", "ioperm", "modify_ldt", "vhangup",
    "uselib", "_sysctl", "nfsservctl", "lookup_dcookie", "move_pages", "io_uring_setup",
    "io_uring_enter", "io_uring_register",
)  # fmt: skip
"""Calls that reach outside the namespaces or that have a history of kernel holes."""
NAMESPACE_FLAGS = (0x20000, *(1 << bit for bit in range(25, 31)))
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET of linux/sched.h."""
FAMILIES = (1, 2, 10, 16)
"""Allowed: AF_UNIX, AF_INET, AF_INET6, AF_NETLINK.  AF_VSOCK, for one, reaches the hypervisor."""
_NAMING_A_PROCESS = {"ptrace": 1, "process_vm_readv": 0, "process_vm_writev": 0, "prlimit64": 0,
                     "pidfd_open": 0}  # fmt: skip
"""Calls that name a process, and which argument does."""
INT = 0xFFFFFFFF
"""The part of an argument that the kernel takes for a process or a family."""

Rule = dict[str, object]


def refuse(
    names: tuple[str, ...], condition: Rule | None = None, *, error: int | None = None
) -> Rule:
    """Return a rule: these calls fail, under a condition on one argument if there is one."""
    number = {} if error is None else {"errnoRet": error}
    arguments = {"args": [{"index": 0, **condition}]} if condition else {}
    return {"names": list(names), "action": "SCMP_ACT_ERRNO", **number, **arguments}


def masked(mask: int, value: int, *, index: int = 0) -> Rule:
    """Return the condition that some bits of an argument have a value."""
    return {"index": index, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}


def shared_rules(*, error: int | None = None) -> list[Rule]:
    """Return rules against new namespaces and against taking over process 1.

    Process 1 obeys the host, and root inside has the same user: nothing but this keeps it from
    being traced, or from being killed by a limit of its own.
    """
    flags = [refuse(("clone",), masked(flag, flag), error=error) for flag in NAMESPACE_FLAGS]
    return flags + [
        refuse((name,), masked(INT, 1, index=index), error=error)
        for name, index in _NAMING_A_PROCESS.items()
    ]

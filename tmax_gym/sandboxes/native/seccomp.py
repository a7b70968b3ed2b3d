"""The seccomp filter of a native sandbox: which system calls its programs may not make.

It refuses calls that reach outside the namespaces or that have a history of kernel holes, and
allows `ptrace`, so that gdb and strace work on a program's own children.
"""

from __future__ import annotations

import os
import struct

_X86 = 0xC000003E
_ARM = 0xC00000B7
_AUDIT = {"x86_64": _X86, "aarch64": _ARM}

# Numbers: asm/unistd_64.h and asm-generic/unistd.h of Linux 6.1.
_DENIED_X86 = (
    165, 166, 155, 272, 308,  # mount umount2 pivot_root unshare setns
    246, 320, 169, 167, 168,  # kexec_load kexec_file_load reboot swapon swapoff
    175, 313, 176, 174,  # init_module finit_module delete_module create_module
    321, 298, 323, 300,  # bpf perf_event_open userfaultfd fanotify_init
    250, 248, 249,  # keyctl add_key request_key
    303, 304, 161,  # name_to_handle_at open_by_handle_at chroot
    163, 179, 443, 103,  # acct quotactl quotactl_fd syslog
    164, 227, 305,  # settimeofday clock_settime clock_adjtime
    172, 173, 154, 153,  # iopl ioperm modify_ldt vhangup
    134, 156, 180, 212, 279,  # uselib _sysctl nfsservctl lookup_dcookie move_pages
)  # fmt: skip
_DENIED_ARM = (
    40, 39, 41, 97, 268,  # mount umount2 pivot_root unshare setns
    104, 294, 142, 224, 225,  # kexec_load kexec_file_load reboot swapon swapoff
    105, 273, 106,  # init_module finit_module delete_module
    280, 241, 282, 262,  # bpf perf_event_open userfaultfd fanotify_init
    219, 217, 218,  # keyctl add_key request_key
    264, 265, 51,  # name_to_handle_at open_by_handle_at chroot
    89, 60, 443, 116,  # acct quotactl quotactl_fd syslog
    170, 112, 266, 58,  # settimeofday clock_settime clock_adjtime vhangup
    42, 18, 239,  # nfsservctl lookup_dcookie move_pages
)  # fmt: skip
_DENIED_BOTH = (
    425, 426, 427,  # io_uring_setup io_uring_enter io_uring_register
    428, 429, 430, 431, 432, 433, 442,  # open_tree move_mount fsopen .. fspick mount_setattr
)  # fmt: skip
_CLONE = {"x86_64": 56, "aarch64": 220}
_SOCKET = {"x86_64": 41, "aarch64": 198}
_PRLIMIT = {"x86_64": 302, "aarch64": 261}
_CLONE3 = 435
_NEW_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
_FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6, AF_NETLINK.  AF_VSOCK would reach a hypervisor: it has no
namespace; AF_ALG and the rest are attack surface that no task needs."""

_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCH_AT, _FIRST_ARGUMENT_AT = 0, 4, 16


def _step(code: int, value: int, jumps: tuple[int, int] = (0, 0)) -> bytes:
    return struct.pack("=HBBI", code, jumps[0], jumps[1], value)


def _refuse(number: int, error: int) -> bytes:
    """Return two instructions: this call fails with this error."""
    return _step(_EQUAL, number, (0, 1)) + _step(_RETURN, _ERRNO | error)


def program(machine: str = "") -> bytes:
    """Return the filter as instructions of classic BPF, for `machine` or this one."""
    machine = machine or os.uname().machine
    denied = (_DENIED_X86 if machine == "x86_64" else _DENIED_ARM) + _DENIED_BOTH
    parts = [
        _step(_LOAD, _ARCH_AT),
        _step(_EQUAL, _AUDIT[machine], (1, 0)),
        _step(_RETURN, _ERRNO | _EPERM),  # 32-bit entry has other numbers
        _step(_LOAD, _NUMBER_AT),
    ]
    if machine == "x86_64":  # x32 has the same calls under other numbers
        parts += [_step(_AT_LEAST, 0x40000000, (0, 1)), _step(_RETURN, _ERRNO | _ENOSYS)]
    parts += [_refuse(number, _EPERM) for number in sorted(denied)]
    # The flags of clone3 are behind a pointer; without it libc falls back to clone.
    parts.append(_refuse(_CLONE3, _ENOSYS))
    parts += [
        # With a limit of process 1, whose user root inside is, a program could have it killed.
        _step(_EQUAL, _PRLIMIT[machine], (0, 4)),
        _step(_LOAD, _FIRST_ARGUMENT_AT),
        _step(_EQUAL, 1, (0, 1)),
        _step(_RETURN, _ERRNO | _EPERM),
        _step(_RETURN, _ALLOW),
        _step(_EQUAL, _CLONE[machine], (0, 4)),
        _step(_LOAD, _FIRST_ARGUMENT_AT),
        _step(_ANY_BIT, _NEW_NAMESPACES, (0, 1)),
        _step(_RETURN, _ERRNO | _EPERM),
        _step(_RETURN, _ALLOW),
        _step(_EQUAL, _SOCKET[machine], (0, 2 + len(_FAMILIES))),
        _step(_LOAD, _FIRST_ARGUMENT_AT),
    ]
    left = len(_FAMILIES)
    parts += [_step(_EQUAL, family, (left - at, 0)) for at, family in enumerate(_FAMILIES)]
    parts += [_step(_RETURN, _ERRNO | _EAFNOSUPPORT), _step(_RETURN, _ALLOW)]
    return b"".join(parts)

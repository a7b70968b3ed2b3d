"""Linux system calls that Python does not offer, called through ctypes.

They work on x86_64 and aarch64; `NUMBERS` is empty elsewhere.  This imports nothing large, because
each sandbox keeps a copy of the process that imports it.
"""

from __future__ import annotations

import ctypes
import os

_NUMBERS = {
    "x86_64": {"clone": 56, "clone3": 435, "pivot_root": 155, "openat2": 437},
    "aarch64": {"clone": 220, "clone3": 435, "pivot_root": 41, "openat2": 437},
}
NUMBERS: dict[str, int] = _NUMBERS.get(os.uname().machine, {})
"""Call numbers of this machine: /usr/include/asm/unistd_64.h, asm-generic/unistd.h."""

CLONE_PIDFD = 0x00001000
CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
_CLONE_INTO_CGROUP = 0x200000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 32
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
_MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
_PR_SET_NAME = 15
PR_CAPBSET_DROP = 24
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38

RESOLVE_NO_XDEV = 0x01
RESOLVE_NO_MAGICLINKS = 0x02
RESOLVE_NO_SYMLINKS = 0x04
RESOLVE_BENEATH = 0x08

_libc = ctypes.CDLL(None, use_errno=True)
# PyDLL keeps the interpreter lock: a cloned child must not have to take it again.
_locked = ctypes.PyDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("body", ctypes.c_void_p)]


class _OpenHow(ctypes.Structure):
    _fields_ = [
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    ]


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def clone_into(flags: int, group: int) -> tuple[int, int]:
    """Do the same as `clone`, into a cgroup (version 2) by its descriptor; needs Linux 5.7."""
    pidfd = ctypes.c_int(-1)
    # struct clone_args: flags, pidfd, child_tid, parent_tid, exit_signal, stack, its size, tls,
    # set_tid, its size, cgroup.
    where = ctypes.addressof(pidfd)
    words = (flags | CLONE_PIDFD | _CLONE_INTO_CGROUP, where, 0, 0, 17, 0, 0, 0, 0, 0, group)
    arguments = (ctypes.c_uint64 * len(words))(*words)
    size = ctypes.c_size_t(ctypes.sizeof(arguments))
    number = ctypes.c_long(NUMBERS["clone3"])
    pid = _locked.syscall(number, ctypes.byref(arguments), size)
    return _check(pid, "clone3"), pidfd.value


def clone(flags: int) -> tuple[int, int]:
    """Fork into new namespaces; return (pid, pidfd), or (0, -1) in the child."""
    pidfd = ctypes.c_int(-1)
    word = ctypes.c_ulong(flags | CLONE_PIDFD | 17)  # 17: SIGCHLD at the end
    zero = ctypes.c_ulong(0)
    number = ctypes.c_long(NUMBERS["clone"])
    pid = _locked.syscall(number, word, zero, ctypes.byref(pidfd), zero, zero)
    return _check(pid, "clone"), pidfd.value


def unshare(flags: int) -> None:
    """Leave these namespaces for new ones."""
    _check(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, *, kind: str = "", flags: int = 0, data: str = "") -> None:
    """Mount a file system."""
    encoded = [os.fsencode(word) if word else None for word in (source, target, kind)]
    options = os.fsencode(data) if data else None
    result = _libc.mount(*encoded, ctypes.c_ulong(flags), options)
    _check(result, f"mount {kind or source} on {target}")


def detach(target: str) -> None:
    """Unmount a tree; it vanishes when it is no longer in use."""
    _check(_libc.umount2(os.fsencode(target), _MNT_DETACH), f"umount {target}")


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root of this mount namespace and put the old root at `old`."""
    number = ctypes.c_long(NUMBERS["pivot_root"])
    _check(_libc.syscall(number, os.fsencode(new), os.fsencode(old)), "pivot_root")


def prctl(option: int, value: int = 0, pointer: object = 0) -> None:
    """Change a property of this process."""
    third = pointer if pointer else ctypes.c_ulong(0)
    zero = ctypes.c_ulong(0)
    _check(_libc.prctl(option, ctypes.c_ulong(value), third, zero, zero), f"prctl {option}")


def set_capabilities(kept: int) -> None:
    """Keep exactly these capabilities, permitted and effective; inherit none."""
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3, this process
    low, high = kept & 0xFFFFFFFF, kept >> 32
    data = (ctypes.c_uint32 * 6)(low, low, 0, high, high, 0)
    _check(_libc.capset(ctypes.byref(head), ctypes.byref(data)), "capset")


def set_filter(program: bytes) -> None:
    """Install a seccomp filter: 8 bytes an instruction."""
    body = ctypes.create_string_buffer(program, len(program))
    whole = _Program(len(program) // 8, ctypes.addressof(body))
    prctl(PR_SET_SECCOMP, 2, ctypes.byref(whole))  # 2: SECCOMP_MODE_FILTER


def openat2(directory: int, path: bytes | str, *, flags: int, resolve: int, mode: int = 0) -> int:
    """Open a path below a directory under resolution rules; close-on-exec."""
    how = _OpenHow(flags | os.O_CLOEXEC, mode, resolve)
    number = ctypes.c_long(NUMBERS["openat2"])
    name = os.fsencode(path)
    size = ctypes.c_size_t(ctypes.sizeof(how))
    for _ in range(8):
        result = _libc.syscall(number, directory, name, ctypes.byref(how), size)
        # EAGAIN (11): a rename raced with the walk; EINTR (4).
        if result >= 0 or ctypes.get_errno() not in (4, 11):
            break
    return int(_check(result, os.fsdecode(name)))


def rename_process(title: bytes) -> None:
    """Replace this process's command line, which programs in a sandbox could read."""
    with open("/proc/self/stat", "rb", buffering=0) as file:
        fields = file.read(4096).rpartition(b")")[2].split()
    start, end = int(fields[45]), int(fields[46])  # arg_start, arg_end: fields 48, 49
    ctypes.memset(start, 0, end - start)
    ctypes.memmove(start, title, min(len(title), end - start - 1))
    name = ctypes.create_string_buffer(title[:15])
    _check(_libc.prctl(_PR_SET_NAME, name, 0, 0, 0), "prctl name")

"""Turns a freshly cloned process into the first process of a sandbox.

Sets up cgroups, the writable root over shared layers, /proc, /dev, /sys, the loopback link,
limits, capabilities and the system-call filter, from inside the clone.  A step that fails raises
`OSError` with its name.  Without root, a single user id is mapped.
"""

from __future__ import annotations

import _socket
import fcntl
import os
import resource
import struct

from tmax_gym.sandboxes.host import hidden_paths
from tmax_gym.sandboxes.native import syscalls as calls

CAPABILITIES = (0, 1, 3, 4, 5, 6, 7, 10)
"""CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID NET_BIND_SERVICE: what root needs to
install, serve and hand files over; capability.h has the numbers."""
_TERMINALS = 256
"""Of the 4,096 that the kernel gives to all sandboxes together (kernel.pty.max)."""
_SAFE = calls.MS_NOSUID | calls.MS_NODEV
_DEVICES = (("null", 3), ("zero", 5), ("full", 7), ("random", 8), ("urandom", 9))
_LINKS = (
    ("ptmx", "pts/ptmx"),
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
)
_FROZEN = ("/proc/sys", "/proc/sysrq-trigger")


class Plan:
    """A request for one sandbox, as `NativeBackend` sends it."""

    work: str
    """The directory to mount the disk at."""
    disk: int
    shm: int
    inodes: int
    rootless: bool
    limits: dict[int, int]
    trees: list[tuple[str, list[str]]]
    """(mount point, lower directories, topmost first); the root file system comes first."""
    groups: list[tuple[str, list[tuple[str, str]], bool]]
    """(directory, [(file, value)], whether of version 2); the process joins each."""

    def __init__(self, request: dict[str, object]) -> None:
        self.__dict__.update(request)


def enter(plan: Plan, host_ids: tuple[int, int], *, joined: bool) -> list[int]:
    """Build the sandbox around this process; return a directory fd for each of its trees.

    `host_ids` are user and group id before the clone; `joined` says whether the clone started in
    its group of version 2.
    """
    for directory, settings, unified in plan.groups:
        if not unified:
            prepare_group(directory, settings)
            # Not `cgroup.procs`: a thread that moves itself waits for no grace period of the
            # kernel, which takes 5 to 20 ms.  This process has one thread.
            _write(f"{directory}/tasks", "0")
        elif not joined:
            _write(f"{directory}/cgroup.procs", "0")
    calls.unshare(calls.CLONE_NEWCGROUP)
    if plan.rootless:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"0 {host_ids[0]} 1")
        _write("/proc/self/gid_map", f"0 {host_ids[1]} 1")
    _bound_ipc(plan.shm)
    _socket.sethostname("sandbox")
    calls.mount("", "/", flags=calls.MS_REC | calls.MS_PRIVATE)
    root = f"{plan.work}/root"
    _mount_trees(plan, root)
    _mount_dev(f"{root}/dev", shm=plan.shm, rootless=plan.rootless)
    calls.mount("proc", f"{root}/proc", kind="proc", flags=_SAFE | calls.MS_NOEXEC)
    try:
        flags = _SAFE | calls.MS_NOEXEC | calls.MS_RDONLY
        calls.mount("sysfs", f"{root}/sys", kind="sysfs", flags=flags)
    except OSError:
        pass  # refused in a user namespace whose host hides parts of /sys; then it stays empty
    _mask(root)
    os.chdir(root)
    calls.pivot_root(".", ".")
    calls.detach(".")
    os.chdir("/")
    _raise_loopback()
    flags = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
    return [os.open(point or "/", flags) for point, _ in plan.trees]


def confine(plan: Plan, seccomp: bytes) -> None:
    """Give up for good the rights that programs in a sandbox must not have."""
    if not plan.rootless:
        os.setgroups([])
        os.setresgid(0, 0, 0)
        os.setresuid(0, 0, 0)
    os.umask(0o022)
    for which, value in plan.limits.items():
        hard = resource.getrlimit(which)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (value, value))
    calls.prctl(calls.PR_SET_NO_NEW_PRIVS, 1)
    for capability in range(_last_capability() + 1):
        if capability not in CAPABILITIES:
            calls.prctl(calls.PR_CAPBSET_DROP, capability)
    calls.set_capabilities(sum(1 << number for number in CAPABILITIES))
    # Root inside may not trace this process, nor reach its descriptors.
    calls.prctl(calls.PR_SET_DUMPABLE, 0)
    # The zygote has one thread, so this fires at its death and not before.
    calls.prctl(calls.PR_SET_PDEATHSIG, 9)
    calls.set_filter(seccomp)


def _bound_ipc(shm: int) -> None:
    """Limit System V objects: their memory belongs to no process that could be killed for it."""
    bounds = {"shmall": str(shm // 4096), "msgmni": "128", "sem": "250 32000 32 128"}
    for name, value in bounds.items():
        try:
            _write(f"/proc/sys/kernel/{name}", value)
        except OSError:
            pass  # an old kernel without root, or a host that freezes /proc/sys


def prepare_group(directory: str, settings: list[tuple[str, str]]) -> None:
    """Make a cgroup with these limits."""
    os.mkdir(directory)
    for file, value in settings:
        _write(f"{directory}/{file}", value)


def _write(path: str, value: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, value.encode())
    except OSError as error:
        raise OSError(error.errno, os.strerror(error.errno or 0), path) from None
    finally:
        os.close(fd)


def _mount_trees(plan: Plan, root: str) -> None:
    """Mount each tree: a copy-on-write view of shared directories, on one sized tmpfs."""
    # By descriptor: paths may hold any character, and do not appear in the mount table.
    flags = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
    trees = [(point, [os.open(path, flags) for path in lowers]) for point, lowers in plan.trees]
    spare = 16  # our own directories below
    options = f"size={plan.disk},nr_inodes={plan.inodes + spare},mode=755"
    calls.mount("disk", plan.work, kind="tmpfs", flags=_SAFE, data=options)
    # Relative names, for the same reason.
    os.chdir(plan.work)
    os.mkdir(root, 0o755)
    for at, (point, lowers) in enumerate(trees):
        os.mkdir(f"upper{at}", 0o755)
        os.mkdir(f"work{at}", 0o755)
        lower = ":".join(f"/proc/self/fd/{fd}" for fd in lowers)
        data = f"lowerdir={lower},upperdir=upper{at},workdir=work{at}"
        # Without this a directory of a layer could not be renamed: "Invalid cross-device link".
        data += ",userxattr" if plan.rootless else ",redirect_dir=on"
        calls.mount("overlay", root + point, kind="overlay", flags=_SAFE, data=data)
        for fd in lowers:
            os.close(fd)


def _mount_dev(dev: str, *, shm: int, rootless: bool) -> None:
    """Make a private /dev with the seven nodes that every program expects."""
    calls.mount("dev", dev, kind="tmpfs", flags=calls.MS_NOSUID, data="mode=755,size=64k")
    for name, minor in _DEVICES:
        _make_node(f"{dev}/{name}", (1, minor), rootless=rootless)
    _make_node(f"{dev}/tty", (5, 0), rootless=rootless)
    for name, target in _LINKS:
        os.symlink(target, f"{dev}/{name}")
    os.mkdir(f"{dev}/pts")
    os.mkdir(f"{dev}/shm")
    options = f"newinstance,ptmxmode=0666,mode=0620,max={_TERMINALS}" + (
        "" if rootless else ",gid=5"
    )
    flags = calls.MS_NOSUID | calls.MS_NOEXEC
    calls.mount("devpts", f"{dev}/pts", kind="devpts", flags=flags, data=options)
    data = f"mode=1777,size={shm}"
    calls.mount("shm", f"{dev}/shm", kind="tmpfs", flags=_SAFE, data=data)


def _make_node(path: str, device: tuple[int, int], *, rootless: bool) -> None:
    if rootless:  # a user namespace may not make nodes; the host's are as good
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o666))
        calls.mount(f"/dev/{path.rsplit('/', 1)[1]}", path, flags=calls.MS_BIND)
        return
    os.mknod(path, 0o020666, os.makedev(*device))
    os.chmod(path, 0o666)


def _mask(root: str) -> None:
    """Hide and freeze the parts of /proc and /sys that are not the sandbox's own."""
    for path in (*hidden_paths.DIRECTORIES, *_hardware(root)):
        # The target of a link may be hidden already.
        if os.path.isdir(root + path) and not os.path.islink(root + path):
            data = "size=4k,nr_inodes=2,mode=755"
            flags = _SAFE | calls.MS_NOEXEC | calls.MS_RDONLY
            calls.mount("mask", root + path, kind="tmpfs", flags=flags, data=data)
    for path in _FROZEN:
        if os.path.exists(root + path):
            calls.mount(root + path, root + path, flags=calls.MS_BIND | calls.MS_REC)
            kept = calls.MS_NOSUID | calls.MS_NODEV | calls.MS_NOEXEC
            flags = calls.MS_BIND | calls.MS_REMOUNT | calls.MS_RDONLY | kept
            calls.mount("", root + path, flags=flags)
    for path in hidden_paths.FILES:
        if os.path.exists(root + path):
            calls.mount(f"{root}/dev/null", root + path, flags=calls.MS_BIND)


def _hardware(root: str) -> list[str]:
    try:
        names = os.listdir(f"{root}/sys/devices")
    except FileNotFoundError:  # /sys could not be mounted
        return []
    return [f"/sys/devices/{name}" for name in names if name.startswith(hidden_paths.HARDWARE)]


def _raise_loopback() -> None:
    """Bring `lo` up; a new network namespace has it down."""
    link = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM | _socket.SOCK_CLOEXEC)
    request = struct.pack("16sh22x", b"lo", 0)
    flags = struct.unpack("16sh22x", fcntl.ioctl(link.fileno(), 0x8913, request))[1]
    request = struct.pack("16sh22x", b"lo", flags | 1)  # IFF_UP
    fcntl.ioctl(link.fileno(), 0x8914, request)  # 0x8913, 0x8914: SIOCGIFFLAGS, SIOCSIFFLAGS
    link.close()


def _last_capability() -> int:
    with open("/proc/sys/kernel/cap_last_cap", "rb", buffering=0) as file:
        return int(file.read())

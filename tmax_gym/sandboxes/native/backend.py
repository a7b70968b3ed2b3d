"""The `native` backend: Linux namespaces, cgroups and an overlay; needs no engine.

*Covers*: own process, mount, network, IPC, host-name and cgroup namespaces; a copy-on-write
root of sized memory; limits on memory (what is written to disk counts, and gets three
quarters of it at most), processes and cpu
where cgroups are writable; dropped capabilities, a system-call filter, no way to gain
privileges.  A start takes about 10 ms, 256 live at once in half a gigabyte.
*Does not cover*: holes in the kernel itself, which all sandboxes share, and side channels.
For programs that are hostile to you, and not only to the reward, use a virtual machine.
Without root it needs unprivileged user namespaces, and without a delegated cgroup it limits
memory per process only.
"""

from __future__ import annotations

import contextlib
import itertools
import marshal
import os
import resource
import select
import socket
import struct
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import ClassVar

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import Layer, Limits, cgroups, cleanup, images, trial_account
from tmax_gym.sandboxes.images import RootTree
from tmax_gym.sandboxes.native import program_io, syscalls
from tmax_gym.sandboxes.native.layers import LayerStore, parents
from tmax_gym.sandboxes.native.sandbox import NativeSandbox
from tmax_gym.sandboxes.native.zygote import BOOT
from tmax_gym.sandboxes.pool.admission import Admission, Bounds

_ISOLATED = frozenset({"pid", "mount", "net", "ipc", "uts", "disk", "inodes", "seccomp", "caps"})
_SERIAL = itertools.count(1)
_NOFILE = 20_000
"""Open files a process in a sandbox may have, at most."""


_SEND_SECONDS = 30.0
"""For a request to be taken: its queue is full only where the zygote does not read at all."""
_SHM_BYTES = 64 << 20
"""Docker's default size of /dev/shm."""
_BOUNDS = Bounds(creators=8 * (os.cpu_count() or 1), live=4096, patience=120.0)
"""Starts at once: more than 2 a core start no faster, but wait in the kernel for each other;
machines: `kernel.pty.max` of a usual host."""


class NativeBackend:
    """Starts sandboxes through one zygote process per parent; safe to use from any thread."""

    name = "native"
    _shared: ClassVar[NativeBackend | None] = None
    _guard: ClassVar[threading.Lock] = threading.Lock()

    @classmethod
    def shared(cls) -> NativeBackend:
        """Return this process's backend."""
        with cls._guard:
            if cls._shared is None:
                cls._shared = cls()
            return cls._shared

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._door = Admission("the native backend", _BOUNDS)
        self._zygote: _Zygote | None = None
        self._places: list[Path] = []
        self._numbers = itertools.count(1)
        self._live: weakref.WeakSet[NativeSandbox] = weakref.WeakSet()
        self._problem: str | None = None
        self._probed = False
        self._rootless = os.getuid() != 0
        cleanup.track(self)
        # A child must not hold the parent's sockets, nor speak on them.
        me = weakref.ref(self)
        os.register_at_fork(after_in_child=lambda: _after_fork(me))

    def problem(self) -> str | None:
        """Return None where a sandbox comes up and runs a program, else why not."""
        if not self._probed:
            self._problem = self._probe()
            self._probed = True
        return self._problem

    def _probe(self) -> str | None:
        if sys.platform != "linux" or not syscalls.NUMBERS:
            return (
                f"it needs Linux on x86_64 or aarch64, this is {sys.platform} {os.uname().machine}"
            )
        try:
            sandbox = self.open("host", limits=Limits(disk=16 << 20, inodes=1000))
            try:
                result = sandbox.exec(["bash", "-c", "exit 7"], timeout=20)
            finally:
                sandbox.close()
        except (SandboxError, OSError) as error:
            hint = "inside a container, give it all privileges"
            if self._rootless:
                hint = "run as root, or allow unprivileged user namespaces (kernel 5.11 or later)"
            return f"{error}; {hint}"
        return None if result.exit_code == 7 else f"bash does not run in it: {result}"

    def capabilities(self) -> frozenset[str]:
        """Return what is enforced here."""
        return _ISOLATED | cgroups.layout().controllers | ({"userns"} if self._rootless else set())

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> NativeSandbox:
        """Start a machine from a root file system, with `layer` in place."""
        tree = images.resolve(image)
        try:
            return self._open(tree, limits or Limits(), layer)
        except OSError as error:  # no room on the cache's disk, no descriptor, no memory
            raise SandboxError(
                f"this host refused a sandbox: {error}. See `tmax doctor`."
            ) from error

    def _open(self, tree: RootTree, limits: Limits, layer: Layer | None) -> NativeSandbox:
        zygote = self._started()
        number = next(self._numbers)
        lowers = {point: list(paths) for point, paths in tree.trees}
        used = ""
        if layer is not None:
            used, places = zygote.layers.acquire(layer, tree)
            for point, place in places.items():
                lowers[point].insert(0, str(place))
        request = {
            "work": str(zygote.layers.directories[-1]),
            "disk": _disk(limits),
            "shm": min(_SHM_BYTES, limits.memory // 8),
            "inodes": limits.inodes,
            "rootless": self._rootless,
            "limits": _rlimits(limits),
            "trees": list(lowers.items()),
            "groups": cgroups.layout().groups(f"{zygote.label}/{number}", limits),
        }
        ours, theirs = program_io.pair()
        sandbox = NativeSandbox(f"native-{os.getpid()}-{number}", ours, rootless=self._rootless)
        sandbox.news = zygote.ended_inside
        if used:
            sandbox.at_end(lambda: zygote.layers.release(used))
        with self._lock:
            self._live.add(sandbox)
        try:
            with self._door.start() as room:
                with theirs:
                    zygote.send(marshal.dumps(request), theirs.fileno())
                sandbox.await_start(list(lowers))
                zygote.ended_inside(sandbox.pid)  # an earlier process of this number may have
                sandbox.holds(room)
            trial_account.opened(sandbox)
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    def _started(self) -> _Zygote:
        """Return the zygote, starting the first one, or another after its death."""
        with self._lock:
            if self._zygote is None or not self._zygote.alive():
                shared = parents(images.cache_root())
                layout = cgroups.layout()
                if self._zygote is not None:  # it was killed, and has left all this
                    self._zygote.layers.retire()
                    for directory in layout.directories():
                        cleanup.remove(directory / self._zygote.label)
                cleanup.sweep([*layout.directories(), *shared])
                label = f"{cleanup.label()}-{next(_SERIAL)}"
                own = [parent / label for parent in shared]
                self._places += [*own, *(parent / label for parent in layout.directories())]
                layers = LayerStore(own, rootless=self._rootless)
                # Before the directories: where this process is killed now, it removes them.
                zygote = _Zygote(label, layers, leftovers=self._places)
                try:
                    layout.prepare(label)
                    for directory in own:
                        directory.mkdir(mode=0o700)
                except BaseException:
                    zygote.close()
                    raise
                self._zygote = zygote
            return self._zygote

    def close(self) -> None:
        """End every sandbox of this backend.  Idempotent; it may be used again."""
        with self._lock:
            live = list(self._live)
        for sandbox in live:
            sandbox.close()
        with self._lock:
            zygote, self._zygote, self._places = self._zygote, None, []
        if zygote:
            zygote.close()

    def forget(self) -> None:
        """Start anew in a forked child."""
        self._lock = threading.Lock()
        self._door = Admission("the native backend", _BOUNDS)
        for sandbox in list(self._live):
            sandbox.forget()
        self._live.clear()
        if self._zygote:
            self._zygote.forget()
        self._zygote, self._places = None, []
        cleanup.track(self)


def _after_fork(backend: weakref.ref[NativeBackend]) -> None:
    NativeBackend._guard = threading.Lock()
    if found := backend():
        found.forget()


def _disk(limits: Limits) -> int:
    """Return the disk's size: it lies in memory, so a full one must leave some to work with."""
    if "memory" not in cgroups.layout().controllers:
        return limits.disk
    return min(limits.disk, limits.memory * 3 // 4)


def _rlimits(limits: Limits) -> dict[int, int]:
    found = {resource.RLIMIT_CORE: 0, resource.RLIMIT_NOFILE: _NOFILE}
    controllers = cgroups.layout().controllers
    if "memory" not in controllers:  # the next best: per process, not in all
        found[resource.RLIMIT_AS] = limits.memory
    if "pids" not in controllers:
        found[resource.RLIMIT_NPROC] = limits.pids
    return found


class _Zygote:
    """The process that sandboxes are cloned from, seen from its parent."""

    def __init__(self, label: str, layers: LayerStore, *, leftovers: list[Path]) -> None:
        self.label = label
        self.layers = layers
        self._reading = threading.Lock()
        self._told: set[int] = set()
        package = Path(__file__).parent.parent
        # By packets: any thread may send without a lock.
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(_SEND_SECONDS)
        parent = os.pidfd_open(os.getpid())
        words = [sys.executable, "-I", "-S", "-E", "-c", BOOT]
        words += [str(package.parent), str(package), str(theirs.fileno()), str(parent)]
        try:
            self._process = subprocess.Popen(
                [*words, *map(str, leftovers)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(), parent),
                start_new_session=True,  # ^C on our terminal must not end it
                cwd="/",
                env={"LC_ALL": "C.UTF-8"},
            )
        finally:
            theirs.close()
            os.close(parent)

    def alive(self) -> bool:
        """Return whether it still runs."""
        return self._process.poll() is None

    def send(self, request: bytes, control: int) -> None:
        """Ask for one sandbox, which will speak on `control`."""
        try:
            socket.send_fds(self._socket, [request], [control])
        except OSError as error:
            raise SandboxError(
                f"the zygote process does not answer: {error}. Try again."
            ) from error

    def ended_inside(self, pid: int) -> bool:
        """Return whether it told that this first process, now gone, was ended from inside."""
        with self._reading:
            poller = select.poll()  # the socket itself would wait as long as for a request
            poller.register(self._socket, select.POLLIN)
            # Reset where it was killed with requests unread: what it told comes before.
            with contextlib.suppress(ConnectionError):
                while poller.poll(0) and (data := self._socket.recv(64)):
                    self._told.add(struct.unpack("=i", data)[0])
            found = pid in self._told
            self._told.discard(pid)  # the number may return
            return found

    def close(self) -> None:
        """End it, and with it every sandbox."""
        self._socket.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def forget(self) -> None:
        """Drop the socket in a forked child."""
        self._socket.close()
        self._process.returncode = 0  # not this process's child: nothing to wait for

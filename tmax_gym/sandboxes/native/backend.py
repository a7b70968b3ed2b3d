"""The `native` backend: sandboxes made of Linux namespaces, cgroups and an overlay; no engine.

*Covers*: own process, mount, network, IPC, host-name and cgroup namespaces; a copy-on-write
root in memory of limited size; limits on memory, processes and cpu if cgroups are writable (files
count as memory, and get three quarters of it at most); dropped capabilities, a system-call
filter, no way to gain privileges.  A start takes about 10 ms; 256 live at once in half a gigabyte.
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
from tmax_gym.sandboxes import Layer, Limits, images, trial_account
from tmax_gym.sandboxes.host import cgroups, cleanup
from tmax_gym.sandboxes.images import RootTree
from tmax_gym.sandboxes.native import program_io, syscalls
from tmax_gym.sandboxes.native.layers import LayerStore, parents
from tmax_gym.sandboxes.native.sandbox import NativeSandbox
from tmax_gym.sandboxes.native.zygote import BOOT
from tmax_gym.sandboxes.pool.admission import Admission, Bounds

_ISOLATED = frozenset({"pid", "mount", "net", "ipc", "uts", "disk", "inodes", "seccomp", "caps"})
_SERIAL = itertools.count(1)
_NOFILE = 20_000
"""Open files that a process in a sandbox may have at most."""
_SEND_SECONDS = 30.0
"""For a request to be taken: its queue is full only if the zygote does not read at all."""
_SHM_BYTES = 64 << 20
"""Docker's default size of /dev/shm."""
_BOUNDS = Bounds(creators=8 * (os.cpu_count() or 1), live=4096, patience=120.0)
"""More than 2 starts a core at once are no faster: they wait in the kernel for each other.
Live machines: `kernel.pty.max` of a usual host."""


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
        self._admission = Admission("the native backend", _BOUNDS)
        self._zygote: _Zygote | None = None
        self._directories: list[Path] = []
        """What the zygote removes at its end."""
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
        """Return None if a sandbox starts and runs a program, else the reason why not."""
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
        layer_name = ""
        if layer is not None:
            layer_name, directories = zygote.layers.acquire(layer, tree)
            for point, directory in directories.items():
                lowers[point].insert(0, str(directory))
        request = {
            "work": str(zygote.layers.directories[-1]),
            "disk": cgroups.disk_bytes(limits),
            "shm": min(_SHM_BYTES, limits.memory // 8),
            "inodes": limits.inodes,
            "rootless": self._rootless,
            "limits": _rlimits(limits),
            "trees": list(lowers.items()),
            "groups": cgroups.layout().groups(f"{zygote.label}/{number}", limits),
        }
        ours, theirs = program_io.pair()
        sandbox = NativeSandbox(f"native-{os.getpid()}-{number}", ours, rootless=self._rootless)
        sandbox.ended_inside = zygote.ended_inside
        if layer_name:
            sandbox.at_end(lambda: zygote.layers.release(layer_name))
        with self._lock:
            self._live.add(sandbox)
        try:
            with self._admission.start() as place:
                with theirs:
                    zygote.send(marshal.dumps(request), theirs.fileno())
                sandbox.await_start(list(lowers))
                zygote.ended_inside(sandbox.pid)  # forget an earlier process of this number
                sandbox.holds(place)
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
                if self._zygote is not None:  # it was killed, and left its files behind
                    self._zygote.layers.retire()
                    for directory in layout.directories():
                        cleanup.remove(directory / self._zygote.label)
                cleanup.sweep([*layout.directories(), *shared])
                label = f"{cleanup.label()}-{next(_SERIAL)}"
                own = [parent / label for parent in shared]
                self._directories += [*own, *(p / label for p in layout.directories())]
                layers = LayerStore(own, rootless=self._rootless)
                # Before the directories: if this process is killed now, the zygote removes them.
                zygote = _Zygote(label, layers, leftovers=self._directories)
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
            zygote, self._zygote, self._directories = self._zygote, None, []
        if zygote:
            zygote.close()

    def forget(self) -> None:
        """Start anew in a forked child."""
        self._lock = threading.Lock()
        self._admission = Admission("the native backend", _BOUNDS)
        for sandbox in list(self._live):
            sandbox.forget()
        self._live.clear()
        if self._zygote:
            self._zygote.forget()
        self._zygote, self._directories = None, []
        cleanup.track(self)


def _after_fork(backend: weakref.ref[NativeBackend]) -> None:
    NativeBackend._guard = threading.Lock()
    if living := backend():
        living.forget()


def _rlimits(limits: Limits) -> dict[int, int]:
    rlimits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_NOFILE: _NOFILE}
    controllers = cgroups.layout().controllers
    if "memory" not in controllers:  # the next best: a limit per process
        rlimits[resource.RLIMIT_AS] = limits.memory
    if "pids" not in controllers:
        rlimits[resource.RLIMIT_NPROC] = limits.pids
    return rlimits


class _Zygote:
    """The process that sandboxes are cloned from, seen from its parent."""

    def __init__(self, label: str, layers: LayerStore, *, leftovers: list[Path]) -> None:
        self.label = label
        self.layers = layers
        self._reading = threading.Lock()
        self._reported: set[int] = set()
        package = Path(__file__).parent.parent
        # Packets stay whole, so that any thread may send without a lock.
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
        """Return whether it reported that what ran inside ended this first process, now gone."""
        with self._reading:
            poller = select.poll()  # `recv` would wait for as long as the socket's time-out
            poller.register(self._socket, select.POLLIN)
            # The socket is reset if the zygote was killed with requests unread: reports come first.
            with contextlib.suppress(ConnectionError):
                while poller.poll(0) and (data := self._socket.recv(64)):
                    self._reported.add(struct.unpack("=i", data)[0])
            reported = pid in self._reported
            self._reported.discard(pid)  # the number may return
            return reported

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

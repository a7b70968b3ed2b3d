"""The backend `gvisor`: sandboxes with a kernel of their own in user space, without a daemon.

*Covers*: programs call gVisor's kernel, not the host's, of which it uses 85 system calls itself.
Own process, mount, network (only a loopback), IPC and host-name namespaces; eight capabilities; a
quota of disk and inodes (an overlay in memory of limited size); limits on the processes of each
user and on the addresses of each process.  If cgroups can be written also limits on cpu and on the
memory of all: to the host's kernel gVisor is one program, so what exceeds that may end the whole
machine, as the agent's act; the capability `memory` is therefore not claimed.
*Does not cover*: a plain user (it needs root for its mounts); a system-call filter inside, where
gVisor's own kernel is the filter; a first process that root inside cannot kill, which ends the
machine as the agent's act; programs that reserve more addresses than `Limits.memory`, as Java and
Node may do; the platform KVM.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
import weakref
from dataclasses import replace

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import Layer, Limits, images, trial_account
from tmax_gym.sandboxes.apptainer.command import hosted
from tmax_gym.sandboxes.docker.init import Init
from tmax_gym.sandboxes.gvisor import command, first_process
from tmax_gym.sandboxes.gvisor.files import SandboxFiles, discard, end_client
from tmax_gym.sandboxes.gvisor.sandbox import GvisorSandbox
from tmax_gym.sandboxes.host import cgroups, cleanup
from tmax_gym.sandboxes.host.owner_directory import OwnerDirectory
from tmax_gym.sandboxes.login import PATH
from tmax_gym.sandboxes.pool.admission import Admission, Bounds
from tmax_gym.sandboxes.program_pipes import close_all

_ALWAYS = frozenset(("pid", "mount", "net", "ipc", "uts", "pids", "disk", "inodes", "caps"))
_START_SECONDS = 60.0
"""A start takes 0.2 s."""
_SHM_BYTES = 64 << 20
"""Docker's default size of /dev/shm."""
_OWN_MEMORY = 1 << 20, 64 << 20
"""Bytes of the host for each process inside, of which an idle one takes half, and beside those, of
which gVisor takes 20 MB."""
_OWN_THREADS = 16, 1024
"""Threads of the host for each process inside, and beside those."""
_BOUNDS = Bounds(creators=4, live=1024)
"""Starts at once: each takes a fifth of a second of two cores."""


class GvisorBackend:
    """The installed `runsc`, and the sandboxes that this process has of it."""

    name = "gvisor"
    _shared: dict[int, GvisorBackend] = {}  # noqa: RUF012
    _sharing = threading.Lock()

    def __init__(self) -> None:
        """Prepare nothing yet."""
        self._admission = Admission(self.name, _BOUNDS)
        self._owned = OwnerDirectory(self.name)
        self._live: weakref.WeakSet[GvisorSandbox] = weakref.WeakSet()

    @classmethod
    def shared(cls) -> GvisorBackend:
        """Return this process's backend; a forked child has its own."""
        with cls._sharing:
            return cls._shared.setdefault(os.getpid(), cls())

    def problem(self) -> str | None:
        """Return None if `runsc` is installed and this process is root, else what to do."""
        try:
            self.program()
        except SandboxError as error:
            return str(error)
        if os.geteuid() != 0:
            return "it mounts the sandbox's disk: run as root, or choose native or apptainer"
        return None

    def program(self) -> str:
        """Return the path of `runsc`; raise `SandboxError` if it is absent or something else."""
        path = shutil.which("runsc")
        if path is None:
            raise SandboxError(
                "no runsc on PATH; install gVisor (Debian 13: apt-get install runsc; a clone of "
                "tmax-gym: .ci/engine gvisor)"
            )
        done = subprocess.run([path, "--version"], capture_output=True, stdin=subprocess.DEVNULL)
        output = done.stdout.decode(errors="replace")
        if not command.parse_version(output):
            raise SandboxError(f"{path} --version said {output!r}; is it gVisor's program?")
        return path

    def capabilities(self) -> frozenset[str]:
        """Return what is enforced here."""
        return _ALWAYS | (cgroups.layout().controllers & {"cpu"})

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> GvisorSandbox:
        """Start a sandbox with `layer` in place; `host` means `core` here.

        Raises:
            ImageError: There is no such image.
            SandboxError: It does not start; the message has gVisor's own.
        """
        program = self.program()
        limits = limits or Limits()
        tree = images.resolve("core" if image == "host" else image)
        files = self._prepare(program, tree.trees[0][1][0], limits)
        try:
            with self._admission.start() as place:
                sandbox = _start(files, limits)
                sandbox.holds(place)
        except BaseException:
            discard(files)
            raise
        self._live.add(sandbox)
        try:
            trial_account.opened(sandbox)
            if layer is not None:
                sandbox.put(layer.nodes)
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    def _prepare(self, program: str, image: str, limits: Limits) -> SandboxFiles:
        """Make the directory and the cgroups of one sandbox."""
        number, directory = self._owned.place()
        for name in ("disk", "logs"):
            (directory / name).mkdir()
        (directory / "image").symlink_to(image)  # mount options take no path with a comma
        shm = min(_SHM_BYTES, limits.memory // 8)
        config = command.bundle(str(directory), limits, shm=shm)
        (directory / "config.json").write_text(config, encoding="utf-8")
        memory, threads = (each * limits.pids + more for each, more in (_OWN_MEMORY, _OWN_THREADS))
        outer = replace(limits, memory=limits.memory + memory, pids=threads)
        groups = self._owned.groups(directory, outer)
        cleanup.track(self)
        return SandboxFiles(f"gvisor-{os.getpid()}-{number}", program, directory, groups)

    def close(self) -> None:
        """End every sandbox of this backend.  Idempotent; it may be used again."""
        for sandbox in list(self._live):
            sandbox.close()
        self._owned.close()


def _start(files: SandboxFiles, limits: Limits) -> GvisorSandbox:
    """Start a sandbox, and take hold of its root directory before any program runs in it."""
    client, pipes = _launch(files, limits)
    with contextlib.ExitStack() as undo:
        undo.callback(pipes.close)
        undo.callback(end_client, client)
        try:
            if not first_process.await_set_up(pipes, _START_SECONDS):
                raise SandboxError("its disk was not mounted")
            place = f"/proc/{client.pid}/root{files.directory}"
            flags = os.O_DIRECTORY | os.O_CLOEXEC
            root = os.open(f"{place}/disk/root", flags | os.O_PATH)
            undo.callback(os.close, root)
            logs = os.open(f"{place}/logs", flags)
            undo.callback(os.close, logs)
            pipes.sendall(b"\n")
            init = Init(pipes, first_process.Unframed())
            init.ask(":", patience=_START_SECONDS)
            sandbox = GvisorSandbox(files, client, init, root=root, logs=logs)
        except (SandboxError, OSError) as error:
            raise _failure(files, str(error)) from error
        undo.pop_all()
    return sandbox


def _launch(
    files: SandboxFiles, limits: Limits
) -> tuple[subprocess.Popen[bytes], first_process.Pipes]:
    """Start the client that mounts the disk and then runs the sandbox."""
    place = str(files.directory)
    argv = command.start_argv(
        files.program, place, disk=cgroups.disk_bytes(limits), inodes=limits.inodes
    )
    theirs_in, ours_out = os.pipe2(os.O_CLOEXEC)
    ours_in, theirs_out = os.pipe2(os.O_CLOEXEC)
    try:
        with open(files.directory / "log", "ab") as log:
            client = subprocess.Popen(
                hosted(argv, groups=files.groups),
                stdin=theirs_in,
                stdout=theirs_out,
                stderr=log,
                env={"PATH": PATH},
                cwd="/",
                start_new_session=True,
            )
    except BaseException:
        close_all((ours_in, ours_out))
        raise
    finally:
        close_all((theirs_in, theirs_out))
    return client, first_process.Pipes(ours_out, ours_in)


def _failure(files: SandboxFiles, reason: str) -> SandboxError:
    with contextlib.suppress(OSError):
        log = (files.directory / "log").read_text(encoding="utf-8", errors="replace").strip()
        reason = f"{reason}: {log[-500:]}" if log else reason
    return SandboxError(f"{files.program} did not start a sandbox: {reason}. See `tmax doctor`.")

"""The backends `apptainer` and `singularity`: sandboxes on clusters that have no daemon.

*Covers*: own process, mount, network (only a loopback), IPC and host-name namespaces, a writable
overlay, eight capabilities, no way to gain privileges, a system-call filter.  As root also a quota
of disk and inodes (the overlay lies in memory of limited size).  If cgroups can be written, also
limits on memory, processes and cpu: clients join cgroups of ours, as Apptainer's own limit flags
need systemd; those flags are used if only systemd can make groups.
*Does not cover*: a quota without root, where the size of a file is limited instead; /sys, which
stays empty; images in SIF files.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import weakref
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import Layer, Limits, images, trial_account
from tmax_gym.sandboxes.apptainer import command, process, seccomp
from tmax_gym.sandboxes.apptainer.command import Ceilings, Program, Start
from tmax_gym.sandboxes.apptainer.sandbox import ApptainerSandbox, InstanceFiles, discard
from tmax_gym.sandboxes.host import cgroups, cleanup, hidden_paths
from tmax_gym.sandboxes.host.instances import PID_FILE
from tmax_gym.sandboxes.host.owner_directory import OwnerDirectory
from tmax_gym.sandboxes.native import syscalls as native_syscalls
from tmax_gym.sandboxes.pool.admission import Admission, Bounds

FLAVOURS = ("apptainer", "singularity")
_ALWAYS = frozenset(("pid", "mount", "net", "ipc", "uts", "seccomp", "caps"))
_FROZEN = ("/proc/sys", "/proc/sysrq-trigger")
"""Made read-only: root in a sandbox without a user namespace could write here."""
_SCRIPT = "#!/bin/sh\nexit 0\n"
"""An instance of a plain directory has no start script, and does not start without one."""
_START_SECONDS = 60.0
"""A start takes 0.25 s."""
_BOUNDS = Bounds(creators=4, live=1024)
"""Starts at once: each takes a quarter of a second of two cores."""


class ApptainerBackend:
    """One installed program, and the instances that this process has of it."""

    _shared: dict[tuple[str, int], ApptainerBackend] = {}  # noqa: RUF012
    _sharing = threading.Lock()

    def __init__(self, name: str = "apptainer") -> None:
        """Take the program `apptainer` or `singularity`; nothing is run yet."""
        if name not in FLAVOURS:
            raise ValueError(f"unknown program {name!r}: use apptainer or singularity")
        self.name = name
        self._admission = Admission(name, _BOUNDS)
        self._owned = OwnerDirectory("apptainer", _prepare_top)
        self._live: weakref.WeakSet[ApptainerSandbox] = weakref.WeakSet()
        self._rootless = os.geteuid() != 0

    @classmethod
    def shared(cls, name: str = "apptainer") -> ApptainerBackend:
        """Return this process's backend for a program; a forked child has its own."""
        with cls._sharing:
            key = (name, os.getpid())
            if key not in cls._shared:
                cls._shared[key] = cls(name)
            return cls._shared[key]

    def problem(self) -> str | None:
        """Return None if the program is installed and new enough, else what to do."""
        try:
            self.program()
        except SandboxError as error:
            return str(error)
        if self._rootless and _number("/proc/sys/user/max_user_namespaces") == 0:
            return "user namespaces are off; set sysctl user.max_user_namespaces, or run as root"
        return None

    def program(self) -> Program:
        """Return the installed program; raise `SandboxError` if there is none, or it is too old."""
        path = shutil.which(self.name)
        if path is None:
            raise SandboxError(
                f"no {self.name} on PATH; install it with your distribution (Debian: "
                "apt-get install apptainer) or load your cluster's module for it"
            )
        done = subprocess.run([path, "--version"], capture_output=True, stdin=subprocess.DEVNULL)
        output = (done.stdout + done.stderr).decode(errors="replace")
        program = command.parse_version(output)
        if program is None:
            raise SandboxError(f"{path} --version said {output!r}; is it the container program?")
        oldest = command.OLDEST[program.flavour]
        if program.version < oldest:
            have, want = (".".join(map(str, version)) for version in (program.version, oldest))
            raise SandboxError(f"{path} is {program.flavour} {have}; install {want} or newer")
        return replace(program, path=path)

    def capabilities(self) -> frozenset[str]:
        """Return what is enforced here."""
        enforced = _ALWAYS | cgroups.layout().controllers
        if _by_flags():
            enforced |= frozenset(cgroups.CONTROLLERS)
        return enforced | ({"userns"} if self._rootless else {"disk", "inodes"})

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> ApptainerSandbox:
        """Start an instance with `layer` in place; `host` means `core` here.

        Raises:
            ImageError: There is no such image.
            SandboxError: It does not start; the message has Apptainer's own.
        """
        program = self.program()
        limits = limits or Limits()
        tree = images.resolve("core" if image == "host" else image)
        files = self._prepare(program, tree.trees[0][1][0], limits)
        try:
            with self._admission.start() as place:
                sandbox = ApptainerSandbox(files, self._start(files, limits))
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

    def _prepare(self, program: Program, image: str, limits: Limits) -> InstanceFiles:
        """Make the directory and the cgroups of one sandbox."""
        number, directory = self._owned.place()
        top = directory.parent
        for name in ("overlay", "empty"):
            (directory / name).mkdir()
        empty_file = directory / "nothing"
        empty_file.touch(0o444)
        groups = self._owned.groups(directory, limits)
        cleanup.track(self)
        start = Start(
            image=image,
            overlay=str(directory / "overlay"),
            name=f"{self.name}-{os.getpid()}-{number}",
            pid_file=str(directory / PID_FILE),
            empty=str(directory / "empty"),
            seccomp=str(top / "seccomp.json"),
            rootless=self._rootless,
            frozen=() if self._rootless else _present(_FROZEN),
            limits=limits if _by_flags() else None,
            hidden_files=_present(hidden_paths.FILES),
            hidden_directories=_present(hidden_paths.DIRECTORIES),
            empty_file=str(empty_file),
        )
        return InstanceFiles(
            program,
            start,
            _ceilings(limits, self.capabilities()),
            directory,
            groups,
            home=str(top / "home"),
        )

    def _start(self, files: InstanceFiles, limits: Limits) -> int:
        """Start an instance; return its first process."""
        overlay = files.start.overlay
        if not self._rootless:
            size = cgroups.disk_bytes(limits)
            options = f"size={size},nr_inodes={limits.inodes + 16},mode=755"
            flags = native_syscalls.MS_NOSUID | native_syscalls.MS_NODEV
            native_syscalls.mount("tmax", overlay, kind="tmpfs", flags=flags, data=options)
        try:
            _fill(Path(overlay))
            argv = command.start_argv(files.program, files.start)
            environment = command.client_environment(files.program, {}, home=files.home)
            ended = process.run(
                command.hosted(argv, groups=files.groups), environment, timeout=_START_SECONDS
            )
        finally:
            if not self._rootless:  # the instance keeps it, in its own mount namespace
                native_syscalls.detach(overlay)
        main = _number(files.start.pid_file)
        if ended.code or ended.late or main <= 1:
            cause = command.explain(ended.stderr)
            raise SandboxError(f"{files.program.path} did not start an instance: {cause}")
        return main

    def close(self) -> None:
        """End every sandbox of this backend.  Idempotent; it may be used again."""
        for sandbox in list(self._live):
            sandbox.close()
        self._owned.close()


def _prepare_top(directory: Path) -> None:
    (directory / "home").mkdir()
    seccomp.write(directory / "seccomp.json")


def _fill(overlay: Path) -> None:
    """Make the two parts of an overlay, with the script that every instance must have."""
    actions = overlay / "upper/.singularity.d/actions"
    actions.mkdir(parents=True)
    (overlay / "work").mkdir()
    (overlay / "upper").chmod(0o755)
    (actions / "start").write_text(_SCRIPT, encoding="ascii")
    (actions / "start").chmod(0o755)


def _present(paths: Iterable[str]) -> tuple[str, ...]:
    """Return which of these /proc has on this host; /sys is not mounted in sandboxes."""
    return tuple(p for p in paths if p.startswith("/proc/") and os.path.exists(p))


def _by_flags() -> bool:
    """Return whether Apptainer's own limit flags must be used: only systemd can make groups."""
    layout = cgroups.layout()
    return not layout.controllers and layout.unified and os.path.isdir("/run/systemd/system")


def _ceilings(limits: Limits, enforced: frozenset[str]) -> Ceilings:
    """Return substitutes for limits that are not enforced: per file, process and user."""
    return Ceilings(
        file=None if "disk" in enforced else limits.disk,
        memory=None if "memory" in enforced else limits.memory,
        processes=None if "pids" in enforced or "userns" not in enforced else limits.pids,
    )


def _number(path: str) -> int:
    try:
        return int(Path(path).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return -1

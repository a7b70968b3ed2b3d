"""The `apptainer` backend: the same machines on clusters without a daemon; also `singularity`.

*Covers*: own process, mount, network (a loopback alone), IPC and host-name namespaces, a
writable overlay, eight capabilities, no way to gain privileges, a system-call filter.  As root
also a quota of disk and inodes (the overlay lies in sized memory), and wherever cgroups can be
written limits on memory, processes and cpu: clients join groups of ours, as Apptainer's own
limit flags need systemd.  /proc tells nothing about the host: see `hidden_paths.py`.
*Does not cover*: a quota without root, where one file is limited instead; /sys, which stays
empty; images in SIF files.  Its own limit flags are used where only systemd can make groups.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import shutil
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Iterable
from pathlib import Path

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import Layer, Limits, cgroups, cleanup, hidden_paths, images, trial_account
from tmax_gym.sandboxes.apptainer import command, process, seccomp
from tmax_gym.sandboxes.apptainer.command import Ceilings, Program, Start
from tmax_gym.sandboxes.apptainer.sandbox import ApptainerSandbox, Place, discard
from tmax_gym.sandboxes.apptainer.watch import GROUPS_FILE, PID_FILE, Watcher, end
from tmax_gym.sandboxes.native import syscalls as native_syscalls
from tmax_gym.sandboxes.pool.admission import Admission, Bounds

FLAVOURS = ("apptainer", "singularity")
_ALWAYS = frozenset(("pid", "mount", "net", "ipc", "uts", "seccomp", "caps"))
_FROZEN = ("/proc/sys", "/proc/sysrq-trigger")
"""Root of a sandbox without a user namespace could write here."""
_SCRIPT = "#!/bin/sh\nexit 0\n"
"""An instance of a plain directory has none, and refuses to start without."""
_START_SECONDS = 60.0
"""A start takes 0.25 s."""
_BOUNDS = Bounds(creators=4, live=1024)
"""Starts at once: each takes a quarter of a second of two cores."""
_SERIAL = itertools.count(1)


class ApptainerBackend:
    """One installed program, and the instances that this process has of it."""

    _shared: dict[tuple[str, int], ApptainerBackend] = {}  # noqa: RUF012
    _sharing = threading.Lock()

    def __init__(self, name: str = "apptainer") -> None:
        """Take the program `apptainer` or `singularity`; nothing is run yet."""
        if name not in FLAVOURS:
            raise ValueError(f"unknown program {name!r}: use apptainer or singularity")
        self.name = name
        self._lock = threading.Lock()
        self._door = Admission(name, _BOUNDS)
        self._directory: Path | None = None
        self._watcher: Watcher | None = None
        self._numbers = itertools.count(1)
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
        """Return None where the program is installed and new enough, else what to do."""
        try:
            self.program()
        except SandboxError as error:
            return str(error)
        if self._rootless and _number("/proc/sys/user/max_user_namespaces") == 0:
            return "user namespaces are off; set sysctl user.max_user_namespaces, or run as root"
        return None

    def program(self) -> Program:
        """Return the installed program.

        Raises:
            SandboxError: There is none, or it is too old.
        """
        path = shutil.which(self.name)
        if path is None:
            raise SandboxError(
                f"no {self.name} on PATH; install it with your distribution (Debian: "
                "apt-get install apptainer) or load your cluster's module for it"
            )
        done = subprocess.run([path, "--version"], capture_output=True, stdin=subprocess.DEVNULL)
        said = (done.stdout + done.stderr).decode(errors="replace")
        found = command.parse_version(said)
        if found is None:
            raise SandboxError(f"{path} --version said {said!r}; is it the container program?")
        oldest = command.OLDEST[found.flavour]
        if found.version < oldest:
            have, want = (".".join(map(str, version)) for version in (found.version, oldest))
            raise SandboxError(f"{path} is {found.flavour} {have}; install {want} or newer")
        return Program(path, found.flavour, found.version)

    def capabilities(self) -> frozenset[str]:
        """Return what is enforced here."""
        found = _ALWAYS | cgroups.layout().controllers
        if _by_flags():
            found |= frozenset(cgroups.CONTROLLERS)
        return found | ({"userns"} if self._rootless else {"disk", "inodes"})

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> ApptainerSandbox:
        """Start an instance with `layer` in place; `host` means `core` here.

        Raises:
            ImageError: There is no such image.
            SandboxError: It does not start; the message has its words.
        """
        program = self.program()
        limits = limits or Limits()
        tree = images.resolve("core" if image == "host" else image)
        place = self._prepare(program, tree.trees[0][1][0], limits)
        try:
            with self._door.start() as room:
                main = self._start(place, limits)
                sandbox = ApptainerSandbox(place, main)
                sandbox.holds(room)
        except BaseException:
            discard(place)
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

    def _prepare(self, program: Program, image: str, limits: Limits) -> Place:
        """Make the directory and the cgroups of one sandbox."""
        top = self._started()
        number = next(self._numbers)
        directory = top / str(number)
        for name in ("overlay", "empty"):
            (directory / name).mkdir(parents=True)
        nothing = directory / "nothing"
        nothing.touch(0o444)
        groups = []
        for path, settings, *_ in cgroups.layout().groups(f"{top.name}/{number}", limits):
            os.mkdir(path)
            groups.append(path)
            for file, value in settings:
                Path(path, file).write_text(value, encoding="ascii")
        (directory / GROUPS_FILE).write_text("\n".join(groups), encoding="utf-8")
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
            empty_file=str(nothing),
        )
        ceilings = _ceilings(limits, self.capabilities())
        return Place(program, start, ceilings, directory, tuple(groups), home=str(top / "home"))

    def _start(self, place: Place, limits: Limits) -> int:
        """Start an instance; return its first process."""
        overlay = place.start.overlay
        if not self._rootless:
            options = f"size={_disk(limits)},nr_inodes={limits.inodes + 16},mode=755"
            kept = native_syscalls.MS_NOSUID | native_syscalls.MS_NODEV
            native_syscalls.mount("tmax", overlay, kind="tmpfs", flags=kept, data=options)
        try:
            _fill(Path(overlay))
            words = command.start_argv(place.program, place.start)
            environment = command.client_environment(place.program, {}, home=place.home)
            ended = process.run(
                command.hosted(words, groups=place.groups),
                environment,
                timeout=_START_SECONDS,
            )
        finally:
            if not self._rootless:  # the instance has it in a namespace of its own
                native_syscalls.detach(overlay)
        main = _number(place.start.pid_file)
        if ended.code or ended.late or main <= 1:
            said = command.explain(ended.stderr)
            raise SandboxError(f"{place.program.path} did not start an instance: {said}")
        return main

    def _started(self) -> Path:
        """Return this process's directory, made and watched since the first call."""
        with self._lock:
            if self._directory is None:
                base = Path(tempfile.gettempdir(), f"tmax-apptainer-{os.geteuid()}")
                with contextlib.suppress(FileExistsError):
                    base.mkdir(mode=0o700)
                if os.lstat(base).st_uid != os.geteuid():  # everybody may write beside it
                    raise SandboxError(f"{base} belongs to another user; set TMPDIR")
                for entry in sorted(base.glob(f"{cleanup.PREFIX}*")):
                    if not cleanup.alive(entry.name):
                        end(entry)
                directory = base / f"{cleanup.label()}-apptainer{next(_SERIAL)}"
                (directory / "home").mkdir(parents=True)
                seccomp.write(directory / "seccomp.json")
                cgroups.layout().prepare(directory.name)
                self._watcher = Watcher(directory)
                self._directory = directory
                atexit.register(self._at_exit, os.getpid())
            return self._directory

    def close(self) -> None:
        """End every sandbox of this backend.  Idempotent; it may be used again."""
        for sandbox in list(self._live):
            sandbox.close()
        with self._lock:
            watcher, self._watcher = self._watcher, None
            directory, self._directory = self._directory, None
        if watcher:
            watcher.close()
        if directory:
            shutil.rmtree(directory, ignore_errors=True)
            for parent in cgroups.layout().directories():
                with contextlib.suppress(OSError):
                    os.rmdir(parent / directory.name)

    def _at_exit(self, pid: int) -> None:
        if os.getpid() == pid:  # not in a fork
            self.close()


def _fill(overlay: Path) -> None:
    """Make the two parts of an overlay, with the script that every instance must have."""
    actions = overlay / "upper/.singularity.d/actions"
    actions.mkdir(parents=True)
    (overlay / "work").mkdir()
    (overlay / "upper").chmod(0o755)
    (actions / "start").write_text(_SCRIPT, encoding="ascii")
    (actions / "start").chmod(0o755)


def _present(paths: Iterable[str]) -> tuple[str, ...]:
    """Return which of these /proc has here; /sys is not mounted at all."""
    return tuple(p for p in paths if p.startswith("/proc/") and os.path.exists(p))


def _by_flags() -> bool:
    """Return whether its own limit flags can do what writing cgroups ourselves cannot."""
    layout = cgroups.layout()
    return not layout.controllers and layout.unified and os.path.isdir("/run/systemd/system")


def _disk(limits: Limits) -> int:
    """Return the disk's size: it lies in memory, so a full one must leave some to work with."""
    if "memory" not in cgroups.layout().controllers:
        return limits.disk
    return min(limits.disk, limits.memory * 3 // 4)


def _ceilings(limits: Limits, enforced: frozenset[str]) -> Ceilings:
    """Return the next best for what is not enforced: per file, process and user."""
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

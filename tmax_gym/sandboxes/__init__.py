"""Isolated machines behind one protocol: `native`, `docker`, `gvisor`, `kubernetes` and others.

A `Backend` opens sandboxes.  A `Sandbox` is one machine, used for one episode only.  A `Terminal`
is one bash on a pseudo-terminal; `tmax_gym.shell` runs commands through it.  Only this package
starts processes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from tmax_gym.errors import BackendUnavailable
from tmax_gym.nodes import Node
from tmax_gym.sandboxes.shell_activity import Activity

User = Literal["root", "nobody"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one sandbox may use.  The defaults were measured on 2 cores and 24 GiB."""

    memory: int = 2 << 30
    """Bytes, swap included."""
    pids: int = 256
    cpus: float = 1.0
    disk: int = 1 << 30
    """Bytes that may be written."""
    inodes: int = 100_000


@dataclass(frozen=True, slots=True)
class Layer:
    """Files that exist before the first command; sandboxes share layers of equal keys."""

    key: str
    """Identifies the content (a digest)."""
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ExecResult:
    """How one process ended."""

    exit_code: int
    """Exit status; 128 + n after signal n; 124 after a time-out."""
    stdout: bytes
    stderr: bytes
    timed_out: bool = False
    truncated: bool = False
    """Whether output beyond the cap was thrown away."""


class Terminal(Protocol):
    """One bash on a pseudo-terminal inside a sandbox."""

    fd: int
    """Readable and writable on the host; owned by this object."""

    def signal_foreground(self, signal: int) -> bool:
        """Send a signal to the foreground process group unless that is the shell itself.

        Returns whether there was such a group.
        """

    def alive(self) -> bool:
        """Return whether the shell process still runs."""

    def activity(self) -> Activity:
        """Return what the shell process does, as far as this host's kernel shows it."""

    def close(self) -> None:
        """Kill the shell and every process of its session, and close `fd`.  Idempotent."""


class Sandbox(Protocol):
    """One isolated machine.  Every method may raise `SandboxError`."""

    id: str

    def open_terminal(self, *, user: User = "root", cwd: str = "/") -> Terminal:
        """Start `bash --norc --noprofile --noediting -i` with a clean environment on a tty."""

    def exec(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float = 60.0,
        user: User = "root",
        env: Mapping[str, str] | None = None,
        cwd: str = "/",
        max_output: int = 1 << 20,
    ) -> ExecResult:
        """Run one program without a terminal; its whole process group dies at the time-out."""

    def put(self, nodes: Iterable[Node]) -> None:
        """Create these entries (and missing parents); never follows a link out of its path."""

    def freeze(self) -> None:
        """Kill every process at once.  Files stay readable by `get`; nothing runs any more."""

    def destroyed(self) -> bool:
        """Return whether a program inside has ended the machine: its files can still be read.

        False if it lives, if something outside ended it, and if the cause cannot be known.
        """

    def get(
        self, paths: Sequence[str], *, max_bytes: int = 16 << 20, max_nodes: int = 20_000
    ) -> tuple[Node, ...]:
        """Read entries back, directories with all below them, sorted by path.

        Never follows a symbolic link in any component, never blocks on a FIFO or device.
        A file larger than `max_bytes` comes with `data=None`; absent paths are left out.
        Reading stops after `max_nodes` entries and 8 x `max_bytes` in all.
        """

    def close(self) -> None:
        """Destroy the machine and all that it held.  Idempotent."""


@runtime_checkable
class Emptied(Protocol):
    """A sandbox that can kill its processes without starting a program in it."""

    def end_all(self) -> None:
        """Kill every process but the first; close terminals before.  Others may be started."""


class Backend(Protocol):
    """A way to run sandboxes on this host."""

    name: str

    def problem(self) -> str | None:
        """Return None if this backend works here, else one sentence with the remedy."""

    def capabilities(self) -> frozenset[str]:
        """Return which of these are isolated or limited.

        pid, mount, net, ipc, uts, memory, pids, cpu, disk, inodes, seccomp, caps, userns.
        """

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> Sandbox:
        """Start a machine from a root file system, with `layer` in place.

        Raises `ImageError` if the image does not exist here, `SandboxError` otherwise.
        """


ORDER = ("native", "docker", "podman", "apptainer", "gvisor")
"""The backends that `auto` tries; the first needs no engine and starts 20 times faster."""
ELSEWHERE = ("kubernetes",)
"""Backends that must be named: they make machines on other computers, which may cost money."""


def backend(name: str = "auto") -> Backend:
    """Return a backend by name: one of `ORDER` or `ELSEWHERE`, `singularity`, or `auto`.

    `auto` takes $TMAX_BACKEND if it is set, else the first of `ORDER` that works.
    """
    name = os.environ.get("TMAX_BACKEND", name) if name == "auto" else name
    if name != "auto":
        chosen = _make(name)
        if problem := chosen.problem():
            raise BackendUnavailable(f"sandbox backend {name!r} cannot run here: {problem}")
        return chosen
    problems = []
    for candidate in ORDER:
        tried = _make(candidate)
        if (problem := tried.problem()) is None:
            return tried
        problems.append(f"{candidate}: {problem}")
    raise BackendUnavailable("no sandbox backend works here.\n" + "\n".join(problems))


def _make(name: str) -> Backend:
    if name == "native":
        from tmax_gym.sandboxes.native.backend import NativeBackend

        return NativeBackend.shared()
    if name in ("docker", "podman"):
        from tmax_gym.sandboxes.docker.backend import DockerBackend

        return DockerBackend.shared(engine=name)
    if name in ("apptainer", "singularity"):
        from tmax_gym.sandboxes.apptainer.backend import ApptainerBackend

        return ApptainerBackend.shared(name)
    if name == "gvisor":
        from tmax_gym.sandboxes.gvisor.backend import GvisorBackend

        return GvisorBackend.shared()
    if name == "kubernetes":
        from tmax_gym.sandboxes.kubernetes.backend import KubernetesBackend

        return KubernetesBackend.shared()
    known = ", ".join((*ORDER, *ELSEWHERE, "singularity"))
    raise ValueError(f"unknown sandbox backend {name!r}: use auto, or one of {known}")

"""A backend without isolation: programs run on this very machine, in a verifier's container.

*Covers* programs as `nobody` on copies of the agent's files, one after the other.  After each, the
copies and whatever `nobody` left in world-writable directories are removed.
*Does not cover* isolation: use it in a container that is thrown away afterwards, whose engine
limits memory and processes, and in which file modes protect all secrets from `nobody`.
`backend()` never returns it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import posixpath
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence

from tmax_gym.errors import SandboxError
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import ExecResult, Layer, Limits, User
from tmax_gym.sandboxes.archive import ArchivedSandbox, EndedSandbox
from tmax_gym.sandboxes.host import processes
from tmax_gym.sandboxes.login import NOBODY, PATH
from tmax_gym.sandboxes.program_pipes import exit_code

SHARED = ("/tmp", "/var/tmp", "/dev/shm")
"""Where `nobody` can write in any container."""
_ENVIRONMENT = {"PATH": PATH, "HOME": "/root", "LANG": "C.UTF-8"}
_DRAIN_SECONDS = 5.0
_SERIAL = itertools.count(1)


class InPlaceBackend:
    """Hands out this machine, one at a time."""

    name = "in-place"

    def __init__(self, roots: Sequence[str]) -> None:
        """Choose the trees that machines may replace; raise `SandboxError` without root."""
        if os.geteuid() != 0:
            raise SandboxError("grading in place needs root: run the verifier as user root")
        self._roots = tuple(roots)

    def problem(self) -> str | None:
        """Return None: the constructor has checked what it needs."""
        return None

    def capabilities(self) -> frozenset[str]:
        """Return nothing: all limits are those of the container around it."""
        return frozenset()

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> InPlaceMachine:
        """Return this machine, without the files and processes of its last use."""
        machine = InPlaceMachine(self._roots)
        if layer is not None:
            machine.put(layer.nodes)
        return machine


class InPlaceMachine(EndedSandbox):
    """One use of this machine: programs, but no terminal."""

    def __init__(self, roots: tuple[str, ...]) -> None:
        self.id = f"in-place-{next(_SERIAL)}"
        self._roots = roots
        self._clear()

    def put(self, nodes: Iterable[Node]) -> None:
        """Create these entries below the roots."""
        try:
            for node in sorted(nodes, key=lambda n: n.path):
                if not any(node.path == r or node.path.startswith(f"{r}/") for r in self._roots):
                    raise SandboxError(f"{node.path} lies in none of {', '.join(self._roots)}")
                _create(node)
        except OSError as error:
            raise SandboxError(f"a file could not be put in place: {error}") from error

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
        """Run one program; its whole process group dies at the time-out."""
        try:
            child = subprocess.Popen(
                list(argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                cwd=cwd,
                env={**_ENVIRONMENT, **(env or {})},
                user=None if user == "root" else NOBODY,
                group=None if user == "root" else NOBODY,
                extra_groups=None if user == "root" else (),
            )
        except OSError as error:
            raise SandboxError(f"{argv[0]} could not be started: {error}") from error
        late = False
        try:
            out, err = child.communicate(stdin, timeout=timeout)
        except subprocess.TimeoutExpired:
            late = True
            out, err = _killed(child)
        code = 124 if late else exit_code(child.returncode)
        cut = len(out) > max_output or len(err) > max_output
        return ExecResult(code, out[:max_output], err[:max_output], late, cut)

    def get(
        self, paths: Sequence[str], *, max_bytes: int = 16 << 20, max_nodes: int = 20_000
    ) -> tuple[Node, ...]:
        """Refuse: evidence is read from an archive, not from here."""
        raise SandboxError(f"{self.id} is not read back: see {ArchivedSandbox.__name__}")

    def freeze(self) -> None:
        """Kill every process of `nobody`."""
        _kill_all_of(NOBODY)

    def close(self) -> None:
        """Remove the files that were put here or that programs left.  Idempotent."""
        self._clear()

    def _clear(self) -> None:
        self.freeze()
        for root in self._roots:
            _remove(root)
        for place in SHARED:
            _sweep(place)


def _killed(child: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """Kill a process group and return its two outputs."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    _kill_all_of(NOBODY)
    try:
        return child.communicate(timeout=_DRAIN_SECONDS)
    except subprocess.TimeoutExpired:  # a process in another session holds the pipe
        for pipe in (child.stdin, child.stdout, child.stderr):
            if pipe:
                pipe.close()
        child.wait()
        return b"", b""


def _create(node: Node) -> None:
    parent = posixpath.dirname(node.path)
    os.makedirs(parent, exist_ok=True)
    if node.kind == "dir":
        os.makedirs(node.path, exist_ok=True)
    elif node.kind == "link":
        os.symlink(node.target, node.path)
    elif node.kind == "file":
        fd = os.open(node.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(fd, "wb") as file:
            file.write(node.data or b"")
    else:
        return
    os.chown(node.path, node.uid, node.gid, follow_symlinks=False)
    if node.kind != "link":
        os.chmod(node.path, node.mode)
        os.utime(node.path, (node.mtime, node.mtime))


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    elif os.path.lexists(path):
        os.unlink(path)


def _sweep(place: str) -> None:
    """Remove the entries of a world-writable directory that `nobody` owns."""
    if not os.path.isdir(place):
        return
    for entry in os.scandir(place):
        if entry.stat(follow_symlinks=False).st_uid == NOBODY:
            _remove(entry.path)


def end_others() -> None:
    """Kill every process of this machine but the first one, this one and those above it.

    A verifier that shares the agent's machine must have no process of the agent beside it.
    """
    spared, pid = {1}, os.getpid()
    while pid > 1:
        spared.add(pid)
        pid = int((processes.stat(pid)[processes.PARENT : processes.PARENT + 1] or ["0"])[0])
    _kill_all(lambda other: other not in spared)


def _kill_all_of(user: int) -> None:
    def is_theirs(pid: int) -> bool:
        with contextlib.suppress(OSError):
            return os.stat(f"/proc/{pid}").st_uid == user
        return False

    _kill_all(is_theirs)


def _kill_all(chosen: Callable[[int], bool]) -> None:
    # A program that forks faster than it is killed is left to the container.
    processes.kill_until_gone(lambda: filter(chosen, processes.all_pids()), rounds=100)

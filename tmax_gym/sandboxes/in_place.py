"""A backend without walls: the machine that this process runs on, for a verifier's container.

*Covers* programs as `nobody` on copies of the agent's files, one after the other; between two
of them the copies, and what `nobody` left in the places that everybody may write to, are
removed.
*Does not cover* isolation: it is for a container of its own that is thrown away afterwards,
whose engine limits memory and processes, and where nothing is secret to `nobody` but what its
modes protect.  `backend()` never returns it.
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
from pathlib import Path

from tmax_gym.errors import SandboxError
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import ExecResult, Layer, Limits, Terminal, User
from tmax_gym.sandboxes.archive import ArchivedSandbox

NOBODY = 65534
SHARED = ("/tmp", "/var/tmp", "/dev/shm")
"""Where `nobody` can write in any container."""
_ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LANG": "C.UTF-8",
}
_DRAIN_SECONDS = 5.0
_SERIAL = itertools.count(1)


class InPlaceBackend:
    """Hands out this machine, one at a time."""

    name = "in-place"

    def __init__(self, roots: Sequence[str]) -> None:
        """Choose the trees that machines may replace and remove.

        Raises:
            SandboxError: This process is not root.
        """
        if os.geteuid() != 0:
            raise SandboxError("grading in place needs root: run the verifier as user root")
        self._roots = tuple(roots)

    def problem(self) -> str | None:
        """Return None: it works wherever it could be made."""
        return None

    def capabilities(self) -> frozenset[str]:
        """Return nothing: the container around it enforces what is enforced."""
        return frozenset()

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> InPlaceMachine:
        """Return this machine, cleared of what the one before left."""
        machine = InPlaceMachine(self._roots)
        if layer is not None:
            machine.put(layer.nodes)
        return machine


class InPlaceMachine:
    """One use of this machine."""

    def __init__(self, roots: tuple[str, ...]) -> None:
        self.id = f"in-place-{next(_SERIAL)}"
        self._roots = roots
        self._clear()

    def put(self, nodes: Iterable[Node]) -> None:
        """Create these entries below the roots, from empty."""
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
            out, err = _ended(child)
        code = child.returncode
        code = 124 if late else code if code >= 0 else 128 - code
        cut = len(out) > max_output or len(err) > max_output
        return ExecResult(code, out[:max_output], err[:max_output], late, cut)

    def get(
        self, paths: Sequence[str], *, max_bytes: int = 16 << 20, max_nodes: int = 20_000
    ) -> tuple[Node, ...]:
        """Refuse: evidence is read from the archive, not from here."""
        raise SandboxError(f"{self.id} is not read back: see {ArchivedSandbox.__name__}")

    def open_terminal(self, *, user: User = "root", cwd: str = "/") -> Terminal:
        """Refuse: a verifier has no terminal."""
        raise SandboxError(f"{self.id} has no terminal")

    def freeze(self) -> None:
        """Kill what still runs as `nobody`."""
        _end_processes_of(NOBODY)

    def destroyed(self) -> bool:
        """Return False: how this machine ends is not seen from here."""
        return False

    def close(self) -> None:
        """Remove what was put here, and what it left.  Idempotent."""
        self._clear()

    def _clear(self) -> None:
        self.freeze()
        for root in self._roots:
            _remove(root)
        for place in SHARED:
            _sweep(place)


def _ended(child: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """Kill a process group and return what it has printed."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    _end_processes_of(NOBODY)
    try:
        return child.communicate(timeout=_DRAIN_SECONDS)
    except subprocess.TimeoutExpired:  # one in another session holds the pipe
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
    """Remove what `nobody` owns directly in a directory that everybody may write to."""
    if not os.path.isdir(place):
        return
    for entry in os.scandir(place):
        if entry.stat(follow_symlinks=False).st_uid == NOBODY:
            _remove(entry.path)


def end_others() -> None:
    """Kill every process of this machine but the first one, this one and those above it.

    Where a verifier shares the agent's machine, nothing of the agent may live beside it.
    """
    spared, pid = {1}, os.getpid()
    while pid > 1:
        spared.add(pid)
        pid = _parent(pid)
    _end(lambda other: other not in spared and _owner(other) >= 0)


def _end_processes_of(user: int) -> None:
    _end(lambda pid: _owner(pid) == user)


def _end(doomed: Callable[[int], bool]) -> None:
    for _ in range(100):  # one that forks faster than it is killed is left to the container
        left = [pid for pid in map(_pid, Path("/proc").iterdir()) if pid and doomed(pid)]
        if not left:
            return
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _pid(entry: Path) -> int:
    return int(entry.name) if entry.name.isdecimal() else 0


def _parent(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[1]) if len(fields) > 1 else 0


def _owner(pid: int) -> int:
    """Return the owner of a process that is no zombie, else -1."""
    fields = _stat(pid)
    try:
        user = os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return -1
    return -1 if not fields or fields[0] in (b"Z", b"X") else user


def _stat(pid: int) -> list[bytes]:
    """Return what follows the name in a process's status; empty where it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []

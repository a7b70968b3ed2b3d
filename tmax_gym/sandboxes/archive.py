"""Sandboxes that have ended: nothing runs in them, and their files can still be read.

`ArchivedSandbox` reads the members of a tar file without unpacking any: no link is followed, a
member whose parent is not a directory does not exist, and a damaged tail is left out.
"""

from __future__ import annotations

import posixpath
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tmax_gym.errors import SandboxError
from tmax_gym.nodes import TOTAL_FACTOR, Kind, Node
from tmax_gym.sandboxes import ExecResult, Terminal, User

MOST_MEMBERS = 1_000_000


class EndedSandbox:
    """A machine that has ended; a subclass that keeps its files adds `get`."""

    id: str

    def freeze(self) -> None:
        """Do nothing: nothing runs."""

    def destroyed(self) -> bool:
        """Return False: how the machine ended is not known here."""
        return False

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def put(self, nodes: Iterable[Node]) -> None:
        """Refuse: the files are read only."""
        raise self._ended()

    def open_terminal(self, *, user: User = "root", cwd: str = "/") -> Terminal:
        """Refuse: nothing runs."""
        raise self._ended()

    def exec(self, *_: Any, **__: Any) -> ExecResult:
        """Refuse: nothing runs."""
        raise self._ended()

    def _ended(self) -> SandboxError:
        return SandboxError(f"machine {self.id} has ended: nothing runs in it")


class ArchivedSandbox(EndedSandbox):
    """Files of a machine that has ended."""

    def __init__(self, path: Path) -> None:
        """Read the list of members; raise `SandboxError` if there is no such file."""
        self.id = f"archive-{path.name}"
        try:
            self._file = tarfile.TarFile.open(path, errors="surrogateescape")
        except (OSError, tarfile.TarError, ValueError, EOFError) as error:
            raise SandboxError(f"{path} is no tar file: {error}") from error
        self._members = _listed(self._file)

    def get(
        self, paths: Sequence[str], *, max_bytes: int = 16 << 20, max_nodes: int = 20_000
    ) -> tuple[Node, ...]:
        """Read entries, directories with all below them, sorted by path."""
        wanted = {_absolute(path) for path in paths}
        nodes: list[Node] = []
        left = TOTAL_FACTOR * max_bytes
        for path in sorted(self._members):
            if not any(path == w or path.startswith(w.rstrip("/") + "/") for w in wanted):
                continue
            if len(nodes) >= max_nodes or left < 0:
                break
            node = self._node(path, cap=min(max_bytes, left))
            left -= len(node.data or b"")
            nodes.append(node)
        return tuple(nodes)

    def _node(self, path: str, *, cap: int) -> Node:
        member = self._members[path]
        origin = self._origin(member)
        kind: Kind = "other"
        if origin.isreg():
            kind = "file"
        elif origin.isdir() or origin.issym():
            kind = "dir" if origin.isdir() else "link"
        data = self._content(origin) if kind == "file" and origin.size <= cap else None
        return Node(
            path,
            kind,
            data,
            mode=origin.mode & 0o7777,
            uid=origin.uid,
            gid=origin.gid,
            target=origin.linkname if kind == "link" else "",
            size=origin.size if kind == "file" else 0,
            inode=origin.offset + 1,  # one to a content: hard links share their origin
            mtime=int(origin.mtime),
        )

    def _origin(self, member: tarfile.TarInfo) -> tarfile.TarInfo:
        """Return the member that holds a hard link's content."""
        if not member.islnk():
            return member
        first = self._members.get(_absolute(member.linkname))
        return first if first is not None and first.isreg() else member

    def _content(self, member: tarfile.TarInfo) -> bytes | None:
        try:
            stream = self._file.extractfile(member)
            data = stream.read() if stream else None
        except (OSError, tarfile.TarError, EOFError):
            return None
        return data if data is not None and len(data) == member.size else None

    def close(self) -> None:
        """Close the file.  Idempotent."""
        self._file.close()


def _absolute(name: str) -> str:
    return posixpath.normpath("/" + name.lstrip("/"))


def _listed(file: tarfile.TarFile) -> dict[str, tarfile.TarInfo]:
    """Return the members by absolute path, without those whose parent is not a directory."""
    members: dict[str, tarfile.TarInfo] = {}
    try:
        for member in file:
            if ".." not in member.name.split("/") and "\0" not in member.name:
                members[_absolute(member.name)] = member
            if len(members) >= MOST_MEMBERS:
                break
    except (OSError, tarfile.TarError, EOFError, ValueError):
        pass  # the archive is cut off: the members before that count
    directories = {"/"}
    kept: dict[str, tarfile.TarInfo] = {}
    for path in sorted(members, key=lambda p: p.count("/")):
        parent = posixpath.dirname(path)
        if parent in directories or (parent not in members and not _blocked(parent, members)):
            kept[path] = members[path]
            if members[path].isdir():
                directories.add(path)
    return kept


def _blocked(path: str, members: Mapping[str, tarfile.TarInfo]) -> bool:
    """Return whether a parent of an unlisted directory is listed as something else."""
    while path != "/":
        if path in members:
            return not members[path].isdir()
        path = posixpath.dirname(path)
    return False

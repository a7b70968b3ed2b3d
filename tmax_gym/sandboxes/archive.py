"""What is left of a machine, read from a tar file: a sandbox in which nothing runs any more.

*Covers* `get` over the members, without unpacking one: no link is followed, a member below
something that is no directory does not exist, and a damaged tail is left out.
*Does not cover* programs: they run elsewhere, see `in_place.py`.
"""

from __future__ import annotations

import posixpath
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tmax_gym.errors import SandboxError
from tmax_gym.nodes import TOTAL_FACTOR, Kind, Node
from tmax_gym.sandboxes.ended import EndedSandbox

MOST_MEMBERS = 1_000_000


class ArchivedSandbox(EndedSandbox):
    """Files of a machine that has ended."""

    def __init__(self, path: Path) -> None:
        """Read the list of members.

        Raises:
            SandboxError: There is no such file.
        """
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
        wanted = {posixpath.normpath("/" + path.lstrip("/")) for path in paths}
        found: list[Node] = []
        left = TOTAL_FACTOR * max_bytes
        for path in sorted(self._members):
            if not any(path == w or path.startswith(w.rstrip("/") + "/") for w in wanted):
                continue
            if len(found) >= max_nodes or left < 0:
                break
            node = self._node(path, cap=min(max_bytes, left))
            left -= len(node.data or b"")
            found.append(node)
        return tuple(found)

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
        first = self._members.get(_place(member.linkname))
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


def _place(name: str) -> str:
    return posixpath.normpath("/" + name.lstrip("/"))


def _listed(file: tarfile.TarFile) -> dict[str, tarfile.TarInfo]:
    """Return the members by absolute path, those alone whose parents are directories."""
    members: dict[str, tarfile.TarInfo] = {}
    try:
        for member in file:
            if ".." not in member.name.split("/") and "\0" not in member.name:
                members[_place(member.name)] = member
            if len(members) >= MOST_MEMBERS:
                break
    except (OSError, tarfile.TarError, EOFError, ValueError):
        pass  # whoever made it broke off: what came before is all that there is
    solid = {"/"}
    kept: dict[str, tarfile.TarInfo] = {}
    for path in sorted(members, key=lambda p: p.count("/")):
        parent = posixpath.dirname(path)
        if parent in solid or (parent not in members and not _blocked(parent, members)):
            kept[path] = members[path]
            if members[path].isdir():
                solid.add(path)
    return kept


def _blocked(path: str, members: Mapping[str, tarfile.TarInfo]) -> bool:
    """Return whether some directory on the way to an unlisted one is something else."""
    while path != "/":
        if path in members:
            return not members[path].isdir()
        path = posixpath.dirname(path)
    return False

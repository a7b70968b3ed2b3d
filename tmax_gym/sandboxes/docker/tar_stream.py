"""Packs nodes into tar streams for container engines, and reads such streams with caps.

Nothing is unpacked on this host, large files are skipped unread, and links stay links.
Sockets are missing, as engines leave them out of archives, and hard links between two archives.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from tmax_gym.nodes import Node, absolute, writable

_TYPES = {"dir": tarfile.DIRTYPE, "link": tarfile.SYMTYPE, "file": tarfile.REGTYPE}
_STREAM = 2 << 30
"""Bytes of skipped content after which reading stops: engines send holes as zeros, 0.3 GB/s
on 2 cores.  An honest agent has no more than `Limits.disk`, 1 GiB."""
_SKIP = 1 << 20
"""Bytes read at once: with tarfile's 10 kB, 2 GB of zeros took twice as long."""


def pack(nodes: Iterable[Node]) -> bytes:
    """Return a tar of files, directories and links, parents first, or raise `ValueError`."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for node in sorted(nodes, key=lambda n: n.path):
            path = absolute(writable(node).path)
            entry = tarfile.TarInfo(path.lstrip("/") or ".")
            entry.type = _TYPES[node.kind]
            entry.mode, entry.uid, entry.gid = node.mode & 0o7777, node.uid, node.gid
            entry.mtime, entry.linkname = node.mtime, node.target
            data = node.data or b"" if node.kind == "file" else b""
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def parents(path: str) -> list[str]:
    """Return the directories above a path, the root excepted.

    >>> parents("/a/b/c")
    ['/a', '/a/b']
    """
    parts = path.split("/")[1:-1]
    return ["/" + "/".join(parts[: n + 1]) for n in range(len(parts))]


class Spent(Exception):
    """A cap was reached: the nodes that were read so far are the result."""


@dataclass(slots=True)
class Reader:
    """Collects nodes from archives until a cap is reached."""

    max_bytes: int
    max_nodes: int
    only: str = ""
    """The path of the only entry to read; "" for all."""
    nodes: dict[str, Node] = field(default_factory=dict)
    _bytes: int = 0
    _skipped: int = 0
    _inode: int = 0

    def read(self, chunks: Iterable[bytes], top: str) -> None:
        """Read one archive whose first entry is `top`.

        Raises:
            Spent: A cap was reached.
            tarfile.TarError: The stream is cut or damaged.
        """
        source = io.BufferedReader(_Chunks(iter(chunks)), _SKIP)
        names: dict[str, str] = {}
        with tarfile.open(
            fileobj=source, mode="r|", bufsize=_SKIP, errors="surrogateescape"
        ) as tar:
            for entry in tar:
                path = _place(entry.name, top)
                names[entry.name] = path
                if not self.only:
                    self._add(tar, entry, path, names)
                elif path == self.only:
                    self._add(tar, entry, path, names)
                    raise Spent
                else:
                    self._skip(entry)
                tar.members.clear()  # type: ignore[attr-defined]  # or it keeps every header

    def add(self, nodes: Mapping[str, Node]) -> None:
        """Take over the nodes of another reader; raise `Spent` if a cap was reached."""
        for path, node in nodes.items():
            self._count(node.data)
            self._inode += 1
            self.nodes[path] = replace(node, inode=self._inode)

    def _add(
        self, tar: tarfile.TarFile, entry: tarfile.TarInfo, path: str, names: dict[str, str]
    ) -> None:
        if path not in self.nodes and len(self.nodes) >= self.max_nodes:
            raise Spent
        mtime, mode = int(entry.mtime), entry.mode & 0o7777
        node = Node(path, "other", None, mode, entry.uid, entry.gid, mtime=mtime)
        if entry.isreg():
            self._inode += 1
            data = self._content(tar, entry)
            node = replace(node, kind="file", data=data, size=entry.size, inode=self._inode)
        elif entry.islnk():
            first = self.nodes.get(names.get(entry.linkname, ""))
            if first is not None:
                self._count(first.data)
                node = replace(first, path=path)
        elif entry.isdir():
            node = replace(node, kind="dir")
        elif entry.issym():
            node = replace(node, kind="link", target=entry.linkname)
        self.nodes[path] = node

    def _content(self, tar: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes | None:
        if entry.size > self.max_bytes:
            self._skip(entry)
            return None
        file = tar.extractfile(entry)
        data = file.read() if file else b""
        self._count(data)
        return data

    def _skip(self, entry: tarfile.TarInfo) -> None:
        self._skipped += entry.size
        if self._skipped > _STREAM:
            raise Spent

    def _count(self, data: bytes | None) -> None:
        self._bytes += len(data or b"")
        if self._bytes > 8 * self.max_bytes:
            raise Spent


def _place(name: str, top: str) -> str:
    """Return the path of an archive's entry; engines differ in how they name the first one.

    >>> _place("app/x/y", "/srv/app"), _place("app", "/srv/app"), _place("./.x", "/")
    ('/srv/app/x/y', '/srv/app', '/.x')
    """
    if top == "/":
        return "/" + (name[1:] if name == "." or name.startswith("./") else name).strip("/")
    below = name.strip("/").partition("/")[2]
    return f"{top}/{below}" if below else top


class _Chunks(io.RawIOBase):
    """An iterator of byte strings as a file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            try:
                self._rest = next(self._chunks)
            except StopIteration:
                return 0
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

"""Files, directories and links as data, to write them into a sandbox or to read them back.

FIFOs, devices and sockets that are read back have the kind `other` and no content.  Extended
attributes are left out.
"""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["file", "dir", "link", "other"]
PROSE = b"prose"
"""What stands for the words of a document in a digest."""
TOTAL_FACTOR = 8
"""All files of one `get` together may have this many times the limit of one file."""


@dataclass(frozen=True, slots=True)
class Node:
    """One entry of a file tree."""

    path: str
    """Absolute, normalised path inside the sandbox."""
    kind: Kind = "file"
    data: bytes | None = b""
    """Content of a regular file; None if it was too large to be read (see `size`)."""
    mode: int = 0o644
    """Permission bits, without the type."""
    uid: int = 0
    gid: int = 0
    target: str = ""
    """The target of a symbolic link, as written."""
    size: int = -1
    """Bytes of a file that was read back; -1 for other nodes."""
    inode: int = 0
    """Equal for two hard links to one file that was read back; 0 for other nodes."""
    mtime: int = 0
    """Seconds since 1970; fixed in worlds, so that trees can be compared."""
    canonical: bytes | None = None
    """What `digest` uses instead of `data`, if a library decides the exact bytes, or if the file is
    a document (see `prose`)."""


def text(path: str, content: str, *, mode: int = 0o644, mtime: int = 0) -> Node:
    """Return a UTF-8 text file."""
    return Node(path, data=content.encode(), mode=mode, mtime=mtime)


def prose(path: str, content: str) -> Node:
    """Return a document for people, such as a policy or a manual.

    No command of a solution depends on its words, so `digest` leaves them out: a document can be
    worded better and everything that was proven still holds.
    """
    return Node(path, data=content.encode(), canonical=PROSE)


def directory(path: str, *, mode: int = 0o755) -> Node:
    """Return a directory."""
    return Node(path, kind="dir", data=None, mode=mode)


def link(path: str, target: str) -> Node:
    """Return a symbolic link."""
    return Node(path, kind="link", data=None, mode=0o777, target=target)


def absolute(path: str) -> str:
    """Return a path without dots and doubled slashes.

    Raises:
        ValueError: The path is relative, or no file can have it.
    """
    if not path.startswith("/"):
        raise ValueError(f"a path inside a sandbox must be absolute: {path!a}")
    _nameable(path)
    return "/" + posixpath.normpath(path).lstrip("/")


def writable(node: Node) -> Node:
    """Return the node if it can be created.

    Raises:
        ValueError: It has the kind `other`, no content, or a name that no file can have.
    """
    if node.kind == "other" or (node.kind == "file" and node.data is None):
        raise ValueError(f"{node.path!a} has no content that could be written")
    absolute(node.path)
    _nameable(node.target)
    return node


def _nameable(name: str) -> None:
    """Refuse names that no file can have: those with NUL, or that `os.fsencode` refuses."""
    try:
        bad = b"\0" in os.fsencode(name)
    except UnicodeEncodeError:
        bad = True
    if bad:
        raise ValueError(f"no file inside a sandbox can be called {name[:100]!a}")


def digest(nodes: Iterable[Node]) -> str:
    """Return 32 hex digits that identify a tree: same nodes, same digest, in any order."""
    total = hashlib.blake2b(digest_size=16)
    for node in sorted(nodes, key=lambda n: n.path):
        body = node.canonical if node.canonical is not None else (node.data or b"")
        head = [node.path, node.kind, node.mode, node.uid, node.gid, node.target, node.mtime]
        total.update(json.dumps(head).encode() + b"\0")
        total.update(hashlib.blake2b(body, digest_size=16).digest())
    return total.hexdigest()

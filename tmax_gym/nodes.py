"""Entries of a file tree, as they cross the wall between host and sandbox.

Covers regular files, directories and symbolic links to be staged, and whatever a sandbox may
hold when it is read back (FIFOs, devices and sockets appear as `other`, without content).
Does not cover extended attributes.
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
TOTAL_FACTOR = 8
"""All files that are read back at once may hold this many times what one file may."""


@dataclass(frozen=True, slots=True)
class Node:
    """One entry of a file tree."""

    path: str
    """Absolute, normalised path inside the sandbox."""
    kind: Kind = "file"
    data: bytes | None = b""
    """Content of a regular file; None where it was too large to be read (see `size`)."""
    mode: int = 0o644
    """Permission bits, without the type."""
    uid: int = 0
    gid: int = 0
    target: str = ""
    """What a symbolic link points to, as written."""
    size: int = -1
    """Bytes of a file that was read back; -1 for a node that was made here."""
    inode: int = 0
    """Equal for two hard links to one file; 0 for a node that was made here."""
    mtime: int = 0
    """Seconds since 1970; worlds fix it, so that trees compare."""
    canonical: bytes | None = None
    """What the digest covers instead of `data`, where a library decides the exact bytes."""


def text(path: str, content: str, *, mode: int = 0o644, mtime: int = 0) -> Node:
    """Return a UTF-8 text file."""
    return Node(path, data=content.encode(), mode=mode, mtime=mtime)


def directory(path: str, *, mode: int = 0o755) -> Node:
    """Return a directory."""
    return Node(path, kind="dir", data=None, mode=mode)


def link(path: str, target: str) -> Node:
    """Return a symbolic link."""
    return Node(path, kind="link", data=None, mode=0o777, target=target)


def absolute(path: str) -> str:
    """Return a path without dots and doubled slashes.

    Raises:
        ValueError: The path is relative, or none that a file could have.
    """
    if not path.startswith("/"):
        raise ValueError(f"a path inside a sandbox must be absolute: {path!a}")
    _nameable(path)
    return "/" + posixpath.normpath(path).lstrip("/")


def writable(node: Node) -> Node:
    """Return a node that can be created somewhere.

    Raises:
        ValueError: It is of another kind, has no content, or names that no file could have.
    """
    if node.kind == "other" or (node.kind == "file" and node.data is None):
        raise ValueError(f"{node.path!a} has no content that could be written")
    absolute(node.path)
    _nameable(node.target)
    return node


def _nameable(name: str) -> None:
    """Refuse what no file can be called: any bytes will do, as `os.fsencode` has them, but NUL."""
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

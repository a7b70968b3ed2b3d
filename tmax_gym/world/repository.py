"""Write git repositories object by object, without git.

Covers blobs, trees, commits with any number of parents, branches, light and annotated tags, HEAD,
a configuration and a checked-out work tree.  Every object is loose and stored without
compression, so a repository has the same bytes everywhere; its ids are git's own.  Does not
cover packs, reflogs, submodules or signatures.
Formats: gitformat-index(5), git-hash-object(1).
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from tmax_gym.nodes import Node, directory
from tmax_gym.world.deflate import zlib_stream

Content = bytes | str
_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = {bare}\n"
_LOGS = "\tlogallrefupdates = true\n"


@dataclass(frozen=True, slots=True)
class Person:
    """An author or committer."""

    name: str
    email: str
    zone: str = "+0000"

    def at(self, when: int) -> str:
        """Return the signature line of a commit or tag."""
        return f"{self.name} <{self.email}> {when} {self.zone}"


@dataclass(frozen=True, slots=True)
class Blob:
    """A file of a snapshot that is executable or a link."""

    data: bytes
    executable: bool = False
    link: bool = False
    """True if `data` is the target of a symbolic link."""

    @property
    def mode(self) -> str:
        """Return git's mode."""
        return "120000" if self.link else "100755" if self.executable else "100644"


Snapshot = Mapping[str, Content | Blob]
"""Relative path to content; directories are implied."""


def _blob(content: Content | Blob) -> Blob:
    if isinstance(content, Blob):
        return content
    return Blob(content.encode() if isinstance(content, str) else content)


@dataclass(slots=True)
class Repository:
    """A repository under construction; `nodes` ends it."""

    objects: dict[str, bytes] = field(default_factory=dict)
    """Object id to header and body."""
    refs: dict[str, str] = field(default_factory=dict)
    """Full reference name to object id."""
    head: str = "refs/heads/main"
    """A reference name, or an object id for a detached HEAD."""
    snapshots: dict[str, dict[str, Blob]] = field(default_factory=dict)
    """Commit id to the files of its tree."""

    def store(self, kind: str, body: bytes) -> str:
        """Add one object and return its id."""
        raw = f"{kind} {len(body)}".encode() + b"\0" + body
        # SHA-1 is git's naming scheme here, not a protection.
        name = hashlib.sha1(raw, usedforsecurity=False).hexdigest()
        self.objects[name] = raw
        return name

    def tree(self, files: Snapshot) -> str:
        """Add the tree of these files, and everything below it."""
        entries: dict[str, tuple[str, str]] = {}
        below: dict[str, dict[str, Content | Blob]] = {}
        for path, content in files.items():
            first, slash, rest = path.partition("/")
            if first in ("", ".", "..", ".git") or (slash and not rest):
                raise ValueError(f"{path!r} is not a path that git accepts in a tree")
            if slash:
                below.setdefault(first, {})[rest] = content
            else:
                blob = _blob(content)
                entries[first] = (blob.mode, self.store("blob", blob.data))
        for name, inner in below.items():
            if name in entries:
                raise ValueError(f"{name!r} is a file and a directory at once")
            entries[name] = ("40000", self.tree(inner))
        # Git sorts directories as if their names ended with a slash.
        order = sorted(entries, key=lambda n: n.encode() + b"/" * (entries[n][0] == "40000"))
        parts = (
            f"{entries[n][0]} {n}".encode() + b"\0" + bytes.fromhex(entries[n][1]) for n in order
        )
        return self.store("tree", b"".join(parts))

    def commit(
        self,
        files: Snapshot,
        message: str,
        *,
        author: Person,
        when: int,
        parents: tuple[str, ...] = (),
        branch: str = "",
        committer: Person | None = None,
    ) -> str:
        """Add a commit; `branch` moves to it, and two parents make it a merge."""
        for parent in parents:
            if parent not in self.snapshots:
                raise ValueError(f"parent {parent!r} is not a commit of this repository")
        lines = [f"tree {self.tree(files)}", *(f"parent {p}" for p in parents)]
        lines += [f"author {author.at(when)}", f"committer {(committer or author).at(when)}"]
        body = "\n".join(lines) + "\n\n" + message.rstrip("\n") + "\n"
        name = self.store("commit", body.encode())
        self.snapshots[name] = {path: _blob(content) for path, content in files.items()}
        if branch:
            self.refs[f"refs/heads/{branch}"] = name
        return name

    def tag(
        self,
        name: str,
        target: str,
        message: str = "",
        *,
        tagger: Person | None = None,
        when: int = 0,
    ) -> str:
        """Add a tag, annotated if it has a message and a tagger; return what it points to."""
        tagged = target
        if message and tagger:
            kind = self.objects[target].split(b" ", 1)[0].decode()
            head = f"object {target}\ntype {kind}\ntag {name}\ntagger {tagger.at(when)}\n\n"
            tagged = self.store("tag", (head + message.rstrip("\n") + "\n").encode())
        self.refs[f"refs/tags/{name}"] = tagged
        return tagged

    def tip(self) -> str:
        """Return the commit that HEAD means; empty before the first one."""
        return self.refs.get(self.head, "") if self.head.startswith("refs/") else self.head

    def nodes(
        self, root: str, *, bare: bool = False, config: str = "", checkout: bool = True
    ) -> tuple[Node, ...]:
        """Return the repository at `root`, with the files of HEAD unless it is bare.

        The index lists them with unknown times, so git compares contents once and agrees.
        """
        top = root.rstrip("/")
        home = top if bare else f"{top}/.git"
        entries: dict[str, Node] = {}

        def add(path: str, data: bytes, mode: int = 0o644) -> None:
            entries[path] = Node(path, data=data, mode=mode)

        head = f"ref: {self.head}\n" if self.head.startswith("refs/") else f"{self.head}\n"
        settings = _CONFIG.format(bare=str(bare).lower()) + ("" if bare else _LOGS)
        add(f"{home}/HEAD", head.encode())
        add(f"{home}/config", (settings + config).encode())
        for name, target in self.refs.items():
            add(f"{home}/{name}", f"{target}\n".encode())
        for name, raw in self.objects.items():
            # Git itself marks objects read-only.
            add(f"{home}/objects/{name[:2]}/{name[2:]}", zlib_stream(raw), 0o444)
        files = self.snapshots.get(self.tip(), {})
        if not bare and checkout and files:
            add(f"{home}/index", _index(self, files))
            for path, blob in files.items():
                entries[f"{top}/{path}"] = _checked_out(f"{top}/{path}", blob)
        folders = {
            f"{home}/{n}" for n in ("objects/info", "objects/pack", "refs/heads", "refs/tags")
        }
        for path in (*entries, *folders):
            while len(path := path.rpartition("/")[0]) > len(top):
                folders.add(path)
        folders.add(top or "/")
        entries |= {path: directory(path) for path in folders if path}
        return tuple(entries[path] for path in sorted(entries))


def _checked_out(path: str, blob: Blob) -> Node:
    if blob.link:
        return Node(path, kind="link", data=None, mode=0o777, target=blob.data.decode())
    return Node(path, data=blob.data, mode=0o755 if blob.executable else 0o644)


def _index(repository: Repository, files: Mapping[str, Blob]) -> bytes:
    """Return an index (version 2) of these files, with zeros for everything from stat."""
    out = b"DIRC" + struct.pack(">II", 2, len(files))
    for path in sorted(files, key=str.encode):
        blob, name = files[path], path.encode()
        stat = struct.pack(">6I", *(0,) * 6)
        mode = int(blob.mode, 8)
        object_id = bytes.fromhex(repository.store("blob", blob.data))
        entry = stat + struct.pack(">4I", mode, 0, 0, 0) + object_id
        entry += struct.pack(">H", min(len(name), 0xFFF)) + name
        # One to eight zero bytes end an entry at a multiple of eight.
        out += entry + bytes(8 - len(entry) % 8)
    return out + hashlib.sha1(out, usedforsecurity=False).digest()

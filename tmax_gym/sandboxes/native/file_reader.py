"""Reading a sandbox's files from outside, by directory descriptor.

Covers files, directories, links; FIFOs, devices and sockets are seen and never opened.  No
symbolic link is followed in any component, no mount is crossed, and neither a huge file nor a
deep or crowded tree costs more than its cap.  Paths longer than 4,095 bytes are left out.
"""

from __future__ import annotations

import errno
import os
import posixpath
import stat
from collections.abc import Sequence

from tmax_gym.errors import SandboxError
from tmax_gym.nodes import TOTAL_FACTOR, Kind, Node, absolute
from tmax_gym.sandboxes.native import syscalls as calls

STRICT = (
    calls.RESOLVE_BENEATH
    | calls.RESOLVE_NO_SYMLINKS
    | calls.RESOLVE_NO_MAGICLINKS
    | calls.RESOLVE_NO_XDEV
)
_CHUNK = 1 << 20
_OF_HOST = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO)
"""What no file of an agent causes: taken for an absent one, it would cost the reward."""


def _refuse_host(error: OSError, path: str) -> None:
    if error.errno in _OF_HOST:
        raise SandboxError(f"this host cannot read {path!r} in a sandbox: {error}") from error


class Trees:
    """The directories of one sandbox: its root, and what is mounted over parts of it."""

    def __init__(self, roots: dict[str, int], *, rootless: bool) -> None:
        self.roots = roots
        self.rootless = rootless

    def locate(self, path: str) -> tuple[int, str]:
        """Return the tree that holds a path, and the path below it."""
        clean = absolute(path)
        points = [p for p in self.roots if p and (clean == p or clean.startswith(p + "/"))]
        point = max(points, key=len, default="")
        return self.roots[point], clean[len(point) :].lstrip("/") or "."

    def close(self) -> None:
        """Close the descriptors."""
        roots, self.roots = self.roots, {}
        for fd in roots.values():
            os.close(fd)

    def get(self, paths: Sequence[str], *, max_bytes: int, max_nodes: int) -> tuple[Node, ...]:
        """Read entries, directories with all below them, sorted by path."""
        found: dict[str, Node] = {}
        left = TOTAL_FACTOR * max_bytes
        pending = sorted({absolute(path) for path in paths}, reverse=True)
        while pending and len(found) < max_nodes and left >= 0:
            path = pending.pop()
            if path in found or (entry := self._open(path)) < 0:
                continue
            try:
                node = self._read(entry, path, cap=min(max_bytes, left))
                found[path] = node
                left -= len(node.data or b"")
                if node.kind == "dir":
                    names = self._names(entry)
                    pending += [posixpath.join(path, name) for name in reversed(names)]
            finally:
                os.close(entry)
        return tuple(found[path] for path in sorted(found))

    def _open(self, path: str) -> int:
        """Return an entry's descriptor, good for no I/O; -1 where it is out of reach."""
        root, below = self.locate(path)
        flags = os.O_PATH | os.O_NOFOLLOW
        try:
            try:
                return calls.openat2(root, below, flags=flags, resolve=STRICT)
            except PermissionError:
                if not self.rootless:
                    raise
            self._unlock(root, below)
            return calls.openat2(root, below, flags=flags, resolve=STRICT)
        except OSError as error:  # absent, behind a link or a mount, or a name that is too long
            _refuse_host(error, path)
            return -1

    def _unlock(self, root: int, below: str) -> None:
        """Let the owner, who we are without root, into the directories above an entry."""
        flags = os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY
        parts = below.split("/")[:-1]
        for at in range(len(parts)):
            fd = calls.openat2(root, "/".join(parts[: at + 1]), flags=flags, resolve=STRICT)
            try:
                name = f"/proc/self/fd/{fd}"
                os.chmod(name, stat.S_IMODE(os.stat(name).st_mode) | 0o500)
            finally:
                os.close(fd)

    def _read(self, entry: int, path: str, *, cap: int) -> Node:
        info = os.fstat(entry)
        kind: Kind = "other"
        data: bytes | None = None
        target = ""
        size = 0
        if stat.S_ISREG(info.st_mode):
            kind, size = "file", info.st_size
            data = self._content(entry, path, cap) if size <= cap else None
        elif stat.S_ISDIR(info.st_mode):
            kind = "dir"
        elif stat.S_ISLNK(info.st_mode):
            kind, target = "link", os.readlink("", dir_fd=entry)
        uid, gid = self._owner(info)
        mode = stat.S_IMODE(info.st_mode)
        mtime = int(info.st_mtime)
        return Node(path, kind, data, mode, uid, gid, target, size, info.st_ino, mtime)

    def _owner(self, info: os.stat_result) -> tuple[int, int]:
        """Return the ids as seen inside: without root, our own id is its root."""
        if not self.rootless:
            return info.st_uid, info.st_gid
        uid = 0 if info.st_uid == os.getuid() else 65534
        return uid, 0 if info.st_gid == os.getgid() else 65534

    def _content(self, entry: int, path: str, cap: int) -> bytes | None:
        """Return a regular file's content; None where it grew beyond `cap` meanwhile."""
        try:
            fd = self._reopen(entry, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:  # a name that may not be opened even by its owner
            _refuse_host(error, path)
            return None
        parts, left = [], cap + 1
        try:
            while left > 0 and (part := os.read(fd, min(_CHUNK, left))):
                parts.append(part)
                left -= len(part)
        finally:
            os.close(fd)
        return b"".join(parts) if left > 0 else None

    def _names(self, entry: int) -> list[str]:
        try:
            fd = self._reopen(entry, os.O_RDONLY | os.O_DIRECTORY)
            try:
                return sorted(os.listdir(fd))
            finally:
                os.close(fd)
        except OSError as error:
            _refuse_host(error, "a directory")
            return []

    def _reopen(self, entry: int, flags: int) -> int:
        """Open what a descriptor stands for; it cannot be replaced on the way."""
        path = f"/proc/self/fd/{entry}"
        try:
            return os.open(path, flags | os.O_CLOEXEC)
        except PermissionError:
            if not self.rootless:
                raise
        # Without root the owner's bits bind us; they are the agent's to set, and ours.
        os.chmod(path, stat.S_IMODE(os.stat(path).st_mode) | 0o500)
        return os.open(path, flags | os.O_CLOEXEC)

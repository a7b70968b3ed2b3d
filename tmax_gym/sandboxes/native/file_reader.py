"""Reads a sandbox's files from outside, through a descriptor of its root directory.

FIFOs, devices and sockets are listed and never opened.  No symbolic link is followed in any
component, no mount is crossed, and neither a huge file nor a deep or crowded tree costs more than
its cap.  Paths longer than 4,095 bytes are left out.
"""

from __future__ import annotations

import errno
import os
import posixpath
import stat
from collections.abc import Iterable, Sequence

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
_HOST_ERRORS = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO)
"""Errors that no file of an agent causes: to take the file for absent would cost the reward."""


def _raise_host_error(error: OSError, path: str) -> None:
    if error.errno in _HOST_ERRORS:
        raise SandboxError(f"this host cannot read {path!r} in a sandbox: {error}") from error


def split(path: str, points: Iterable[str]) -> tuple[str, str]:
    """Return the mount point that holds a path, and the path below it."""
    holding = (point for point in points if point and (path + "/").startswith(point + "/"))
    point = max(holding, key=len, default="")
    return point, path[len(point) :].lstrip("/")


class Trees:
    """The directories of one sandbox by mount point; the root's is ""."""

    def __init__(self, roots: dict[str, int], *, rootless: bool) -> None:
        self.roots = roots
        self.rootless = rootless

    def locate(self, path: str) -> tuple[int, str]:
        """Return the tree that holds a path, and the path below it."""
        point, below = split(absolute(path), self.roots)
        return self.roots[point], below or "."

    def close(self) -> None:
        """Close the descriptors."""
        roots, self.roots = self.roots, {}
        for fd in roots.values():
            os.close(fd)

    def get(self, paths: Sequence[str], *, max_bytes: int, max_nodes: int) -> tuple[Node, ...]:
        """Read entries, directories with all below them, sorted by path."""
        nodes: dict[str, Node] = {}
        left = TOTAL_FACTOR * max_bytes
        pending = sorted({absolute(path) for path in paths}, reverse=True)
        while pending and len(nodes) < max_nodes and left >= 0:
            path = pending.pop()
            if path in nodes or (entry := self._open(path)) < 0:
                continue
            try:
                node = self._read(entry, path, cap=min(max_bytes, left))
                nodes[path] = node
                left -= len(node.data or b"")
                if node.kind == "dir":
                    names = self._names(entry)
                    pending += [posixpath.join(path, name) for name in reversed(names)]
            finally:
                os.close(entry)
        return tuple(nodes[path] for path in sorted(nodes))

    def _open(self, path: str) -> int:
        """Return an O_PATH descriptor of an entry; -1 if it is out of reach."""
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
            _raise_host_error(error, path)
            return -1

    def _unlock(self, root: int, below: str) -> None:
        """Let the owner, who we are without root, into the directories above an entry."""
        flags = os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY
        parts = below.split("/")[:-1]
        for at in range(len(parts)):
            fd = calls.openat2(root, "/".join(parts[: at + 1]), flags=flags, resolve=STRICT)
            try:
                _let_owner_read(f"/proc/self/fd/{fd}")
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
        """Return the ids as seen inside: without root, our own id is root there."""
        if not self.rootless:
            return info.st_uid, info.st_gid
        uid = 0 if info.st_uid == os.getuid() else 65534
        return uid, 0 if info.st_gid == os.getgid() else 65534

    def _content(self, entry: int, path: str, cap: int) -> bytes | None:
        """Return a regular file's content; None if it has grown beyond `cap` meanwhile."""
        try:
            fd = self._reopen(entry, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:  # a file that not even its owner may open
            _raise_host_error(error, path)
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
            _raise_host_error(error, "a directory")
            return []

    def _reopen(self, entry: int, flags: int) -> int:
        """Open the file of an O_PATH descriptor: no other can take its place meanwhile."""
        path = f"/proc/self/fd/{entry}"
        try:
            return os.open(path, flags | os.O_CLOEXEC)
        except PermissionError:
            if not self.rootless:
                raise
        # Without root we are bound by the owner's mode bits, which the agent sets.
        _let_owner_read(path)
        return os.open(path, flags | os.O_CLOEXEC)


def _let_owner_read(path: str) -> None:
    os.chmod(path, stat.S_IMODE(os.stat(path).st_mode) | 0o500)

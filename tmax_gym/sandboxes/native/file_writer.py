"""Writes files into a sandbox or a layer from outside, through a directory descriptor.

No symbolic link is followed in any component: a link as a parent is an error, one with the node's
own path is replaced.
"""

from __future__ import annotations

import contextlib
import errno
import os
import posixpath
import stat
from collections.abc import Callable, Iterable

from tmax_gym.errors import SandboxError
from tmax_gym.nodes import Node, absolute, writable
from tmax_gym.sandboxes.native import syscalls as calls
from tmax_gym.sandboxes.native.file_reader import STRICT, Trees

Attributes = Callable[[str], "os.stat_result | None"]
"""Returns the attributes of a directory that exists already below a layer."""


def put(trees: Trees, nodes: Iterable[Node], *, below: Attributes | None = None) -> None:
    """Create these entries and missing parents.

    Raises:
        SandboxError: A link or a file stands in the way, or the disk is full.
        ValueError: A node that cannot be made.
    """
    writer = _Writer(trees, below or (lambda _: None))
    for node in nodes:
        try:
            writer.write(node)
        except OSError as error:
            raise SandboxError(
                f"writing {node.path!r} into the sandbox failed: {error.strerror}. {_remedy(error)}"
            ) from error
    writer.set_times()


def _remedy(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "Its disk is full: raise Limits.disk or Limits.inodes."
    if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EXDEV):
        return "A link, a file or a mount stands in the path: give the real path."
    return "Remove what stands in its place."


class _Writer:
    def __init__(self, trees: Trees, below: Attributes) -> None:
        self.trees = trees
        self.below = below
        self.times: dict[str, int] = {}

    def write(self, node: Node) -> None:
        path = absolute(writable(node).path)
        if path in ("/", *self.trees.roots):
            if node.kind != "dir":
                raise ValueError(f"{path!r} can only be a directory")
            self._attributes(path, node)
            return
        parent, name = posixpath.split(path)
        directory = self._directory(parent, node)
        try:
            if node.kind == "dir":
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=directory)
                self._attributes(path, node)
            elif node.kind == "file":
                self._file(directory, name, node)
            else:
                _clear(directory, name)
                os.symlink(node.target, name, dir_fd=directory)
                if not self.trees.rootless:
                    os.chown(name, node.uid, node.gid, dir_fd=directory, follow_symlinks=False)
                times = (node.mtime, node.mtime)
                os.utime(name, times, dir_fd=directory, follow_symlinks=False)
        finally:
            os.close(directory)

    def _file(self, directory: int, name: str, node: Node) -> None:
        _clear(directory, name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(name, flags, 0o600, dir_fd=directory)
        try:
            rest = memoryview(node.data or b"")
            while rest:
                rest = rest[os.write(fd, rest) :]
            if not self.trees.rootless:
                os.fchown(fd, node.uid, node.gid)
            os.fchmod(fd, node.mode)  # after the owner: a change of owner clears set-id bits
            os.utime(fd, (node.mtime, node.mtime))
        finally:
            os.close(fd)

    def _attributes(self, path: str, node: Node) -> None:
        """Set a directory's owner and mode now; its time is set when it is full."""
        fd = self._open(path)
        try:
            name = f"/proc/self/fd/{fd}"
            if not self.trees.rootless:
                os.chown(name, node.uid, node.gid)
            os.chmod(name, node.mode)
            self.times[path] = node.mtime
        finally:
            os.close(fd)

    def _directory(self, path: str, node: Node) -> int:
        """Open a directory, and make it and its parents if they are missing."""
        try:
            return self._open(path)
        except FileNotFoundError:
            pass
        existing = self.below(path)
        if existing is not None and not stat.S_ISDIR(existing.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        parent, name = posixpath.split(path)
        above = self._directory(parent, node)
        try:
            os.mkdir(name, 0o755, dir_fd=above)
        finally:
            os.close(above)
        if existing is None:
            attributes = Node(path, "dir", None, 0o755, mtime=node.mtime)
        else:  # a layer's directory hides the attributes of the one below it
            mode, mtime = stat.S_IMODE(existing.st_mode), int(existing.st_mtime)
            owner = existing.st_uid, existing.st_gid
            attributes = Node(path, "dir", None, mode, *owner, mtime=mtime)
        self._attributes(path, attributes)
        return self._open(path)

    def _open(self, path: str) -> int:
        root, below = self.trees.locate(path)
        flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW
        return calls.openat2(root, below, flags=flags, resolve=STRICT)

    def set_times(self) -> None:
        """Set the times of directories, the deepest first."""
        for path in sorted(self.times, key=lambda p: p.count("/"), reverse=True):
            fd = self._open(path)
            try:
                os.utime(f"/proc/self/fd/{fd}", (self.times[path],) * 2)
            finally:
                os.close(fd)


def _clear(directory: int, name: str) -> None:
    """Remove an entry, unless it is a directory."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=directory)

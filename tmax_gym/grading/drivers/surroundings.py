"""Part of drivers: restores files after each case, so that no run learns from earlier ones.

It restores all that a program can leave for its next run when its processes are dead: files in its
own trees and in every directory that it may write to, their content, rights, links and times, and
System V shared memory, semaphores and message queues.
It does not restore numbers that only grow: process ids, inode numbers, the time, `ctime`.  They
tell a program how often it has run, which is no use, as the order of the cases is random.  If there
is only one user (rootless Apptainer), programs own the whole image, of which only the named trees
and the writable directories are restored.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tmax_gym.grading.drivers.programs import (  # stand before this text where it runs
        ALONE,
        NOBODY,
    )

KEPT_BYTES = 128 << 20
"""Most bytes that are kept of all files together: an eighth of the machine's memory."""
SKIPPED = ("/proc", "/sys", "/usr")
"""Trees of the image without anything that programs may write to."""


class Entry:
    """One file, directory or link as it was at the start."""

    def __init__(self, path: str, info: os.stat_result, room: int) -> None:
        self.path = path
        self.info = info
        self.names: set[str] = set()
        self.target = ""
        self.data: bytes | None = None
        if stat.S_ISDIR(info.st_mode):
            self.names = set(os.listdir(path))
        elif stat.S_ISLNK(info.st_mode):
            self.target = os.readlink(path)
        elif stat.S_ISREG(info.st_mode) and info.st_size <= room:
            with open(path, "rb") as file:
                self.data = file.read()
        # An overlay copies a file at its first write: a program must not see that by inode or time.
        os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns), follow_symlinks=False)
        self.look()

    def look(self) -> None:
        """Remember the attributes that show whether the entry has been touched."""
        self.info = os.lstat(self.path)
        self.mark = mark(self.info)
        self.atime = self.info.st_atime_ns


class Surroundings:
    """The state of everything that programs may write to."""

    def __init__(self, roots: list[str], files: list[str]) -> None:
        """Record everything below `roots` and in writable directories, and single `files`."""
        self._entries: dict[str, Entry] = {}
        self._room = KEPT_BYTES
        for root in [*roots, *open_places()]:
            self._add(root)
        self._absent = sorted({absent(path) for path in files} - {""})
        for path in files:
            if os.path.lexists(path):
                self._add(path)

    def _add(self, root: str) -> None:
        todo = [root]
        while todo:
            path = todo.pop()
            if path in self._entries:
                continue
            try:
                entry = Entry(path, os.lstat(path), self._room)
            except OSError:
                continue  # absent: a root need not exist
            self._entries[path] = entry
            self._room -= len(entry.data or b"")
            todo += [os.path.join(path, name) for name in sorted(entry.names, reverse=True)]

    def restore(self) -> bool:
        """Put everything back; return whether that was possible."""
        times: dict[str, tuple[int, int]] = {}
        if not ALONE:
            forget_shared()
        try:
            for path in self._absent:
                remove(path)
            for entry in self._entries.values():  # a directory comes before what is in it
                self._put_back(entry, times)
            for path in reversed(list(self._entries)):
                if path in times:
                    os.utime(path, ns=times[path], follow_symlinks=False)
                    self._entries[path].look()
        except OSError:
            return False
        return True

    def _put_back(self, entry: Entry, times: dict[str, tuple[int, int]]) -> None:
        try:
            now = os.lstat(entry.path)
        except FileNotFoundError:
            now = None
        if now and mark(now) == entry.mark and now.st_atime_ns == entry.atime:
            return
        for path in (entry.path, os.path.dirname(entry.path)):
            if path in self._entries:
                info = self._entries[path].info
                times[path] = (info.st_atime_ns, info.st_mtime_ns)
        if not now or mark(now) != entry.mark:
            rebuild(entry, now)


def mark(info: os.stat_result) -> tuple[int, ...]:
    """Return the attributes that change with a file; only the kernel sets its `ctime`."""
    same = (info.st_ino, info.st_mode, info.st_uid, info.st_gid, info.st_mtime_ns, info.st_ctime_ns)
    return same if stat.S_ISDIR(info.st_mode) else (*same, info.st_size, info.st_nlink)


def rebuild(entry: Entry, now: os.stat_result | None) -> None:
    """Restore an entry, whatever is at its path now."""
    path, mode = entry.path, entry.info.st_mode
    if now and (now.st_ino, stat.S_IFMT(now.st_mode)) != (entry.info.st_ino, stat.S_IFMT(mode)):
        remove(path)
        now = None
    if stat.S_ISDIR(mode):
        if now is None:
            os.mkdir(path, 0o700)
        for name in set(os.listdir(path)) - entry.names:
            remove(os.path.join(path, name))
    elif stat.S_ISLNK(mode):
        if now is None:
            os.symlink(entry.target, path)
    elif stat.S_ISREG(mode):
        if entry.data is None:
            raise OSError(f"{path} was changed, and is too large to be kept")
        with open(path, "r+b" if now else "xb") as file:
            file.write(entry.data)
            file.truncate()
    elif now is None:
        raise OSError(f"{path} is gone, and an entry of its kind cannot be made")
    os.chown(path, entry.info.st_uid, entry.info.st_gid, follow_symlinks=False)
    if not stat.S_ISLNK(mode):
        for name in attributes(path):
            os.removexattr(path, name)
        os.chmod(path, stat.S_IMODE(mode))


def attributes(path: str) -> list[str]:
    """Return the names of a file's extended attributes, access lists among them."""
    try:
        return os.listxattr(path)
    except OSError:
        return []  # this file system has none


def absent(path: str) -> str:
    """Return the outermost part of a path that does not exist, "" if all of it exists."""
    gone = ""
    while path not in ("", "/") and not os.path.lexists(path):
        gone, path = path, os.path.dirname(path)
    return gone


def open_places() -> list[str]:
    """Return the outermost directories and files of the image that `nobody` may write to."""
    places, todo = [], ["/"]
    while todo:
        try:
            with os.scandir(todo.pop()) as entries:
                for entry in entries:
                    if entry.path in SKIPPED:
                        continue
                    info = entry.stat(follow_symlinks=False)
                    kind = stat.S_IFMT(info.st_mode)
                    if kind in (stat.S_IFDIR, stat.S_IFREG) and is_open(info):
                        places.append(entry.path)
                    elif kind == stat.S_IFDIR:
                        todo.append(entry.path)
        except OSError:
            continue
    return sorted(places)


def is_open(info: os.stat_result) -> bool:
    """Return whether `nobody` may write to a file or directory."""
    if info.st_uid == NOBODY:
        return True  # an owner can always give himself the right
    return bool(info.st_mode & (stat.S_IWGRP if info.st_gid == NOBODY else stat.S_IWOTH))


def remove(path: str) -> None:
    """Remove the entry at a path, if any; a tree may be deeper than a path can be long."""
    try:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            os.unlink(path)
            return
    except FileNotFoundError:
        return
    # Each round moves deeper directories up by one level, so that no path grows.
    lifted = 0
    while folders := emptied(path):
        for folder in folders:
            for inner in emptied(folder):
                os.rename(inner, os.path.join(path, f".lifted-{lifted}-{os.getpid()}"))
                lifted += 1
            os.rmdir(folder)
    os.rmdir(path)


def emptied(path: str) -> list[str]:
    """Remove everything but directories from a directory; return its directories."""
    folders = []
    for name in os.listdir(path):
        inner = os.path.join(path, name)
        if stat.S_ISDIR(os.lstat(inner).st_mode):
            folders.append(inner)
        else:
            os.unlink(inner)
    return folders


def forget_shared() -> None:
    """Remove System V shared memory, semaphores and message queues that programs made."""
    for kind in ("shm", "sem", "msg"):
        try:
            with open(f"/proc/sysvipc/{kind}", "rb") as table:
                header, *rows = [line.split() for line in table]
        except (OSError, ValueError):
            continue  # this kernel has none
        maker = header.index(b"cuid")  # unlike `uid`, nobody changes it
        for row in rows:
            if int(row[maker]) == NOBODY:
                import ctypes

                control = getattr(ctypes.CDLL(None), f"{kind}ctl")
                control(int(row[1]), *((0, 0) if kind == "sem" else (0, None)))  # IPC_RMID

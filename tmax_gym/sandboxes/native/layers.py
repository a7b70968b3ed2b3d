"""Task files as read-only directories that sandboxes share.

Each (image, key) is extracted once, and removed when it has long been unused.  Small layers lie in
memory if the host has room there: making and removing 20 files on a disk costs as much as starting
the machine that reads them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes import Layer
from tmax_gym.sandboxes.images import RootTree
from tmax_gym.sandboxes.native import file_writer
from tmax_gym.sandboxes.native.file_reader import Trees, split

_KEPT = 64
"""Unused layers that are kept, for rollouts of one task that start one after the other."""
_SMALL = 1 << 20
"""Largest layer in bytes that goes to memory; tasks have 51 kB on average."""
_BLOCK = 4096
"""Bytes that the smallest file takes there; its inode and name take about as much."""
_ROOM = 4 * _KEPT * _SMALL
"""Free bytes that the host's shared memory must have: containers give theirs 64 MB."""
_SHARED_MEMORY = Path("/dev/shm")


def parents(cache: Path) -> list[Path]:
    """Return this user's directories for layers: one in memory if possible, then one on disk."""
    disk = cache / "layers"
    disk.mkdir(parents=True, exist_ok=True)
    memory = _SHARED_MEMORY / f"tmax-gym-{os.getuid()}"
    with contextlib.suppress(OSError):
        if _file_system(_SHARED_MEMORY) == "tmpfs" and _free(_SHARED_MEMORY) >= _ROOM:
            with contextlib.suppress(FileExistsError):
                memory.mkdir(mode=0o700)
            info = os.lstat(memory)
            # Every user may write beside it: only a directory that is ours alone will do.
            ours = stat.S_ISDIR(info.st_mode) and info.st_uid == os.getuid()
            if ours and not info.st_mode & 0o077:
                return [memory, disk]
    return [disk]


def _file_system(path: Path) -> str:
    """Return the type of the file system that is mounted at a path, "" if none is."""
    kind = ""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        if before.split()[4] == str(path):
            kind = after.split()[0]
    return kind


def _free(path: Path) -> int:
    return shutil.disk_usage(path).free


@dataclass(slots=True)
class _Entry:
    lock: threading.Lock = field(default_factory=threading.Lock)
    users: int = 0
    ready: bool = False


class LayerStore:
    """The layers of this process, below its own directories, of which the first is the fastest."""

    def __init__(self, directories: Sequence[Path], *, rootless: bool) -> None:
        self.directories = tuple(directories)
        self.rootless = rootless
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}
        self._removed = 0
        self._retired = False

    def acquire(self, layer: Layer, tree: RootTree) -> tuple[str, dict[str, Path]]:
        """Return a name for `release`, and the layer's directory for each mount point."""
        name = hashlib.blake2b(f"{tree.id}\0{layer.key}".encode(), digest_size=16).hexdigest()
        with self._lock:
            if self._retired:
                raise SandboxError("the zygote process has ended. Try again.")
            entry = self._entries.pop(name, None) or _Entry()
            self._entries[name] = entry  # the newest last
            entry.users += 1
        target = self._directory(layer) / name
        try:
            with entry.lock:
                if not entry.ready:
                    self._extract(layer, tree, target)
                    entry.ready = True
        except (SandboxError, OSError) as error:
            self.release(name)
            raise SandboxError(
                f"a task's files could not be laid out in {target.parent}: {error}\n"
                "Make room there, or choose another directory by TMAX_CACHE."
            ) from error
        except BaseException:
            self.release(name)
            raise
        return name, {
            point: target / str(at)
            for at, (point, _) in enumerate(tree.trees)
            if (target / str(at)).is_dir()
        }

    def release(self, name: str) -> None:
        """Give a layer back; the oldest unused ones are removed."""
        with self._lock:
            self._entries[name].users -= 1
            retired = self._retired
            unused = [key for key, entry in self._entries.items() if entry.users == 0]
            renamed = []
            for key in unused[: max(0, len(unused) - _KEPT)]:
                del self._entries[key]
                # Renamed first, so that an equal layer may be made again at once; to a name
                # that no other thread removes.
                for directory in self.directories:
                    if (old := directory / key).exists():
                        self._removed += 1
                        renamed.append(old.rename(directory / f"gone-{self._removed}"))
        for path in renamed:
            shutil.rmtree(path, ignore_errors=True)
        if retired:
            self.retire()

    def retire(self) -> None:
        """Give out no more layers, and remove all of them as soon as none is in use.

        The machines are dead by now; their files may still be graded.
        """
        with self._lock:
            self._retired = True
            if any(entry.users for entry in self._entries.values()):
                return
        for directory in self.directories:
            shutil.rmtree(directory, ignore_errors=True)

    def _directory(self, layer: Layer) -> Path:
        size = sum(_BLOCK + len(node.data or b"") for node in layer.nodes)
        return self.directories[0 if size <= _SMALL else -1]

    def _extract(self, layer: Layer, tree: RootTree, target: Path) -> None:
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(mode=0o700, parents=True)
        lowers = dict(tree.trees)

        def below(path: str) -> os.stat_result | None:
            point, inside = split(path, lowers)
            for lower in lowers[point]:
                try:
                    return os.lstat(f"{lower}/{inside}")
                except OSError:
                    continue
            return None

        trees = Trees({}, rootless=self.rootless)
        try:
            for at, (point, _) in enumerate(tree.trees):
                directory = target / str(at)
                directory.mkdir(mode=0o755)
                trees.roots[point] = os.open(directory, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            file_writer.put(trees, layer.nodes, below=below)
        finally:
            trees.close()
        for at, (point, _) in enumerate(tree.trees):
            directory = target / str(at)
            if point and not any(directory.iterdir()):
                directory.rmdir()  # this layer has no files there

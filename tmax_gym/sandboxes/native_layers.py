"""Task files as read-only directories that sandboxes share.

Covers one extraction per (image, key), counting users, and removing what has long been unused.
Does not check that two layers of one key are equal: the key is a digest.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
from dataclasses import dataclass, field
from pathlib import Path

from tmax_gym.sandboxes import Layer, native_stage
from tmax_gym.sandboxes.images import RootTree
from tmax_gym.sandboxes.native_tree import Trees

_KEPT = 64
"""Unused layers that stay, for a group of rollouts that starts one after the other."""


@dataclass(slots=True)
class _Entry:
    lock: threading.Lock = field(default_factory=threading.Lock)
    users: int = 0
    ready: bool = False


class LayerStore:
    """The layers of this process, below one directory."""

    def __init__(self, directory: Path, *, rootless: bool) -> None:
        self.directory = directory
        self.rootless = rootless
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}
        self._removed = 0

    def acquire(self, layer: Layer, tree: RootTree) -> tuple[str, dict[str, Path]]:
        """Return a name to give back to `release`, and a directory by mount point."""
        name = hashlib.blake2b(f"{tree.id}\0{layer.key}".encode(), digest_size=16).hexdigest()
        with self._lock:
            entry = self._entries.pop(name, None) or _Entry()
            self._entries[name] = entry  # the newest last
            entry.users += 1
        target = self.directory / name
        try:
            with entry.lock:
                if not entry.ready:
                    self._extract(layer, tree, target)
                    entry.ready = True
        except BaseException:
            self.release(name)
            raise
        return name, {
            point: target / str(at)
            for at, (point, _) in enumerate(tree.trees)
            if (target / str(at)).is_dir()
        }

    def release(self, name: str) -> None:
        """Give a layer back; the oldest unused ones go."""
        with self._lock:
            self._entries[name].users -= 1
            unused = [key for key, entry in self._entries.items() if entry.users == 0]
            gone = []
            for key in unused[: max(0, len(unused) - _KEPT)]:
                del self._entries[key]
                # By renaming, so that an equal layer may be made again at once; to a name that
                # no other thread removes.
                old = self.directory / key
                if old.exists():
                    self._removed += 1
                    gone.append(old.rename(self.directory / f"gone-{self._removed}"))
        for path in gone:
            shutil.rmtree(path, ignore_errors=True)

    def _extract(self, layer: Layer, tree: RootTree, target: Path) -> None:
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(mode=0o700, parents=True)
        lowers = dict(tree.trees)

        def below(path: str) -> os.stat_result | None:
            point, inside = _split(path, tuple(lowers))
            for lower in lowers[point]:
                try:
                    return os.lstat(f"{lower}/{inside}")
                except OSError:
                    continue
            return None

        trees = Trees({}, rootless=self.rootless)
        try:
            for at, (point, _) in enumerate(tree.trees):
                place = target / str(at)
                place.mkdir(mode=0o755)
                trees.roots[point] = os.open(place, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            native_stage.put(trees, layer.nodes, below=below)
        finally:
            trees.close()
        for at, (point, _) in enumerate(tree.trees):
            place = target / str(at)
            if point and not any(place.iterdir()):
                place.rmdir()  # nothing of this layer is there


def _split(path: str, points: tuple[str, ...]) -> tuple[str, str]:
    found = [point for point in points if point and (path + "/").startswith(point + "/")]
    point = max(found, key=len, default="")
    return point, path[len(point) :].lstrip("/")

"""The files that trials left, stored by content, so that they can be graded again without an agent.

A backend around the real one reads the directories that the task's checks look at, at the moment
when the machine is frozen for grading.  Equal files of all trials are stored once.  A request for
a file outside those directories is an error, never an empty answer.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tmax_gym.errors import BenchError, SandboxError
from tmax_gym.grading.evidence import COPY_BYTES
from tmax_gym.nodes import TOTAL_FACTOR, Node
from tmax_gym.sandboxes import Backend, Emptied, Layer, Limits, Sandbox
from tmax_gym.sandboxes.archive import EndedSandbox

INLINE = 2048
"""Largest number of bytes of a file that is stored in the list itself: most are that small."""


class RemainsStore:
    """A directory of lists of files, and of their contents."""

    def __init__(self, path: Path) -> None:
        """Choose the directory; it is made when something is stored."""
        self.path = path

    def keep(self, nodes: Iterable[Node], *, roots: Sequence[str]) -> str:
        """Store the files that were read below these roots; return their digest."""
        rows = [self._row(node) for node in nodes]
        text = json.dumps({"roots": sorted(roots), "nodes": rows}, sort_keys=True)
        return self._put(text.encode())

    def load(self, digest: str) -> KeptSandbox:
        """Return the stored files as a machine in which nothing runs.

        Raises:
            BenchError: A file is not here, or is damaged.
        """
        row = json.loads(self._get(digest))
        nodes = tuple(self._node(entry) for entry in row["nodes"])
        return KeptSandbox(f"kept-{digest[:12]}", tuple(row["roots"]), nodes)

    def packed(self, digest: str) -> dict[str, bytes]:
        """Return a stored list and the contents that it names, compressed, by digest.

        Raises:
            BenchError: A file is not here, or is damaged.
        """
        rows = json.loads(self._get(digest))["nodes"]
        blobs = {str(what) for *_, way, what in rows if way == "blob"}
        return {each: self._place(each).read_bytes() for each in sorted({digest, *blobs})}

    def unpack(self, files: Mapping[str, bytes]) -> None:
        """Store what another store has packed.

        Raises:
            BenchError: A file has another content than its digest says.
        """
        for digest, compressed in files.items():
            try:
                data = zlib.decompress(compressed)
            except zlib.error as error:
                raise BenchError(f"the files of a trial came damaged ({error})") from error
            if self._put(data) != digest:
                raise BenchError(f"the files of a trial came damaged: {digest} has another content")

    def _row(self, node: Node) -> list[object]:
        head = [node.path, node.kind, node.mode, node.uid, node.gid, node.target]
        place = ["", ""]
        if node.data is not None and len(node.data) <= INLINE:
            place = ["inline", base64.b64encode(node.data).decode()]
        elif node.data is not None:
            place = ["blob", self._put(node.data)]
        return [*head, node.size, node.inode, node.mtime, *place]

    def _node(self, row: Sequence[object]) -> Node:
        path, kind, mode, uid, gid, target, size, inode, mtime, way, what = row
        data = None
        if way:
            data = base64.b64decode(str(what)) if way == "inline" else self._get(str(what))
        numbers: Any = {"mode": mode, "uid": uid, "gid": gid, "size": size, "inode": inode}
        kinds: Any = kind
        return Node(str(path), kinds, data, target=str(target), mtime=int(str(mtime)), **numbers)

    def _put(self, data: bytes) -> str:
        digest = hashlib.blake2b(data, digest_size=20).hexdigest()
        file = self._place(digest)
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            aside = file.with_name(f".{digest}.{os.getpid()}.{threading.get_ident()}")
            aside.write_bytes(zlib.compress(data, 6))
            # Not synchronised: damage by a loss of power is noticed when the file is read.
            os.replace(aside, file)
        return digest

    def _get(self, digest: str) -> bytes:
        file = self._place(digest)
        try:
            data = zlib.decompress(file.read_bytes())
        except (OSError, zlib.error) as error:
            raise BenchError(
                f"{file} is absent or damaged: {error}. Run that trial again."
            ) from error
        if hashlib.blake2b(data, digest_size=20).hexdigest() != digest:
            raise BenchError(
                f"{file} has another content than its name says. Run that trial again."
            )
        return data

    def _place(self, digest: str) -> Path:
        return self.path / digest[:2] / digest[2:]


class KeptSandbox(EndedSandbox):
    """The files of a machine that has ended; only `get` works."""

    def __init__(self, id_: str, roots: Sequence[str], nodes: Sequence[Node]) -> None:
        self.id = id_
        self._roots = tuple(roots)
        self._nodes = tuple(sorted(nodes, key=lambda node: node.path))

    def get(
        self, paths: Sequence[str], *, max_bytes: int = 16 << 20, max_nodes: int = 20_000
    ) -> tuple[Node, ...]:
        """Return entries, directories with everything below them, as the machine would have.

        Raises:
            SandboxError: A path was not stored.
        """
        for path in paths:
            if not any(_within(path, root) for root in self._roots):
                raise SandboxError(
                    f"{path} was not kept (kept: {', '.join(self._roots)}): play the trial again"
                )
        entries: list[Node] = []
        left = TOTAL_FACTOR * max_bytes
        for node in self._nodes:
            if not any(_within(node.path, path) for path in paths):
                continue
            if len(entries) >= max_nodes or left < 0:
                break
            if node.data is not None and len(node.data) > min(max_bytes, left):
                node = replace(node, data=None)
            left -= len(node.data or b"")
            entries.append(node)
        return tuple(entries)


class KeepingBackend:
    """A backend whose machines are read when they are frozen, for one trial."""

    def __init__(
        self,
        inner: Backend,
        store: RemainsStore | None,
        roots: Sequence[str],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Choose the directories and the store; None stores nothing."""
        self.inner = inner
        self.name = inner.name
        self.frozen: float | None = None
        """When the machine was frozen."""
        self._store = store
        self._roots = tuple(roots)
        self._clock = clock
        self._read: dict[str, Node] | None = None
        self._asked = set(roots)

    def problem(self) -> str | None:
        """Return why it does not work."""
        return self.inner.problem()

    def capabilities(self) -> frozenset[str]:
        """Return what is enforced."""
        return self.inner.capabilities()

    def open(
        self, image: str, *, limits: Limits | None = None, layer: Layer | None = None
    ) -> Sandbox:
        """Start a machine."""
        return _Noticed(self.inner.open(image, limits=limits, layer=layer), self)

    def keep(self) -> str:
        """Store the files of the frozen machine; return their digest, "" if there are none."""
        if self._store is None or self._read is None:
            return ""
        return self._store.keep(self._read.values(), roots=sorted(self._asked))

    def freezing(self, machine: Sandbox) -> None:
        """Freeze a machine and read it."""
        self.frozen = self._clock()
        machine.freeze()
        if self._store is not None:
            # Files that cannot be read cannot be graded either: the verifier will say so.
            with contextlib.suppress(SandboxError):
                entries = machine.get(self._roots, max_bytes=COPY_BYTES)
                self._read = {node.path: node for node in entries}

    def asked(self, paths: Sequence[str], entries: Sequence[Node]) -> None:
        """Add what the verifier has read of the frozen machine, if that is more."""
        more = [p for p in paths if not any(_within(p, root) for root in self._asked)]
        if self._read is not None and more:
            self._asked.update(more)
            self._read.update((node.path, node) for node in entries)


class _Noticed:
    """A machine that reports when it is frozen, and what is read afterwards."""

    def __init__(self, inner: Sandbox, owner: KeepingBackend) -> None:
        self._inner = inner
        self._owner = owner
        self._frozen = False
        self.id = inner.id
        self.open_terminal = inner.open_terminal
        self.exec = inner.exec
        self.put = inner.put
        self.destroyed = inner.destroyed
        self.close = inner.close
        if isinstance(inner, Emptied):
            self.end_all = inner.end_all

    def freeze(self) -> None:
        """Kill every process, then read the files."""
        self._owner.freezing(self._inner)
        self._frozen = True

    def get(
        self, paths: Sequence[str], *, max_bytes: int = 16 << 20, max_nodes: int = 20_000
    ) -> tuple[Node, ...]:
        """Read entries back."""
        entries = self._inner.get(paths, max_bytes=max_bytes, max_nodes=max_nodes)
        if self._frozen:
            self._owner.asked(paths, entries)
        return entries


def _within(path: str, root: str) -> bool:
    return path == root or root == "/" or path.startswith(root.rstrip("/") + "/")

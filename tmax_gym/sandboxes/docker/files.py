"""Reads and writes a container's files through the engine, whether the container runs or not.

The engine's archive calls resolve links inside the container's root only; components are checked
one by one, so that no link is followed at all.
Freeze a container before its files are read, as a running agent could change them meanwhile.  On
Podman root seems to own everything, as its archives say so.
"""

from __future__ import annotations

import base64
import contextlib
import enum
import json
import os
import posixpath
import re
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tmax_gym.errors import SandboxError
from tmax_gym.nodes import Node, absolute
from tmax_gym.sandboxes.docker.engine import Engine
from tmax_gym.sandboxes.docker.tar_stream import Reader, Spent, parents
from tmax_gym.sandboxes.quoting import is_utf8

# Bits of Go's os.FileMode, in which engines report an entry (pkg.go.dev/io/fs#FileMode).
_GO_DIR, _GO_LINK = 1 << 31, 1 << 27
_GO_SPECIAL = 1 << 26 | 1 << 25 | 1 << 24 | 1 << 21 | 1 << 19
_USUAL = str.maketrans("-_", "+/")
_TOO_LONG = "file name too long"
_BY_AGENT = ("too many links", "too many levels", "not a directory")
"""What an engine answers, with status 500, for paths that an agent has made unusable."""
_PATTERN = re.compile(r"[*?\[\\]")
"""Characters that make engines take a file's name for a pattern."""


class Kind(enum.Enum):
    """The kind of entry at a path."""

    ABSENT = enum.auto()
    DIRECTORY = enum.auto()
    FILE = enum.auto()
    LINK = enum.auto()
    SPECIAL = enum.auto()


@dataclass(slots=True)
class Files:
    """The files of one container."""

    engine: Engine
    container: str
    _seen: dict[str, Kind] = field(default_factory=dict)

    def put(self, archive: bytes, paths: Sequence[str]) -> None:
        """Unpack a tar at the root; raise `SandboxError` for a path below a link or a file."""
        self._seen.clear()
        for path in paths:
            for above in parents(path):
                if self._kind(above) not in (Kind.ABSENT, Kind.DIRECTORY):
                    raise SandboxError(
                        f"{path!a} cannot be written: {above!a} is no directory any more.  Stage "
                        "files before the agent acts, or below a directory of their own"
                    )
        with self.engine.errors(f"writing to {self.container[:12]}"):
            self.engine.api.put_archive(self.container, "/", archive)

    def get(self, paths: Sequence[str], reader: Reader) -> tuple[Node, ...]:
        """Return what is at and below these paths, sorted, as far as the caps allow."""
        self._seen.clear()
        try:
            for path in sorted({absolute(path) for path in paths}):
                if path in reader.nodes:
                    continue
                if any(self._kind(above) is not Kind.DIRECTORY for above in parents(path)):
                    continue
                self._read(reader, path)
        except Spent:
            pass  # the rest stays unread: a cap, not a failure
        return tuple(reader.nodes[path] for path in sorted(reader.nodes))

    def _read(self, reader: Reader, path: str) -> None:
        kind = self._kind(path)
        if kind is Kind.ABSENT:
            return
        if kind is Kind.SPECIAL:
            reader.nodes[path] = Node(path, "other", None)
        elif kind is Kind.LINK:
            # From its directory's archive: engines differ in the archive of the link itself.
            reader.nodes |= self._entry(path, 0) or {path: Node(path, "link", None)}
        elif kind is Kind.FILE and _is_odd(path):
            reader.add(self._entry(path, reader.max_bytes))
        else:
            self._archive(reader, path)

    def _entry(self, path: str, max_bytes: int) -> dict[str, Node]:
        """Return an entry as its directory's archive has it."""
        reader = Reader(max_bytes, 1, only=path)
        with contextlib.suppress(Spent):
            self._archive(reader, posixpath.dirname(path))
        return reader.nodes

    def _archive(self, reader: Reader, path: str) -> None:
        with self.engine.errors(f"reading {path!a} from {self.container[:12]}"):
            # Not the SDK's call: a stream that is left half read keeps Docker's lock on the
            # container, so that even its removal waits; the answer itself must be closed.
            url = self.engine.api._url("/containers/{0}/archive", self.container)
            plain = {"Accept-Encoding": "identity"}
            answer = self.engine.api._get(url, params=_asked(path), stream=True, headers=plain)
            try:
                self.engine.api._raise_for_status(answer)
                reader.read(answer.iter_content(1 << 18, decode_unicode=False), path)
            except tarfile.TarError as error:
                raise SandboxError(f"the archive of {path!a} was cut: {error}") from error
            finally:
                answer.close()

    def _kind(self, path: str) -> Kind:
        """Look at one entry whose parents are known to be directories."""
        if path not in self._seen:
            self._seen[path] = self._look(path)
        return self._seen[path]

    def _look(self, path: str) -> Kind:
        if _PATTERN.search(posixpath.basename(path)):
            return self._by_directory(path)
        api: Any = self.engine.api
        with self.engine.errors(f"looking at {path!a} in {self.container[:12]}"):
            url = api._url("/containers/{0}/archive", self.container)
            answer = api.head(url, params=_asked(path))
            if answer.status_code == 404:
                api.inspect_container(self.container)  # raises if the container is gone
                # Podman finds no link whose name or target is no UTF-8.
                return self._by_directory(path) if _is_odd(path) else Kind.ABSENT
            if answer.status_code == 500:
                return self._ask_why(path)
            api._raise_for_status(answer)
            header = answer.headers["X-Docker-Container-Path-Stat"]
        # Podman's header is in the alphabet for addresses, Docker's in the usual one.
        mode = int(json.loads(base64.b64decode(header.translate(_USUAL)))["mode"])
        if mode & _GO_LINK:
            return Kind.LINK
        if mode & _GO_DIR:
            return Kind.DIRECTORY
        return Kind.SPECIAL if mode & _GO_SPECIAL else Kind.FILE

    def _by_directory(self, path: str) -> Kind:
        """Look at an entry in the archive of its directory, where its name is taken as it is."""
        above = posixpath.dirname(path)
        if above != "/" and self._kind(above) is not Kind.DIRECTORY:
            return Kind.ABSENT
        node = self._entry(path, 0).get(path)
        return Kind.ABSENT if node is None else _KINDS[node.kind]

    def _ask_why(self, path: str) -> Kind:
        """Tell a path that the agent made unusable from an engine that fails."""
        try:
            with contextlib.suppress(Spent):
                self._archive(Reader(0, 1), path)
        except SandboxError as error:
            if _TOO_LONG in str(error.__cause__):
                return Kind.ABSENT
            if any(reason in str(error.__cause__) for reason in _BY_AGENT):
                return Kind.LINK
            raise
        raise SandboxError(f"the engine at {self.engine.address} gave no reason for {path!a}")


_KINDS = {
    "dir": Kind.DIRECTORY,
    "file": Kind.FILE,
    "link": Kind.LINK,
    "other": Kind.SPECIAL,
}


def _is_odd(path: str) -> bool:
    """Return whether engines do not find every entry of this name."""
    return bool(_PATTERN.search(posixpath.basename(path))) or not is_utf8((path,))


def _asked(path: str) -> dict[str, bytes]:
    """Return a path as an engine is asked for it: in bytes, as it may be no UTF-8."""
    return {"path": os.fsencode(path)}

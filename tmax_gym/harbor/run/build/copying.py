"""COPY and ADD of a Dockerfile, in a sandbox that is no container.

As in the Dockerfile reference, the contents of a directory are copied and not the directory, a
link that is named is followed within the context and a link inside a directory is kept, and a
destination that is a directory or ends with a slash takes files under their own names.  Of flags
it knows `--chown` and `--chmod`.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import posixpath
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tmax_gym.errors import ImageError, SandboxError
from tmax_gym.harbor.run.build import dockerfile
from tmax_gym.harbor.run.build.dockerfile.words import Words
from tmax_gym.harbor.run.build.owners import Owner, owner_of
from tmax_gym.harbor.tasks.trees import Entry
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import Sandbox

_MOST_LINKS = 40
"""Largest number of links on one path, as the kernel's MAXSYMLINKS."""
_OPENERS = (
    (b"\x1f\x8b", gzip.decompress),
    (b"BZh", bz2.decompress),
    (b"\xfd7zXZ", lzma.decompress),
)
_ZSTD = b"\x28\xb5\x2f\xfd"
_LOOK = """
p=$(realpath -m -- "$1" && echo .) || exit 1
p=${p%??}
kind=-; [ -e "$1" ] && kind=f; [ -d "$1" ] && kind=d
n=0; q=$p
while [ ! -d "${q:-/}" ]; do n=$((n+1)); q=${q%/*}; done
printf '%s/%s/%s' $kind $n "$p"
"""
"""Prints what a path is, how many last components of it are no directories, and where it leads."""


@dataclass(frozen=True, slots=True)
class _Source:
    """A file, directory or here-document that is copied."""

    name: str
    """Its name in a destination that is a directory."""
    entry: Entry | None = None
    path: str = ""
    """Its path in the context, without links; "" is the context itself."""
    data: bytes | None = None
    """The content of a here-document."""

    @property
    def is_directory(self) -> bool:
        return self.data is None and (self.entry is None or self.entry.kind == "dir")

    def content(self) -> bytes:
        if self.data is not None:
            return self.data
        assert self.entry is not None
        return self.entry.path.read_bytes()


@dataclass(frozen=True, slots=True)
class _Place:
    """A destination before anything is copied there."""

    path: str
    """Path without links."""
    kind: str
    missing: int
    """Number of its last components that are no directories yet."""
    slash: bool
    """Whether it was written as a directory."""

    @property
    def takes_files(self) -> bool:
        return self.slash or self.kind == "d"


class Copier:
    """Copies from one build context into one sandbox."""

    def __init__(self, sandbox: Sandbox, entries: Mapping[str, Entry], *, owners: bool) -> None:
        """Choose the sandbox and the context.

        Args:
            sandbox: Gets the files.
            entries: The build context.
            owners: Whether files can belong to others than root.
        """
        self._sandbox = sandbox
        self._entries = entries
        self._owners = owners

    def copy(self, step: dockerfile.Step, workdir: str) -> None:
        """Follow one COPY or ADD.

        Raises:
            ImageError: A source is absent, or docker's own builders disagree about it.
        """
        sources = self._sources(step)
        place = self._place(step.args[-1], workdir)
        written = len(step.args) - 1
        if not sources:
            raise _failed(step, "no file matches")
        if (written > 1 and not place.slash) or (len(sources) > 1 and not place.takes_files):
            raise _failed(step, "with several sources the destination must end with a slash")
        owner = self._owner(step)
        mode = int(step.flags["chmod"], 8) if "chmod" in step.flags else None
        for source in sources:
            whole = step.word == "COPY" or source.is_directory
            archive = None if whole else _unpacked(source.content(), step)
            if archive is not None:
                self._unpack(archive, place, step)
                continue
            nodes = list(self._nodes(source, place, step))
            nodes = [_owned(node, owner, mode) for node in nodes]
            self._put([*self._parents(place, source, owner), *nodes], step)

    def _owner(self, step: dockerfile.Step) -> Owner:
        if (wanted := step.flags.get("chown")) is None:
            return Owner(0, 0)
        owner = owner_of(self._sandbox, wanted)
        if owner != Owner(0, 0) and not self._owners:
            raise _failed(step, "without root's rights all files belong to root: use docker")
        return owner

    def _sources(self, step: dockerfile.Step) -> list[_Source]:
        sources: list[_Source] = []
        heredocs = {h.name: h for h in step.heredocs}
        for word in step.args[:-1]:
            heredoc = heredocs.get(word.lstrip("<").removeprefix("-")) if "<<" in word else None
            if heredoc is not None:
                text = Words(step.env).fill_text(heredoc.text) if heredoc.expands else heredoc.text
                sources.append(_Source(heredoc.name, data=text.encode("utf-8", "surrogateescape")))
                continue
            name = posixpath.normpath(word.lstrip("/") or ".")
            if not dockerfile.has_wildcard(name):
                sources.append(self._source(name, step))
                continue
            pattern = dockerfile.glob(name)
            matching = filter(pattern.fullmatch, self._entries)
            sources += [self._source(path, step) for path in matching]
        return sources

    def _source(self, name: str, step: dockerfile.Step) -> _Source:
        path = self._resolved(name, step)
        entry = self._entries.get(path)
        if path and entry is None:
            raise _failed(step, f"{name} is not in its directory, or .dockerignore hides it")
        return _Source(posixpath.basename(name), entry, path)

    def _resolved(self, name: str, step: dockerfile.Step) -> str:
        """Return the path of a name in the context after links, whose root is the context."""
        left = [part for part in name.split("/") if part not in ("", ".")]
        here: list[str] = []
        links = 0
        while left:
            part = left.pop(0)
            if part == "..":
                del here[-1:]
                continue
            entry = self._entries.get("/".join([*here, part]))
            if entry is None or entry.kind != "link":
                here.append(part)
                continue
            links += 1
            if links > _MOST_LINKS:
                raise _failed(step, f"{name} is a link that leads in a circle")
            here = [] if entry.target.startswith("/") else here
            left = [p for p in entry.target.split("/") if p not in ("", ".")] + left
        return "/".join(here)

    def _place(self, target: str, workdir: str) -> _Place:
        if not target:
            raise ImageError("the image could not be built: a destination of COPY is empty")
        path = posixpath.join(workdir, target)
        done = self._sandbox.exec(["/bin/sh", "-c", _LOOK, "-", path])
        if done.exit_code:
            raise ImageError(f"the image could not be built: {target} cannot be looked at")
        kind, missing, real = os.fsdecode(done.stdout).split("/", 2)
        slash = target.endswith("/") or target.split("/")[-1] in (".", "..")
        return _Place(real or "/", kind, int(missing), slash)

    def _parents(self, place: _Place, source: _Source, owner: Owner) -> list[Node]:
        """Return the directories that must be made above a source."""
        whole = source.is_directory or place.slash
        parts = place.path.strip("/").split("/")
        first = len(parts) - place.missing
        last = len(parts) if whole else len(parts) - 1
        return [
            Node("/" + "/".join(parts[: n + 1]), "dir", None, 0o755, owner.uid, owner.gid)
            for n in range(first, last)
        ]

    def _nodes(self, source: _Source, place: _Place, step: dockerfile.Step) -> Iterable[Node]:
        if not source.is_directory:
            into = place.takes_files
            path = posixpath.join(place.path, source.name) if into else place.path
            mode = source.entry.mode if source.entry else 0o644
            yield Node(path, data=source.content(), mode=mode)
            return
        if place.kind == "f":
            raise _failed(step, f"{step.args[-1]} is no directory there")
        above = f"{source.path}/" if source.path else ""
        for name, entry in self._entries.items():
            if not name.startswith(above) or name == source.path:
                continue
            path = posixpath.join(place.path, name.removeprefix(above))
            if entry.kind == "file":
                yield Node(path, data=entry.path.read_bytes(), mode=entry.mode)
            elif entry.kind == "dir":
                yield Node(path, "dir", None, entry.mode)
            else:
                yield Node(path, "link", None, 0o777, target=entry.target)

    def _put(self, nodes: list[Node], step: dockerfile.Step) -> None:
        try:
            self._sandbox.put(nodes)
        except SandboxError as error:
            raise _failed(step, str(error)) from error

    def _unpack(self, archive: bytes, place: _Place, step: dockerfile.Step) -> None:
        if place.kind == "f":
            raise _failed(step, f"{step.args[-1]} is no directory there")
        directory = _Source("")
        self._put(self._parents(place, directory, Owner(0, 0)), step)
        words = ["tar", "-C", place.path, "-xp", "--numeric-owner", "--same-owner", "-f", "-"]
        done = self._sandbox.exec(words, stdin=archive, timeout=600.0)
        if done.exit_code:
            raise _failed(step, done.stderr[-300:].decode(errors="replace"))


def _owned(node: Node, owner: Owner, mode: int | None) -> Node:
    bits = node.mode if mode is None or node.kind == "link" else mode
    return replace(node, uid=owner.uid, gid=owner.gid, mode=bits)


def _unpacked(data: bytes, step: dockerfile.Step) -> bytes | None:
    """Return an archive without compression; None if the data is no archive."""
    if data.startswith(_ZSTD):
        raise _failed(step, "builders differ about archives that zstd has compressed")
    try:
        plain = next((open_(data) for magic, open_ in _OPENERS if data.startswith(magic)), data)
        with tarfile.open(fileobj=io.BytesIO(plain), mode="r:", errors="surrogateescape") as tar:
            if tar.next() is None:
                return None
    except (tarfile.TarError, lzma.LZMAError, OSError, EOFError, ValueError):
        return None
    if "chown" in step.flags or "chmod" in step.flags:
        raise _failed(step, "builders differ about --chown and --chmod of an archive")
    return plain


def _failed(step: dockerfile.Step, reason: str) -> ImageError:
    line = f"{step.word} {step.instruction.rest}"[:99]
    return ImageError(f"the image could not be built: {line!r}: {reason}")

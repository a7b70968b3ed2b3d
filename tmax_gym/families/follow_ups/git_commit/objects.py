"""Read a git repository that an agent leaves, from its files alone: objects, references, index.

Covers loose objects, packs with deltas, packed references and the index of versions 2 and 3.
Everything is limited in size and checked against its name; whatever is wrong raises `BadOutput`.
Formats: gitformat-pack(5), gitformat-index(5).
"""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from tmax_gym.checks.check import BadOutput

MOST_BYTES = 1 << 20
"""Largest object."""
MOST_IN_PACKS = 8 << 20
"""Largest sum of all objects in packs."""
MOST_OBJECTS = 2_000
"""Most objects in packs, and most entries of a tree with all below it."""
MOST_DEPTH = 20
"""Most directories of a tree below each other."""
MOST_ROUNDS = 60
"""Git does not build longer chains of deltas."""
MOST_DIGITS = 6
"""Bytes of a number in a pack."""
KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_NAME = re.compile(r"[0-9a-f]{40}")
_HEADER = re.compile(r"(commit|tree|blob|tag) (\d{1,9})")


@dataclass(slots=True)
class Store:
    """The files below `.git`, by relative path."""

    files: Mapping[str, bytes]
    packed: dict[str, tuple[str, bytes]] | None = None
    """The objects of all packs, once they have been read."""

    def ref(self, name: str) -> str:
        """Return the object that a full reference name means; "" if it does not exist."""
        data = self.files.get(name)
        if data is not None:
            return _text(data).strip()
        for line in _text(self.files.get("packed-refs", b"")).splitlines():
            target, _, other = line.partition(" ")
            if other == name:
                return target
        return ""

    @property
    def head(self) -> str:
        """Return the reference that HEAD means, or the object if it is detached."""
        return _text(self.files.get("HEAD", b"")).strip().removeprefix("ref: ")

    def read(self, name: str, kind: str) -> bytes:
        """Return the body of an object of this kind."""
        if not _NAME.fullmatch(name):
            raise BadOutput(f"{name[:60]!a} is not the name of an object")
        loose = self.files.get(f"objects/{name[:2]}/{name[2:]}")
        if loose is not None:
            header, _, body = _inflated(loose, MOST_BYTES)[0].partition(b"\0")
            parts = _HEADER.fullmatch(header.decode("latin-1"))
            if not parts or int(parts[2]) != len(body) or _named(parts[1], body) != name:
                raise BadOutput(f"the object {name} is damaged")
            is_kind = parts[1]
        else:
            if self.packed is None:
                self.packed = _unpacked(self.files)
            if name not in self.packed:
                raise BadOutput(f"the repository has no object {name}")
            is_kind, body = self.packed[name]
        if is_kind != kind:
            raise BadOutput(f"the object {name} is a {is_kind} and no {kind}")
        return body

    def tree(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the mode and the object of each file below a tree, by path."""
        files: dict[str, tuple[str, str]] = {}
        waiting, count = [("", name)], 0
        while waiting:
            above, current = waiting.pop()
            rest = self.read(current, "tree")
            while rest:
                head, _, rest = rest.partition(b"\0")
                mode, _, entry = _text(head).partition(" ")
                path, target, rest = above + entry, rest[:20].hex(), rest[20:]
                if mode in ("40000", "040000"):
                    waiting.append((f"{path}/", target))
                else:
                    files[path] = (mode, target)
                count += 1
                if count > MOST_OBJECTS or path.count("/") > MOST_DEPTH:
                    raise BadOutput("a tree of the repository is too large")
        return files

    def index(self) -> dict[str, tuple[str, str]]:
        """Return the mode and the object of each file in the index, by path."""
        data = self.files.get("index", b"")
        try:
            magic, version, count = struct.unpack_from(">4sII", data)
            if magic != b"DIRC" or version not in (2, 3) or count > MOST_OBJECTS:
                raise BadOutput("the index cannot be read")
            return dict(_entries(data, count))
        except struct.error as error:
            raise BadOutput("the index is cut off") from error


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit."""

    tree: str
    parents: tuple[str, ...]
    author: str
    """Name and address, without the time."""
    lines: tuple[str, ...]
    """The message, without blank lines around it."""


@dataclass(slots=True)
class _Packs:
    """Objects of packs while they are read."""

    done: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    waiting: list[tuple[int, str | int, bytes]] = field(default_factory=list)
    """Deltas: their place, their base (a name or a place), and their instructions."""
    places: dict[int, tuple[str, bytes]] = field(default_factory=dict)
    left: int = MOST_IN_PACKS

    def add(self, place: int, kind: str, body: bytes) -> None:
        """Add an object; a base must be there before its deltas."""
        self.left -= len(body)
        if self.left < 0 or len(self.done) > MOST_OBJECTS:
            raise BadOutput("the packs are too large")
        self.done[_named(kind, body)] = self.places[place] = (kind, body)


def commit(store: Store, name: str) -> Commit:
    """Return a commit by the name of its object."""
    head, _, message = _text(store.read(name, "commit")).partition("\n\n")
    fields = [line.partition(" ") for line in head.split("\n")]
    one = {key: value for key, _, value in reversed(fields)}
    parents = tuple(value for key, _, value in fields if key == "parent")
    author = one.get("author", "").rsplit(" ", 2)[0]
    lines = tuple(line.rstrip() for line in message.strip().split("\n"))
    return Commit(one.get("tree", ""), parents, author, lines)


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise BadOutput("the repository has text that is not UTF-8") from error


def _named(kind: str, body: bytes) -> str:
    # SHA-1 is git's naming scheme here, not a protection.
    raw = f"{kind} {len(body)}".encode() + b"\0" + body
    return hashlib.sha1(raw, usedforsecurity=False).hexdigest()


def _inflated(data: bytes, limit: int) -> tuple[bytes, int]:
    """Return what a zlib stream holds, and its own length."""
    reader = zlib.decompressobj()
    try:
        body = reader.decompress(data, limit + 1)
    except zlib.error as error:
        raise BadOutput(f"an object cannot be decompressed: {error}") from error
    if len(body) > limit or not reader.eof:
        raise BadOutput("an object is too large, or cut off")
    return body, len(data) - len(reader.unused_data)


def _entries(data: bytes, count: int) -> list[tuple[str, tuple[str, str]]]:
    entries, at = [], 12
    for _ in range(count):
        (mode,), (flags,) = (
            struct.unpack_from(">I", data, at + 24),
            struct.unpack_from(">H", data, at + 60),
        )
        start = at + (64 if flags & 0x4000 else 62)
        end = data.find(b"\0", start)
        if end < 0 or flags & 0x3000:  # a stage above 0: a conflict
            raise BadOutput("the index cannot be read, or has conflicts")
        entries.append((_text(data[start:end]), (f"{mode:o}", data[at + 40 : at + 60].hex())))
        at += (end - at + 8) // 8 * 8
    return entries


def _unpacked(files: Mapping[str, bytes]) -> dict[str, tuple[str, bytes]]:
    """Return all objects of all packs by name."""
    packs = _Packs()
    for path in sorted(files):
        if path.startswith("objects/pack/") and path.endswith(".pack"):
            try:
                _read_pack(packs, files[path])
            except (struct.error, IndexError) as error:
                raise BadOutput(f"{path} is cut off") from error
    return packs.done


def _read_pack(packs: _Packs, data: bytes) -> None:
    magic, version, count = struct.unpack_from(">4sII", data)
    if magic != b"PACK" or version != 2 or count > MOST_OBJECTS:
        raise BadOutput("a pack cannot be read")
    packs.places.clear()
    packs.waiting.clear()
    at = 12
    for _ in range(count):
        place, kind = at, data[at] >> 4 & 7
        while data[at] & 0x80:
            at += 1
        at += 1
        base: str | int = ""
        if kind == 6:
            distance, at = _distance(data, at)
            base = place - distance
        elif kind == 7:
            base, at = data[at : at + 20].hex(), at + 20
        body, used = _inflated(data[at : at + MOST_BYTES], MOST_BYTES)
        at += used
        if kind in KINDS:
            packs.add(place, KINDS[kind], body)
        else:
            packs.left -= len(body)
            packs.waiting.append((place, base, body[: max(0, packs.left)]))
    _resolve(packs)


def _resolve(packs: _Packs) -> None:
    """Apply deltas until none has a base that is there."""
    for _ in range(MOST_ROUNDS):
        later = []
        for place, base, delta in packs.waiting:
            source = packs.places.get(base) if isinstance(base, int) else packs.done.get(base)
            if source is None:
                later.append((place, base, delta))
            else:
                packs.add(place, source[0], _patched(source[1], delta))
        packs.waiting = later


def _distance(data: bytes, at: int) -> tuple[int, int]:
    """Return how far back the base of a delta is, and the place behind this number."""
    value = data[at] & 0x7F
    for step in range(1, MOST_DIGITS):
        if not data[at + step - 1] & 0x80:
            return value, at + step
        value = (value + 1 << 7) | data[at + step] & 0x7F
    raise BadOutput("a pack has a number that is too large")


def _patched(source: bytes, delta: bytes) -> bytes:
    """Return what a delta makes of its base."""
    at = 0
    for _ in range(2):  # the two sizes
        while delta[at] & 0x80:
            at += 1
        at += 1
    out = bytearray()
    while at < len(delta):
        code = delta[at]
        at += 1
        if code & 0x80:
            numbers = []
            for bit in range(7):
                numbers.append(delta[at] if code >> bit & 1 else 0)
                at += code >> bit & 1
            start = int.from_bytes(bytes(numbers[:4]), "little")
            size = int.from_bytes(bytes(numbers[4:]), "little") or 0x10000
            out += source[start : start + size]
        else:
            out += delta[at : at + code]
            at += code
        if len(out) > MOST_BYTES:
            raise BadOutput("an object in a pack is too large")
    return bytes(out)

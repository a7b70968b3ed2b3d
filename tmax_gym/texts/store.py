"""Stored texts: one file a family, one line a task, as an author wrote them.

A text belongs to the obligations from which it was written.  If these change, it fits no longer,
and the task falls back to its plain text until somebody writes it anew.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from tmax_gym.texts.obligations import Obligation

PLAIN = "plain"
"""The author of texts that are joined sentences of obligations."""


@dataclass(frozen=True, slots=True)
class Text:
    """The text of one task."""

    name: str
    """The task, without `tmax/`."""
    obligations: str
    """Digest of the obligations that it says; see `digest`."""
    text: str
    author: str
    """The name of a model or of a person, or `PLAIN`."""


def digest(obligations: Sequence[Obligation]) -> str:
    """Hash what a text must say into 16 hex digits."""
    total = hashlib.blake2b(digest_size=8)
    for one in obligations:
        total.update(hashlib.blake2b(f"{one.id}\0{one.sentence}".encode(), digest_size=16).digest())
    return total.hexdigest()


def path(folder: Path, family: str) -> Path:
    """Return the file of a family's texts."""
    return folder / f"{family}.jsonl"


@lru_cache(maxsize=8)  # a few hundred kilobytes each
def read(file: Path) -> dict[str, Text]:
    """Return the texts of a file by task name; empty if there is no such file."""
    if not file.exists():
        return {}
    rows = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    return {row["name"]: Text(**row) for row in rows}


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Keep other processes from changing a file; read it anew inside."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with (file.parent / f".{file.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        read.cache_clear()
        yield


def write(file: Path, texts: Iterable[Text]) -> None:
    """Replace a file, sorted by name, in one step."""
    lines = [
        json.dumps(asdict(one), sort_keys=True, ensure_ascii=False)
        for one in sorted(texts, key=lambda one: one.name)
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    aside = file.with_name(f".{file.name}.{os.getpid()}")
    aside.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    os.replace(aside, file)
    read.cache_clear()

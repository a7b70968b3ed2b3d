"""Sets of files that a follow-up reads: their order, their names and their suffixes.

Covers what follow-ups on `Files` ask of a product.  Does not cover what they make of it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from tmax_gym.checks import exact
from tmax_gym.families.products import Files

STEEP = 10.0
"""A tenth of wrong files leaves nothing of the score."""
_PLAIN = re.compile(r"[\w./+@-]+", re.ASCII)


def in_order(files: Files) -> tuple[str, ...]:
    """Return the relative paths of all files in byte order."""
    return tuple(sorted(files.contents, key=str.encode))


def plain(files: Files) -> bool:
    """Return whether every path is free of blanks, separators and other odd characters."""
    return all(_PLAIN.fullmatch(path) for path in files.contents)


def nested(files: Files) -> bool:
    """Return whether some files are in directories below the root."""
    return any("/" in path for path in files.contents)


def suffix(path: str) -> str:
    """Return what follows the last dot of a file name, `-` if there is no dot.

    >>> suffix("a.d/b.log.1"), suffix("a.d/b")
    ('1', '-')
    """
    _, dot, last = posixpath.basename(path).rpartition(".")
    return last if dot else "-"


def top(path: str) -> str:
    """Return the first directory of a relative path, `.` for a file in the root itself."""
    return path.split("/", 1)[0] if "/" in path else "."


def sizes(files: Files) -> Mapping[str, int]:
    """Return the number of bytes of every file, by path in byte order."""
    return {path: len(files.contents[path]) for path in in_order(files)}


def steep(share: float) -> float:
    """Return a score that falls fast with the share of wrong files, and is 1 only without any.

    What was there at the start is often right in most files, and to hand it on is no work.
    """
    return 1.0 if share == 1.0 else exact.NOT_WHOLE * max(0.0, 1.0 - STEEP * (1.0 - share))

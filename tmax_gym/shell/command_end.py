"""How commands end, and what becomes of the shell that ran them.

Covers the two as values.  Does not cover how either is found out: `session.py` does.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tmax_gym.shell.protocol import BROKEN, MENDED, examination


class Fate(enum.Enum):
    """What became of the shell while a command ran."""

    WELL = enum.auto()
    """It is at its prompt."""
    ENDED = enum.auto()
    """Its process is gone."""
    STUCK = enum.auto()
    """It lives and does not answer."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended."""

    fate: Fate
    status: int | None = None
    late: bool = False
    """Whether the time was over."""
    begun: bool = True
    """Whether the command itself had started."""
    whole: bool = False
    """Whether its line was done to the end, and the state saved where that was wanted."""
    mended: bool = False
    """Whether the shell could run no command after it, and was mended."""


WELL = tuple(Ending(Fate.WELL, status, whole=True) for status in range(256))
"""How nearly all end."""


def examined(number: int, *, late: bool) -> Ending:
    """Return how a command ended whose shell answered only when it was asked, by this number."""
    kind, status = examination(number)
    if kind == BROKEN:
        return Ending(Fate.STUCK, None, late)
    if kind == MENDED:  # `$?` is that of our own line, which failed
        return Ending(Fate.WELL, None, late, mended=True)
    return Ending(Fate.WELL, status, late)

"""How a command ended, and the state of the shell after it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tmax_gym.shell.protocol import BROKEN, MENDED, examination


class ShellState(enum.Enum):
    """The state of the shell after a command."""

    READY = enum.auto()
    """It is at its prompt."""
    ENDED = enum.auto()
    """Its process is gone."""
    STUCK = enum.auto()
    """It lives and does not answer."""


@dataclass(frozen=True, slots=True)
class CommandEnd:
    """How a command ended."""

    shell: ShellState
    status: int | None = None
    late: bool = False
    """Whether the command ran out of time."""
    begun: bool = True
    """Whether the command itself had started."""
    whole: bool = False
    """Whether its line ran to the end, with the save of the state if there was one."""
    mended: bool = False
    """Whether the shell could not run commands after it and was repaired."""


ENDED_WELL = tuple(CommandEnd(ShellState.READY, status, whole=True) for status in range(256))
"""The usual end, by exit status."""


def examined(number: int, *, late: bool) -> CommandEnd:
    """Return how a command ended, from the number with which the shell answered `tidy_line`."""
    kind, status = examination(number)
    if kind == BROKEN:
        return CommandEnd(ShellState.STUCK, None, late)
    if kind == MENDED:  # `$?` is that of our own line, which failed
        return CommandEnd(ShellState.READY, None, late, mended=True)
    return CommandEnd(ShellState.READY, status, late)

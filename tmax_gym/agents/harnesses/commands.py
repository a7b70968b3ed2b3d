"""Commands that a shell can take: checked, and run in a bash of their own however long they are."""

from __future__ import annotations

import shlex
from typing import Any

from tmax_gym.agents.harness import Action, FormatError

ARGUMENT = 100_000
"""Bytes of a command that is an argument: Linux takes 131,071 (MAX_ARG_STRLEN)."""


def checked_command(command: object, **facts: Any) -> tuple[Action] | FormatError:
    """Return the one action of a command that a shell can take, with these facts."""
    if not isinstance(command, str):
        return FormatError("The argument `command` must be a string.")
    if not command.strip():
        return FormatError("The command is empty.")
    if "\0" in command or any("\ud800" <= c <= "\udfff" for c in command):
        return FormatError("The command holds a character that no shell can read.")
    return (Action(command, **facts),)


def in_subshell(command: str) -> str:
    """Return a line that runs a command in a bash of its own, however long it is."""
    if len(command.encode(errors="replace")) < ARGUMENT:
        return f"bash -c {shlex.quote(command)}"
    # Read before it runs, so that standard input and descriptor 3 are as in a short one.
    run = shlex.quote('eval "exec 3<&-\n$(</dev/fd/3)"')
    return f"bash -c {run} 3< <(printf %s {shlex.quote(command)})"

"""Checks a model's command, and puts a command of any length into a bash of its own."""

from __future__ import annotations

import shlex
from typing import Any

from tmax_gym.agents.harness import Action, FormatError

ARGUMENT = 100_000
"""Longest command that is passed as an argument: Linux takes 131,071 bytes (MAX_ARG_STRLEN)."""


def checked_command(command: object, **facts: Any) -> tuple[Action] | FormatError:
    """Return the action of a command with these facts, or why no shell can run it."""
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
    # Read the command before it runs, so that it finds the usual standard input and descriptor 3.
    run = shlex.quote('eval "exec 3<&-\n$(</dev/fd/3)"')
    return f"bash -c {run} 3< <(printf %s {shlex.quote(command)})"

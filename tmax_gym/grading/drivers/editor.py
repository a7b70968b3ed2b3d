"""A file editor for agents: view, create, str_replace, insert, undo_edit.

Runs inside the sandbox with the agent's own rights, under Python 3.7 or newer.  A JSON object on
standard input is the request, and the output is the answer for the agent, in the words of
OpenHands.  Binary files are refused.
"""

from __future__ import annotations

import json
import os
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tmax_gym.grading.drivers.textfile import (  # stands before this text where it runs
        Refused,
        as_ended,
        decoded,
        encoded,
        endings,
        keep,
        lines_of,
        place_of,
        states,
        write,
    )

MOST = 9_000
"""Most characters that are shown: fewer than an observation may have."""
AROUND = 4
"""Lines around an edit that are shown (OpenHands: the same)."""
_LEFT_OUT = "<response clipped><NOTE>Only part of this is shown: use view_range, or grep -n.</NOTE>"


def clipped(text: str) -> str:
    """Return a text, or its beginning and its end."""
    if len(text) <= MOST:
        return text
    return f"{text[: MOST // 2]}\n{_LEFT_OUT}\n{text[-MOST // 2 :]}"


def numbered(lines: list[str], what: str, first: int = 1) -> str:
    """Return lines with their numbers."""
    shown = "".join(f"{first + i:6}\t{line}\n" for i, line in enumerate(lines))
    return f"Here's the result of running `cat -n` on {what}:\n{clipped(shown)}"


def view(path: str, job: dict[str, Any]) -> str:
    """Return a file with line numbers, or what a directory holds, two levels deep."""
    wanted = job.get("view_range")
    if os.path.isdir(path):
        if wanted:
            raise Refused(
                f"Invalid `view_range` parameter: {wanted}. The `view_range` parameter is not "
                "allowed when `path` points to a directory."
            )
        return listed(path)
    lines = lines_of(decoded(path)[0])
    if not wanted:
        return numbered(lines, path)
    if isinstance(wanted, str):
        wanted = json.loads(wanted)
    wrong = f"Invalid `view_range` parameter: {wanted}. "
    if (
        not isinstance(wanted, list)
        or len(wanted) != 2
        or not all(isinstance(n, int) for n in wanted)
    ):
        raise Refused(f"{wrong}It should be a list of two integers.")
    low, high = wanted
    if not 1 <= low <= len(lines):
        raise Refused(
            f"{wrong}Its first element `{low}` should be within the range of lines of the file: "
            f"{[1, len(lines)]}."
        )
    note = ""
    if high > len(lines):
        note = (
            f"NOTE: We only show up to {len(lines)} since there're only {len(lines)} lines in "
            "this file.\n"
        )
    high = len(lines) if high == -1 else min(high, len(lines))
    if high < low:
        raise Refused(
            f"{wrong}Its second element `{high}` should be greater than or equal to the first "
            f"element `{low}`."
        )
    return note + numbered(lines[low - 1 : high], path, low)


def listed(path: str) -> str:
    """Return what a directory holds."""
    root = path.rstrip("/")
    paths = [f"{root}/"]
    names = sorted(os.listdir(path))
    for name in (n for n in names if not n.startswith(".")):
        inside = f"{root}/{name}"
        below: list[str] = []
        if os.path.isdir(inside):
            try:
                below = sorted(n for n in os.listdir(inside) if not n.startswith("."))
            except OSError:
                below = []
        paths += [f"{inside}/" if os.path.isdir(inside) else inside]
        paths += [
            f"{inside}/{n}/" if os.path.isdir(f"{inside}/{n}") else f"{inside}/{n}" for n in below
        ]
    hidden = sum(name.startswith(".") for name in names)
    more = (
        f"\n\n{hidden} hidden files/directories in this directory are excluded. You can use "
        f"'ls -la {path}' to see them."
    )
    return (
        f"Here's the files and directories up to 2 levels deep in {path}, excluding hidden "
        f"items:\n{clipped(chr(10).join(paths))}{more if hidden else ''}"
    )


def create(path: str, job: dict[str, Any]) -> str:
    """Write a new file, and the directories above it."""
    data = encoded(given(job, "file_text"), "utf-8")
    try:
        os.makedirs(os.path.dirname(path) or "/", exist_ok=True)
    except OSError as error:
        raise Refused(f"Ran into {error} while trying to write to {path}") from None
    write(path, data)
    keep(path, data)
    return f"File created successfully at: {path}"


def str_replace(path: str, job: dict[str, Any]) -> str:
    """Replace the one occurrence of a text."""
    old, new = given(job, "old_str"), given(job, "new_str", "")
    if old == new:
        raise Refused(
            f"Invalid `new_str` parameter: {new}. No replacement was performed. `new_str` and "
            "`old_str` must be different."
        )
    text, name = decoded(path)
    # Line ends are ignored in the comparison; the rest of the file keeps its own.
    plain, old = text.replace("\r\n", "\n"), old.replace("\r\n", "\n")
    if old not in plain:
        old = old.strip()
        if not old or old not in plain:
            raise Refused(
                f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
            )
    if plain.count(old) > 1:
        numbers = sorted(plain.count("\n", 0, m.start()) + 1
                         for m in re.finditer(re.escape(old), plain))  # fmt: skip
        raise Refused(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines "
            f"{sorted(set(numbers))}. Please ensure it is unique."
        )
    at = plain.index(old)
    low, high = place_of(text, at), place_of(text, at + len(old))
    changed = text[:low] + as_ended(new, endings(text)) + text[high:]
    write(path, encoded(changed, name))
    keep(path, encoded(text, name))
    line = plain.count("\n", 0, at) + 1
    first = max(0, line - AROUND)
    shown = lines_of(changed)[first : line + AROUND + new.count("\n")]
    return edited(path, numbered(shown, f"a snippet of {path}", first + 1), ".")


def edited(path: str, snippet: str, more: str) -> str:
    """Return the message after an edit."""
    return (
        f"The file {path} has been edited. {snippet}Review the changes and make sure they are as "
        f"expected{more} Edit the file again if necessary."
    )


def insert(path: str, job: dict[str, Any]) -> str:
    """Insert lines after a line."""
    if job.get("insert_line") is None:
        raise Refused("Parameter `insert_line` is required for command: insert.")
    line, new = int(job["insert_line"]), given(job, "new_str")
    text, name = decoded(path)
    ending = endings(text)
    lines = text.split("\n")
    count = len(lines) - (lines[-1] == "")
    if not 0 <= line <= count:
        raise Refused(
            f"Invalid `insert_line` parameter: {line}. It should be within the range of allowed "
            f"values: {[0, count]}"
        )
    at = sum(len(each) + 1 for each in lines[:line])
    head, tail = text[:at], text[at:]
    if line == 0 and text[:1] == "\ufeff":
        head, tail = "\ufeff", text[1:]
    if line and at > len(text):  # the last line has no end
        head += ending
    added = as_ended(new, ending) + ending
    changed = head + added + tail
    write(path, encoded(changed, name))
    keep(path, encoded(text, name))
    size = new.replace("\r\n", "\n").count("\n") + 1
    first = max(0, line - AROUND)
    shown = lines_of(changed)[first : line + AROUND + size]
    more = " (correct indentation, no duplicate lines, etc)."
    return edited(path, numbered(shown, "a snippet of the edited file", first + 1), more)


def undo_edit(path: str, job: dict[str, Any]) -> str:
    """Restore the state before the last edit."""
    last = states(path)[-1]
    if last.endswith("/"):
        raise Refused(f"No edit history found for {path}.")
    with open(last, "rb") as file:
        data = file.read()
    write(path, data)
    os.unlink(last)
    lines = lines_of(decoded(path)[0])
    return f"Last edit to {path} undone successfully. {numbered(lines, path)}"


def given(job: dict[str, Any], name: str, default: str | None = None) -> str:
    """Return an argument, which must be a text."""
    value = job.get(name)
    if value is None:
        if default is None:
            raise Refused(f"Parameter `{name}` is required for command: {job['command']}.")
        return default
    if not isinstance(value, str):
        raise Refused(f"Invalid `{name}` parameter: it must be a string.")
    return value


def checked(job: dict[str, Any]) -> str:
    """Return the path of a job; refuse a path or a command that cannot be used."""
    path, command = str(job.get("path")), job.get("command")
    wrong = f"Invalid `path` parameter: {path}. "
    if not path.startswith("/"):
        near = os.path.join(os.getcwd(), path)
        maybe = f" Maybe you meant {near}?" if os.path.exists(near) else ""
        raise Refused(f"{wrong}The path should be an absolute path.{maybe}")
    if "\0" in path:
        raise Refused(f"{wrong!a}: a path holds no NUL.")
    if command not in DEEDS:
        raise Refused(
            f"Unrecognized command {command}. The allowed commands for the file_editor tool are: "
            f"{', '.join(DEEDS)}"
        )
    if command == "create" and os.path.exists(path):
        raise Refused(
            f"{wrong}File already exists at: {path}. Cannot overwrite files using command `create`."
        )
    if command != "create" and not os.path.exists(path):
        raise Refused(f"{wrong}The path {path} does not exist. Please provide a valid path.")
    if command != "view" and os.path.isdir(path):
        raise Refused(
            f"{wrong}The path {path} is a directory and only the `view` command can be used on "
            "directories."
        )
    return path


DEEDS = {
    "view": view,
    "create": create,
    "str_replace": str_replace,
    "insert": insert,
    "undo_edit": undo_edit,
}


def main() -> int:
    """Do the job on standard input; return the exit status."""
    status = 0
    try:
        job = json.loads(sys.stdin.buffer.read().decode("utf-8", "surrogatepass"))
        path = checked(job)
        answer = DEEDS[job["command"]](path, job)
    except (Refused, OSError, ValueError, KeyError, TypeError) as error:
        status, answer = 1, f"ERROR: {error}"
    sys.stdout.buffer.write(answer.encode("utf-8", "replace") + b"\n")
    return status


if __name__ == "__main__":
    sys.exit(main())

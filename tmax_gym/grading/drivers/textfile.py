"""Part of the file editor: reads and writes text files, and keeps the states before edits.

Line ends, encoding, owner, mode and links of a file stay as they are.  Earlier states are kept
below /tmp.  Binary files are refused.
"""

from __future__ import annotations

import bisect
import hashlib
import os
import re
import stat

LARGEST = 10 << 20
"""Bytes of a file (OpenHands: the same)."""
STATES = 10
"""Edits of a file that can be undone (OpenHands: the same)."""
KEPT = "/tmp/.editor"
_CONTROLS = re.compile(r"[\0-\x08\x0e-\x1f\x7f]")
_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class Refused(Exception):
    """The message for the agent if there is no edit."""


def decoded(path: str) -> tuple[str, str]:
    """Return a file's text, with line ends and marks as they are, and its encoding."""
    info = os.stat(path)
    if not stat.S_ISREG(info.st_mode):
        raise Refused(f"File validation failed for {path}: it is no regular file.")
    if info.st_size > LARGEST:
        size = info.st_size / (1 << 20)
        raise Refused(
            f"File validation failed for {path}: File is too large ({size:.1f}MB). Maximum "
            f"allowed size is {LARGEST >> 20}MB."
        )
    with open(path, "rb") as file:
        data = file.read()
    # Any text without NUL may be UTF-8; the others decode nearly all data, so they must be clean.
    for name, dirty in (
        (_UTF16.get(data[:2], "utf-8"), re.compile("\0")),
        ("cp1252", _CONTROLS),
        ("latin-1", _CONTROLS),
    ):
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        if not dirty.search(text):
            return text, name
    raise Refused(
        f"File validation failed for {path}: File appears to be binary and this file type cannot "
        "be read or edited by this tool."
    )


def encoded(text: str, name: str) -> bytes:
    """Return a text in its encoding, or in UTF-8 if that lacks a new character."""
    try:
        return text.encode(name)
    except UnicodeEncodeError:
        try:
            return text.encode("utf-8")
        except UnicodeEncodeError:
            raise Refused("The text holds half of a character (a lone surrogate).") from None


def states(path: str) -> list[str]:
    """Return the files with the states before the edits of a file, oldest first."""
    place = os.path.join(KEPT, hashlib.sha256(path.encode("utf-8", "replace")).hexdigest()[:20])
    os.makedirs(place, mode=0o700, exist_ok=True)
    return [os.path.join(place, name) for name in sorted(os.listdir(place))] or [place + "/"]


def keep(path: str, data: bytes) -> None:
    """Keep a state of a file; remove the oldest ones."""
    kept = states(path)
    place = os.path.dirname(kept[-1])
    last = os.path.basename(kept[-1])
    with open(os.path.join(place, f"{int(last or 0) + 1:09}"), "wb") as file:
        file.write(data)
    for name in kept[: max(0, len(kept) + 1 - STATES)]:
        if not name.endswith("/"):
            os.unlink(name)


def write(path: str, data: bytes) -> None:
    """Write a file in its place, so that its owner, mode and links stay."""
    try:
        before = None
        if os.path.exists(path):
            with open(path, "rb") as file:
                before = file.read()
        try:
            with open(path, "wb") as file:
                file.write(data)
        except PermissionError:
            replace(path, data)
        except OSError:
            if before is not None:
                with open(path, "wb") as file:
                    file.write(before)
            raise
    except OSError as error:
        raise Refused(f"Ran into {error} while trying to write to {path}") from None


def replace(path: str, data: bytes) -> None:
    """Replace a read-only file by another one with its mode."""
    aside = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.tmp")
    mode = stat.S_IMODE(os.stat(path).st_mode)
    with open(aside, "wb") as file:
        file.write(data)
    os.chmod(aside, mode)
    os.replace(aside, path)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text as they are shown, without an empty one at the end."""
    lines = [line[:-1] if line.endswith("\r") else line for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    if lines and lines[0][:1] == "\ufeff":
        lines[0] = lines[0][1:]
    return lines


def endings(text: str) -> str:
    """Return how most lines of a text end."""
    pairs = text.count("\r\n")
    return "\r\n" if pairs and 2 * pairs >= text.count("\n") else "\n"


def as_ended(text: str, ending: str) -> str:
    """Return a text with this line end."""
    return text.replace("\r\n", "\n").replace("\n", ending)


def place_of(text: str, at: int) -> int:
    r"""Return the position in a text for a position in the same text with `\n` for `\r\n`."""
    pairs: list[int] = []
    before = 0
    for part in text.split("\r\n")[:-1]:
        before += len(part)
        pairs.append(before)
        before += 1
    return at + bisect.bisect_left(pairs, at)

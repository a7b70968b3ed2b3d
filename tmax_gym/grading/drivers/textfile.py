"""Part of the file editor: text files that keep their line ends, encoding, owner, mode and links.

Covers reading, writing in place, and the states before the last edits, kept below /tmp.
Does not cover binary files.
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
    """What the agent is told instead of an edit."""


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
    # utf-8 is any text without NUL; the others decode nearly everything, so they must be clean.
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
    """Return a text as it was encoded, or in UTF-8 where that cannot hold what is new."""
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
    """Remember a state of a file; the oldest are forgotten."""
    found = states(path)
    place = os.path.dirname(found[-1])
    last = os.path.basename(found[-1])
    with open(os.path.join(place, f"{int(last or 0) + 1:09}"), "wb") as file:
        file.write(data)
    for name in found[: max(0, len(found) + 1 - STATES)]:
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
    """Put another file in the place of one that is read-only, with its mode."""
    aside = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.tmp")
    mode = stat.S_IMODE(os.stat(path).st_mode)
    with open(aside, "wb") as file:
        file.write(data)
    os.chmod(aside, mode)
    os.replace(aside, path)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text as they are shown; the end of the last one opens no other."""
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
    """Return a text whose lines end so."""
    return text.replace("\r\n", "\n").replace("\n", ending)


def place_of(text: str, at: int) -> int:
    """Return where a place of the text with single line ends is in the text itself."""
    pairs: list[int] = []
    before = 0
    for part in text.split("\r\n")[:-1]:
        before += len(part)
        pairs.append(before)
        before += 1
    return at + bisect.bisect_left(pairs, at)

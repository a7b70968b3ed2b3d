r"""Scripts of a task that Linux cannot run as their author meant: line ends, marks, encodings.

Programs of Windows write CRLF, which makes Linux look for an interpreter called `/bin/bash\r`; a
byte order mark, which hides the `#!`; or UTF-16.  Harbor repairs CRLF where it runs on Windows and
nowhere else; here nothing is repaired, and every fault has a message.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

READ_BYTES = 1 << 20
"""Of a script; what comes later is not looked at."""
_MARK = b"\xef\xbb\xbf"
_SHELLS = ("sh", "bash", "dash", "ksh", "zsh")
_FIX = "Convert it: sed -i 's/\\r$//' FILE; and keep it so in git with `*.sh text eol=lf`"


def interpreter(data: bytes) -> str:
    r"""Return the program that a script names in its first line, "" where it names none.

    >>> interpreter(b"#!/usr/bin/env -S python3 -u\n"), interpreter(b"#! /bin/sh -e\n")
    ('python3', '/bin/sh')
    """
    line = data.removeprefix(_MARK).split(b"\n", 1)[0].decode(errors="replace").strip()
    words = line.removeprefix("#!").split() if line.startswith("#!") else []
    if words and PurePosixPath(words[0]).name == "env":
        words = [w for w in words[1:] if not w.startswith("-") and "=" not in w]
    return words[0] if words else ""


def is_shell(data: bytes, name: str) -> bool:
    """Return whether a shell runs a script: one is named, or nothing is and it ends in .sh."""
    named = PurePosixPath(interpreter(data)).name
    return named in _SHELLS or (not named and name.endswith(".sh"))


def unstartable(data: bytes) -> str:
    r"""Return why Linux cannot start a script, "" where it can.

    >>> unstartable(b"#!/bin/bash\r\necho 1\r\n")[:60]
    'has Windows line ends (CRLF), so that Linux looks for an int'
    """
    first = data.split(b"\n", 1)[0]
    named = interpreter(data)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "is UTF-16, which no shell reads. Store it as UTF-8"
    if first.startswith(b"#!") and first.endswith(b"\r"):
        what = "has Windows line ends (CRLF), so that Linux looks for an interpreter"
        return f"{what} '{named}\\r'. {_FIX}"
    if data.startswith(_MARK + b"#!") and PurePosixPath(named).name not in _SHELLS:
        return f"begins with a byte order mark, which hides its '#!{named}' from Linux. Remove it"
    return ""


def fault(data: bytes, name: str) -> str:
    """Return why Linux or a shell reads a script wrongly, "" where none does."""
    if reason := unstartable(data):
        return reason
    ends = data.count(b"\r\n")
    if is_shell(data, name) and ends and ends * 2 >= data.count(b"\n"):
        return f"has Windows line ends (CRLF), which shells take for a part of words. {_FIX}"
    return ""


def is_empty(data: bytes) -> bool:
    """Return whether a shell script has no command."""
    text = data.removeprefix(_MARK).decode(errors="replace")
    return not re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE).strip()

"""What a program in a sandbox starts with: users, environment, and the interactive bash."""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Mapping

NOBODY = 65534
"""User and group id of `nobody`."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
BASH = ("/bin/bash", "--norc", "--noprofile")
INTERACTIVE_BASH = (*BASH, "--noediting", "-i")
HOMES: Mapping[str, str] = {"root": "/root", "nobody": "/tmp"}
TERMINAL_SIZE = (24, 80)
"""Rows and columns."""


def environment(user: str, *, home: str = "") -> dict[str, str]:
    """Return the environment of a fresh login, the same on every backend."""
    return {
        "PATH": PATH,
        "HOME": home or HOMES.get(user, f"/home/{user}"),
        "USER": user,
        "LOGNAME": user,
        "SHELL": "/bin/bash",
        "TERM": "dumb",
        "LANG": "C.UTF-8",
    }


def first_line(fd: int, *, seconds: float) -> bytes:
    """Return the first line that a new shell writes, without its end; less if no more comes."""
    line = bytearray()
    deadline = time.monotonic() + seconds
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([fd], [], [], max(0, deadline - time.monotonic()))
        with contextlib.suppress(OSError):  # the other side has closed
            if ready and (byte := os.read(fd, 1)):
                line += byte
                continue
        break
    return bytes(line).strip()

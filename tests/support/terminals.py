"""Reads a sandbox's terminal for tests."""

import os
import select
import time

from tmax_gym.sandboxes import Terminal


def read_until(terminal: Terminal, mark: bytes, seconds: float = 20.0) -> bytes:
    """Return what a terminal prints until a mark is among it; fail if it does not come in time."""
    seen = b""
    deadline = time.monotonic() + seconds
    while mark not in seen:
        left = deadline - time.monotonic()
        assert left > 0 and select.select([terminal.fd], [], [], left)[0], seen
        seen += os.read(terminal.fd, 4096)
    return seen

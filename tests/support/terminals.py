"""Reads a sandbox's terminal for tests."""

import os
import select
import time

from tmax_gym.sandboxes import Terminal

SLOWNESS = float(os.environ.get("TMAX_SLOWNESS", "1"))
"""How many times slower this machine is than a usual one; emulated ones are slow."""


def read_until(terminal: Terminal, mark: bytes, seconds: float = 20.0) -> bytes:
    """Return what a terminal prints until a mark is among it; fail if it does not come in time."""
    seen = b""
    deadline = time.monotonic() + seconds * SLOWNESS
    while mark not in seen:
        left = max(deadline - time.monotonic(), 0.0)
        assert select.select([terminal.fd], [], [], left)[0], f"no {mark!r} in {seen!r}"
        data = os.read(terminal.fd, 65536)
        assert data, f"the terminal ended after {seen!r}"
        seen += data
    return seen

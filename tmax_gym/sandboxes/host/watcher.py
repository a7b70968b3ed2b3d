"""A process that cleans up when its owner ends in any way, even by SIGKILL.

Started as a script, this module waits for the owner's end and then runs a clean-up script with its
arguments and one more: `CLOSED` if the owner lives and waits, else `ENDED`.  Both scripts need the
standard library only.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import select
import subprocess
import sys

_PATIENCE = 30.0
CLOSED, ENDED = "closed", "ended"


class Watcher:
    """Runs a clean-up script when this process ends, or when `close` is called."""

    def __init__(self, script: str, *arguments: str) -> None:
        """Start the watching process."""
        owner_end, self._pipe = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", __file__, script, *arguments],
                stdin=owner_end,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,  # Ctrl-C is for the owner
            )
        finally:
            os.close(owner_end)

    def close(self) -> None:
        """Have it clean up now, and wait for its end."""
        with contextlib.suppress(BrokenPipeError):  # the watcher was killed
            os.write(self._pipe, b".")
        os.close(self._pipe)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)

    def forget(self) -> None:
        """Let go of it in a forked child: it waits for the parent's end."""
        os.close(self._pipe)
        self._process.returncode = 0  # not this process's child: nothing to wait for


def _await_owner() -> str:
    """Wait for the end of the pipe or, as forks of the owner may hold it, for that of the owner."""
    owner = os.getppid()
    poller = select.poll()
    poller.register(0, select.POLLIN | select.POLLHUP)
    with contextlib.suppress(OSError, AttributeError):
        poller.register(os.pidfd_open(owner), select.POLLIN)
    if os.getppid() == owner:
        poller.poll()
    os.set_blocking(0, False)
    with contextlib.suppress(BlockingIOError):
        if os.read(0, 1):
            return CLOSED
    return ENDED


if __name__ == "__main__":
    sys.argv = [*sys.argv[1:], _await_owner()]
    runpy.run_path(sys.argv[0], run_name="__main__")

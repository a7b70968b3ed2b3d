"""Start, ask, watch and end the process that drives one peer.

Replies have a deadline and the process has a memory limit, so that a peer that hangs costs a
limited time.  Processes that it leaves running are found by a variable in their environment, so
that no other processes are touched.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

MARK = "TMAX_PEERS"
"""The name of that variable; its value is unique for every run."""
MEMORY = 3 << 30
"""Largest bytes of a driver: `yes` that is read without a limit fills 6 GB in a second."""
_CHECK = 0.05
"""Seconds between two checks of the memory."""


class Hung(Exception):
    """No reply came within the limit, or the driver used too much memory; it was killed."""


class Ended(Exception):
    """The driver ended by itself."""


class Driver:
    """One driver process."""

    def __init__(
        self, words: Sequence[str], *, environment: Mapping[str, str], directory: Path
    ) -> None:
        self.mark = environment[MARK]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (closed by close)
        self._process = subprocess.Popen(
            list(words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=directory,
            env=dict(environment),
            start_new_session=True,  # no controlling terminal that a peer could draw on
        )

    def ask(self, limit: float, **request: object) -> dict[str, Any]:
        """Return the reply, which may hold an `error`.

        Raises:
            Hung: There was none within `limit` seconds.
            Ended: The process ended instead.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:  # broken, or closed by `kill`
            raise Ended(f"the driver is gone: {self.error_output()}") from error
        answer: dict[str, Any] = json.loads(self._line(time.monotonic() + limit))
        return answer

    def kill(self) -> None:
        """Kill the process and all that it started in its own session."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe.close() if pipe else None

    def close(self) -> None:
        """Let the process end by itself within ten seconds, then kill it."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10.0)
        self.kill()
        self._errors.close()

    def error_output(self) -> str:
        """Return the end of the driver's standard error."""
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - 2000))
        return self._errors.read().decode(errors="replace").strip()[-600:]

    def _line(self, deadline: float) -> bytes:
        assert self._process.stdout is not None
        fd = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        chunks: list[bytes] = []
        next_check = 0.0
        while True:
            if poll.poll(_CHECK * 1000):
                data = os.read(fd, 1 << 20)
                if not data:
                    raise Ended(f"the driver ended: {self.error_output()}")
                chunks.append(data)
                if data.endswith(b"\n"):
                    return b"".join(chunks)
            now = time.monotonic()
            if now > deadline:
                self.kill()
                raise Hung("no reply within its time")
            if now > next_check:
                next_check = now + _CHECK
                if (held := _resident(self._process.pid)) > MEMORY:
                    self.kill()
                    raise Hung(f"it held {held >> 20} MiB when it was ended")


def sweep(mark: str) -> int:
    """Kill every process with this mark; return how many there were."""
    pids = list(marked(mark))
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(pids)


def marked(mark: str) -> Iterator[int]:
    """Yield the processes whose environment has the mark, without this one."""
    wanted = f"{MARK}={mark}".encode()
    for pid in _processes():
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            continue
        if wanted in environment.split(b"\0") and pid != os.getpid():
            yield pid


def running(words: Sequence[str]) -> int:
    """Return how many processes on this host have these arguments, also in containers."""
    wanted = b"\0".join(word.encode() for word in words) + b"\0"
    count = 0
    for pid in _processes():
        with contextlib.suppress(OSError):
            count += Path(f"/proc/{pid}/cmdline").read_bytes() == wanted
    return count


def _processes() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0

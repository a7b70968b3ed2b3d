"""What a terminal prints, searched by pexpect in constant memory.

Covers finding marks, typing any amount without a deadlock, and keeping the first and the
last half of what was read.  Waiting is left to whoever drives it: see `waits.py`.
Does not cover what the marks mean.
"""

from __future__ import annotations

import io
import os
import re
import select
import time
from collections.abc import Sequence

from pexpect.expect import Expecter, searcher_string
from pexpect.fdpexpect import fdspawn

from tmax_gym.shell.waits import Steps

_READ = 1 << 16
"""Bytes a read may return: 10 MB take 1.4x longer with pexpect's default of 2,000."""
_FULL = 2048
"""A read of so many bytes is followed by another at once: the kernel passes on 4 kB at most."""
_TURN = 16
"""Reads in a row, before others get their turn."""
_OPENING = b"\x1e"
_REACH = 32
"""Bytes from the one that opens a mark within which it ends: 22."""
_SLACK = 4 * _READ
"""Bytes kept beyond the limit, so that marks can be taken off the end."""
_LOOKBACK = 256
"""Bytes that pexpect keeps of what it has searched; a mark has 18."""
_STATUS = re.compile(rb"\x1e(\d{1,3})\|\Z")

LATE, GONE = -1, -2
"""What `Stream.wait` returns besides the index of a mark: no mark in time; the end."""


class Capture:
    """The head and the tail of a stream."""

    def __init__(self, limit: int) -> None:
        self._half = max(limit // 2, 1)
        self.head = bytearray()
        self.tail = bytearray()
        self.dropped = 0
        """Bytes between head and tail that were thrown away."""

    def feed(self, data: bytes) -> None:
        """Append what was read."""
        room = self._half - len(self.head)
        if room > 0:
            if len(data) <= room:
                self.head += data
                return
            self.head += data[:room]
            data = data[room:]
        self.tail += data
        if len(self.tail) > self._half + 2 * _SLACK:
            self._shorten(self._half + _SLACK)

    def cut(self, size: int) -> None:
        """Take `size` bytes off the end, at most as many as one read returned."""
        from_tail = min(size, len(self.tail))
        del self.tail[len(self.tail) - from_tail :]
        del self.head[len(self.head) - (size - from_tail) :]

    def pop_status(self) -> int | None:
        """Take `ESC status |` off the end, where it stands there, and return the status."""
        # The five bytes may lie across the border of head and tail.
        found = _STATUS.search((self.head[-5:] + self.tail[-5:])[-5:])
        if found is None:
            return None
        self.cut(len(found[0]))
        return int(found[1])

    def remove(self, pattern: re.Pattern[bytes]) -> None:
        """Delete all that matches."""
        self.head[:] = pattern.sub(b"", self.head)
        self.tail[:] = pattern.sub(b"", self.tail)

    def finish(self) -> None:
        """Bring the tail to its size; nothing may be fed or cut afterwards."""
        self._shorten(self._half)

    def _shorten(self, size: int) -> None:
        extra = len(self.tail) - size
        if extra > 0:
            del self.tail[:extra]
            self.dropped += extra


class Stream(fdspawn):  # type: ignore[misc]  # pexpect has no types
    """pexpect on the descriptor of a terminal, without its delays and its unbounded buffer."""

    _before: io.BytesIO

    def __init__(self, fd: int, limit: int) -> None:
        super().__init__(fd, maxread=_READ, use_poll=True)
        self.status: int | None = None
        """The status that stood before the last mark."""
        self._limit = limit
        self._line = select.poll()
        self._line.register(fd, 0)
        self._held = b""
        self._since = _REACH
        """Bytes read after the last one that opens a mark."""
        self.capture = Capture(limit)
        self.total = 0
        """Bytes read so far."""
        os.set_blocking(fd, False)

    def wait(self, marks: Sequence[bytes], seconds: float) -> Steps[int]:
        """Wait for one of `marks` and return its index, or LATE, or GONE.

        The mark, the status before it and what follows are taken off the capture; what
        follows opens the next wait.
        """
        if self._held:
            self.capture.feed(self._held)
            self._held = b""
        # What `expect_exact` does, less its 3 us of checks and its own waiting.
        expecter = Expecter(self, searcher_string(marks))
        until = time.monotonic() + max(seconds, 0.0)
        found = expecter.existing_data() if self._before.tell() else None
        while found is None:
            if not (yield self.child_fd, select.POLLIN, until):
                return LATE
            for _ in range(_TURN):
                data = self._read()
                if data is None:
                    return GONE
                if data and self._may_mark(data):
                    found = expecter.new_data(data)
                if len(data) < _FULL or found is not None:
                    break
            if found is None and time.monotonic() > until:
                return LATE
        self._held = self._before.getvalue()
        self.capture.cut(len(marks[found]) + len(self._held))
        self.status = self.capture.pop_status()
        return int(found)

    def _read(self) -> bytes | None:
        """Read what is there and record it; None at the end of the terminal."""
        try:
            data = os.read(self.child_fd, _READ)
        except BlockingIOError:
            return b""
        except OSError:
            return None
        if not data:
            return None
        self.total += len(data)
        self.capture.feed(data)
        return data

    def _may_mark(self, data: bytes) -> bool:
        """Return whether a mark may lie in what was read, or end in it; few outputs are that.

        pexpect sees no other data.  Its own record of what it saw is kept short.
        """
        at = data.rfind(_OPENING)
        near = at >= 0 or self._since < _REACH
        self._since = len(data) - at if at >= 0 else self._since + len(data)
        if near and self._before.tell() > _READ:
            kept = self._before.getvalue()[-_LOOKBACK:]
            self._before = io.BytesIO()
            self._before.write(kept)
        return near

    def restart(self) -> Capture:
        """Begin a new capture; return the old one, at its final size."""
        done, self.capture = self.capture, Capture(self._limit)
        done.finish()
        return done

    def hung_up(self) -> bool:
        """Return whether nobody holds the other side any more."""
        return any(event & (select.POLLHUP | select.POLLERR) for _, event in self._line.poll(0))

    def put(self, data: bytes, seconds: float) -> Steps[int]:
        """Type `data`; returns 0, LATE or GONE.  Reads meanwhile, or both sides might block."""
        until = time.monotonic() + seconds
        left = memoryview(data)
        while True:
            try:
                left = left[os.write(self.child_fd, left[:_READ]) :]
            except BlockingIOError:
                pass
            except OSError:
                return GONE
            if not left:
                return 0
            if not (yield self.child_fd, select.POLLIN | select.POLLOUT, until):
                return LATE
            seen = self._read()
            if seen is None:
                return GONE
            if seen and self._may_mark(seen):
                self._before.write(seen)
            if time.monotonic() > until:
                return LATE

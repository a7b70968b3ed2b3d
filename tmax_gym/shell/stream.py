"""What a terminal prints, read by pexpect in constant memory.

Covers waiting for marks, typing any amount without a deadlock, and keeping the first and the
last half of what was read.  Does not cover what the marks mean.
"""

from __future__ import annotations

import io
import os
import re
import select
import time
from collections.abc import Sequence

import pexpect
from pexpect.expect import searcher_string
from pexpect.fdpexpect import fdspawn

_READ = 1 << 16
"""Bytes a read may return: 10 MB take 1.4x longer with pexpect's default of 2,000."""
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
        self.delaybeforesend = None
        self.delayafterread = None
        self.status: int | None = None
        """The status that stood before the last mark."""
        self._limit = limit
        self._poll = select.poll()
        self._poll.register(fd, select.POLLIN)
        self._held = b""
        self.capture = Capture(limit)
        self.total = 0
        """Bytes read so far."""
        os.set_blocking(fd, False)

    def read_nonblocking(self, size: int = 1, timeout: float | None = -1) -> bytes:
        """Read what is there, record it, and keep pexpect's own record short."""
        if not self._poll.poll(max(timeout or 0.0, 0.0) * 1000):
            raise pexpect.TIMEOUT("nothing to read")
        try:
            data = os.read(self.child_fd, size)
        except BlockingIOError as error:
            raise pexpect.TIMEOUT("nothing to read") from error
        except OSError as error:
            raise pexpect.EOF("the terminal was hung up") from error
        if not data:
            raise pexpect.EOF("the terminal was closed")
        self.total += len(data)
        self.capture.feed(data)
        if self._before.tell() > _READ:
            kept = self._before.getvalue()[-_LOOKBACK:]
            self._before = io.BytesIO()
            self._before.write(kept)
        return data

    def wait(self, marks: Sequence[bytes], seconds: float) -> int:
        """Wait for one of `marks` and return its index, or LATE, or GONE.

        The mark, the status before it and what follows are taken off the capture; what
        follows opens the next wait.
        """
        if self._held:
            self.capture.feed(self._held)
            self._held = b""
        # What `expect_exact` does, less its 3 us of checks.
        searcher = searcher_string([*marks, pexpect.TIMEOUT, pexpect.EOF])
        found = int(self.expect_loop(searcher, max(seconds, 0.0)))
        if found >= len(marks):
            return LATE if found == len(marks) else GONE
        self._held = self._before.getvalue()
        self.capture.cut(len(marks[found]) + len(self._held))
        self.status = self.capture.pop_status()
        return found

    def restart(self) -> Capture:
        """Begin a new capture; return the old one, at its final size."""
        done, self.capture = self.capture, Capture(self._limit)
        done.finish()
        return done

    def hung_up(self) -> bool:
        """Return whether nobody holds the other side any more."""
        return any(event & (select.POLLHUP | select.POLLERR) for _, event in self._poll.poll(0))

    def put(self, data: bytes, seconds: float) -> int:
        """Type `data`; returns 0, LATE or GONE.  Reads meanwhile, or both sides might block."""
        deadline = time.monotonic() + seconds
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
            if (missed := self._make_room(deadline)) is not None:
                return missed

    def _make_room(self, deadline: float) -> int | None:
        both = select.poll()
        both.register(self.child_fd, select.POLLIN | select.POLLOUT)
        seconds = deadline - time.monotonic()
        if seconds <= 0 or not (events := both.poll(seconds * 1000)):
            return LATE
        if events[0][1] & ~select.POLLOUT:
            try:
                self._before.write(self.read_nonblocking(_READ, 0.0))
            except pexpect.TIMEOUT:
                return None
            except pexpect.EOF:
                return GONE
        return None

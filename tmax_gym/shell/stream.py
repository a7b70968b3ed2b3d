"""Reads a terminal, searches it for marks with pexpect, and keeps its output in bounded memory.

Also types any amount without a deadlock.  Its methods are coroutines (`coroutines.py`).  A mark at
the end of one read is found without pexpect, which takes three times as long.
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

from tmax_gym.shell.coroutines import Steps
from tmax_gym.shell.tty import may_be_changed

_READ = 1 << 16
"""Bytes a read may return: 10 MB take 1.4x longer with pexpect's default of 2,000."""
_FULL = 2048
"""After a read of this many bytes another follows at once: the kernel passes on 4 kB at most."""
_TURN = 16
"""Most reads in a row, before other coroutines get their turn."""
_OPENING = b"\x1e"
_REACH = 32
"""A mark ends within this many bytes from its first one; it takes 22."""
_SLACK = 4 * _READ
"""Bytes kept beyond the limit, so that marks can be removed from the end."""
_LOOKBACK = 256
"""Bytes that pexpect keeps of what it has searched; a mark has 18."""
_STATUS = re.compile(rb"\x1e(\d{1,3})\|\Z")
_BEFORE = 5
"""Bytes of the longest status before a mark."""
_ONE = 4096
"""Most bytes that one read of a terminal returns."""
LATE, GONE, IDLE = -1, -2, -3
"""A wait returns the index of a mark, or one of these: no mark in time; the terminal has ended; or,
from `Prompts.wait`: the shell waits for its next line, and no mark came."""
AWAITED, UNSURE = -1, -2
"""`Stream.glance` returns a status, or one of these: nothing came yet; only `wait` can tell."""


class Capture:
    """The first and the last part of an output, at most `limit` bytes together."""

    def __init__(self, limit: int) -> None:
        self._half = max(limit // 2, 1)
        self.head = bytearray()
        self.tail = bytearray()
        self.dropped = 0
        """How many bytes between head and tail were thrown away."""

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

    def holds(self, data: bytes) -> bool:
        """Return whether it is empty and can keep all of `data`."""
        return not self.head and len(data) <= self._half

    def cut(self, size: int) -> None:
        """Remove `size` bytes from the end, at most as many as one read returns."""
        from_tail = min(size, len(self.tail))
        del self.tail[len(self.tail) - from_tail :]
        del self.head[len(self.head) - (size - from_tail) :]

    def pop_status(self) -> int | None:
        """Remove the status before a mark from the end, and return it; None if there is none."""
        # It may lie across the border of head and tail.
        match = _STATUS.search((self.head[-_BEFORE:] + self.tail[-_BEFORE:])[-_BEFORE:])
        if match is None:
            return None
        self.cut(len(match[0]))
        return int(match[1])

    def remove(self, pattern: re.Pattern[bytes]) -> None:
        """Delete every match."""
        self.head[:] = pattern.sub(b"", self.head)
        self.tail[:] = pattern.sub(b"", self.tail)

    def finish(self) -> None:
        """Shorten the tail to its final size; nothing may be fed or cut afterwards."""
        self._shorten(self._half)

    def _shorten(self, size: int) -> None:
        extra = len(self.tail) - size
        if extra > 0:
            del self.tail[:extra]
            self.dropped += extra


class Stream(fdspawn):  # type: ignore[misc]  # pexpect has no types
    """A terminal for pexpect, without pexpect's delays and its unbounded buffer."""

    _before: io.BytesIO

    def __init__(self, fd: int, limit: int) -> None:
        super().__init__(fd, maxread=_READ, use_poll=True)
        self.status: int | None = None
        """The status before the last mark."""
        self._limit = limit
        self._line = select.poll()
        self._line.register(fd, 0)
        self._held = b""
        self._since = _REACH
        """Bytes read after the last one that may open a mark."""
        self.capture = Capture(limit)
        self.total = 0
        """Bytes read so far."""
        self.answered = b""
        """The output before the mark that `glance` saw."""
        self._early = b""
        """Data that was read and is to be searched."""
        self._glanced = b""
        """The data that `glance` read last."""
        os.set_blocking(fd, False)

    def glance(self, mark: bytes, line: bytes) -> int:
        """Read once; return the status if that is an ordinary answer to `line`, with `mark`.

        Most are: little output, and the mark at its end.  Other data is left for `wait`.
        """
        if self._held or self._before.tell():
            return UNSURE
        try:
            data = os.read(self.child_fd, _ONE)
        except BlockingIOError:
            return AWAITED
        except OSError:
            return UNSURE
        self.total += len(data)
        if data.endswith(mark):
            at = len(data) - len(mark)
            match = _STATUS.search(data, max(0, at - _BEFORE), at)
            if match is not None:
                output = data[: match.start()]
                kept = self.capture.holds(output) and not may_be_changed(output, line)
                if not output or kept:
                    self.answered, self._since, self._glanced = output, _REACH, data
                    return int(match[1])
        self._early = data
        return UNSURE

    def unread(self) -> None:
        """Give the data of `glance` back, for `wait` to search it."""
        self._early = self._glanced

    def wait(self, marks: Sequence[bytes], seconds: float) -> Steps[int]:
        """Wait for one of `marks` and return its index, or LATE, or GONE.

        The mark, the status before it and the data after it are removed from the capture; the
        data after it comes first in the next wait.
        """
        if self._held:
            self.capture.feed(self._held)
            self._held = b""
        # The same as `expect_exact`, without its own waiting and 3 us of checks.
        expecter: Expecter | None = None
        until = time.monotonic() + max(seconds, 0.0)
        index: int | None = None
        if self._before.tell():
            expecter = Expecter(self, searcher_string(marks))
            index = expecter.existing_data()
        while index is None:
            if not self._early and not (yield self.child_fd, select.POLLIN, until):
                return LATE
            for _ in range(_TURN):
                data = self._read()
                if data is None:
                    return GONE
                if data.endswith(marks[0]) and self._ends(data, len(marks[0])):
                    return 0
                self.capture.feed(data)
                if data and self._may_mark(data):
                    expecter = expecter or Expecter(self, searcher_string(marks))
                    index = expecter.new_data(data)
                if len(data) < _FULL or index is not None:
                    break
            if index is None and time.monotonic() > until:
                return LATE
        self._held = self._before.getvalue()
        self.capture.cut(len(marks[index]) + len(self._held))
        self.status = self.capture.pop_status()
        return int(index)

    def _ends(self, data: bytes, size: int) -> bool:
        """Capture data without the mark of this size at its end and the status before that.

        Returns False, and does nothing, if the status was in an earlier read.
        """
        at = len(data) - size
        match = _STATUS.search(data[max(0, at - _BEFORE) : at])
        if match is None:
            return False
        self.status = int(match[1])
        if len(match[0]) < at:
            self.capture.feed(data[: at - len(match[0])])
        if self._before.tell():  # pexpect's record of what came before
            self._before, self._buffer = io.BytesIO(), io.BytesIO()
        self._since = _REACH
        return True

    def _read(self) -> bytes | None:
        """Read what is there; None at the end of the terminal."""
        if self._early:
            data, self._early = self._early, b""
            return data
        try:
            data = os.read(self.child_fd, _READ)
        except BlockingIOError:
            return b""
        except OSError:
            return None
        if not data:
            return None
        self.total += len(data)
        return data

    def _may_mark(self, data: bytes) -> bool:
        """Return whether a mark may be in this data, or end in it, so that pexpect must search it.

        Few outputs have that.  pexpect's own buffer is kept short.
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
        """Return whether the other side is closed."""
        return bool(self._line.poll(0))  # it is registered for no other event

    def send(self, data: bytes) -> bytes:
        """Type as much as the terminal takes at once; return the rest."""
        try:
            return data[os.write(self.child_fd, data) :]
        except OSError:  # it is full, or gone: `put` finds out
            return data

    def put(self, data: bytes, seconds: float) -> Steps[int]:
        """Type `data`; return 0, LATE or GONE.  Reads meanwhile, as both sides might block."""
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
            self.capture.feed(seen)
            if seen and self._may_mark(seen):
                self._before.write(seen)
            if time.monotonic() > until:
                return LATE

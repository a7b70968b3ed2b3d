"""The stream of a container's process without a terminal: stdin one way, framed outputs back.

The stream of a process on a terminal has no frames.
"""

from __future__ import annotations

import contextlib
import select
import socket
import time
from collections.abc import Iterator

from tmax_gym.sandboxes.program_pipes import Output

_READ = 1 << 16
_HEAD = 8
"""Bytes before each frame: stream (1 stdout, 2 stderr), three zeros, length (big endian)."""


class Frames:
    """Splits a stream into (stream number, bytes); frames may come in any pieces."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._left = 0

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield the parts of `data` with the stream that each belongs to.

        >>> frames = Frames()
        >>> [*frames.feed(bytes([1, 0, 0, 0, 0, 0, 0, 3]) + b"ab"), *frames.feed(b"c")]
        [(1, b'ab'), (1, b'c')]
        """
        at = 0
        while at < len(data):
            if not self._left:
                taken = data[at : at + _HEAD - len(self._head)]
                self._head += taken
                at += len(taken)
                if len(self._head) < _HEAD:
                    return
                self._left = int.from_bytes(self._head[4:])
                self._stream = self._head[0]
                self._head.clear()
                continue
            piece = data[at : at + self._left]
            at += len(piece)
            self._left -= len(piece)
            yield self._stream, piece


def converse(connection: socket.socket, output: Output, *, stdin: bytes, deadline: float) -> bool:
    """Feed stdin and read both outputs until they end; return whether they did in time."""
    connection.setblocking(False)
    frames = Frames()
    rest = memoryview(stdin)
    events = select.POLLIN | select.POLLOUT
    poll = select.poll()
    poll.register(connection, events)
    while (left := deadline - time.monotonic()) > 0:
        for _, event in poll.poll(left * 1000):
            if event & select.POLLOUT and events & select.POLLOUT:
                rest = _send(connection, rest)
                if not rest:
                    with contextlib.suppress(OSError):
                        connection.shutdown(socket.SHUT_WR)
                    events = select.POLLIN
                    poll.modify(connection, events)
            if event & ~select.POLLOUT:
                try:
                    data = connection.recv(_READ)
                except BlockingIOError:
                    continue
                except OSError:
                    return True
                if not data:
                    return True
                for stream, piece in frames.feed(data):
                    output.feed(stream, piece)
    return False


def _send(connection: socket.socket, rest: memoryview) -> memoryview:
    """Send what fits; after an error nothing more is sent."""
    if not rest:
        return rest
    try:
        return rest[connection.send(rest[:_READ]) :]
    except BlockingIOError:
        return rest
    except OSError:
        return rest[:0]

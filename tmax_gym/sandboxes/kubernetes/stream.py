"""A program in a pod behind a socket: a thread moves what the websocket of the cluster carries.

Outputs of a program without a terminal get the frames of a container engine, so that
`docker.terminal.frames` reads both.  The stream tells an end that the cluster has reported, with
the program's status, from a connection that was lost.
"""

from __future__ import annotations

import json
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tmax_gym.sandboxes.program_pipes import STDERR, STDOUT

_STDIN, _STATUS, _SIZE = 0, 3, 4
"""Channels of `v4.channel.k8s.io`; 1 and 2 are the outputs."""
_CLOSED = 255
"""The channel of `v5.channel.k8s.io` on which the end of another one is told."""
_CHUNK = 8 << 10
"""Bytes of input in one message: as many as a socket that is ready takes without waiting."""
_FULL = 256 << 10
"""Bytes of output that wait to be read, beyond which no more is taken from the cluster."""
_QUIET = 15.0
"""Seconds without a message after which the other side is asked for one."""
_LOST = 45.0
"""Seconds without any message after which the connection counts as lost."""
_END_SECONDS = 10.0
_GOODBYE_SECONDS = 1.0


class Stream:
    """One program's input and output; `local` is this process's end."""

    def __init__(self, client: Any, *, framed: bool, lost: Callable[[str], object]) -> None:
        """Take over a `WSClient`.

        Args:
            client: The connection.
            framed: Whether outputs come in frames; else only the standard output comes.
            lost: Called with the reason if the connection ends before the program.
        """
        self.local, self._remote = socket.socketpair()
        self._client = client
        self._web = client.sock
        self._framed = framed
        self._lost = lost
        self._status = b""
        self._output = b""
        self._thread = threading.Thread(target=self._run, name="pod stream", daemon=True)
        self._thread.start()

    @property
    def ended(self) -> bool:
        """Whether the connection has ended."""
        return not self._thread.is_alive()

    def status(self) -> dict[str, Any] | None:
        """Return what the cluster reported at the program's end; None if nothing came."""
        self._thread.join(_END_SECONDS)
        try:
            status = json.loads(self._status)
        except ValueError:
            return None
        return status if isinstance(status, dict) else None

    def close(self) -> None:
        """Hang up.  Idempotent."""
        self.local.close()

    def _run(self) -> None:
        from websocket import WebSocketException

        reason = "the connection ended"
        try:
            self._web.settimeout(_LOST)
            reason = self._pump() or reason
        except (OSError, WebSocketException) as error:
            reason = f"{type(error).__name__}: {error}"
        with suppress(OSError, WebSocketException):
            self._client.close(timeout=_GOODBYE_SECONDS)
        hung_up = not self._status and self._peer_closed()
        if not self._status and not hung_up:
            self._lost(reason)
        with suppress(OSError):
            self._remote.settimeout(_END_SECONDS)
            self._remote.sendall(self._output)
        self._remote.close()

    def _pump(self) -> str:
        """Move data until one side ends; return the reason if that is known."""
        ours, theirs = self._remote.fileno(), self._web.sock.fileno()
        waiting = b""
        ended = False
        heard = asked = time.monotonic()
        while True:
            poll = select.poll()
            input_events = 0 if waiting or ended else select.POLLIN
            poll.register(ours, input_events | (select.POLLOUT if self._output else 0))
            output_events = select.POLLIN if len(self._output) < _FULL else 0
            poll.register(theirs, output_events | (select.POLLOUT if waiting else 0))
            events = dict(poll.poll(0 if self._pending() and output_events else _QUIET * 1000))
            now = time.monotonic()
            if events.get(ours, 0) & (select.POLLHUP | select.POLLERR):
                return "closed here"
            if events.get(ours, 0) & select.POLLIN:
                waiting = self._remote.recv(_CHUNK)
                ended = not waiting
                if ended:
                    self._client.close_channel(_STDIN)
            if events.get(ours, 0) & select.POLLOUT:
                self._output = self._output[self._remote.send(self._output) :]
            if output_events and (self._pending() or events.get(theirs, 0) & ~select.POLLOUT):
                heard = asked = now
                if not self._receive():
                    return ""
            if waiting and events.get(theirs, 0) & select.POLLOUT:
                self._web.send_binary(bytes([_STDIN]) + waiting)
                waiting = b""
            if not output_events:
                heard = now  # it may have much to say: we do not listen
            if now - asked >= _QUIET:
                asked = now
                self._web.ping()
            if now - heard >= _LOST:
                return f"no message in {_LOST:g} s"

    def _pending(self) -> bool:
        """Return whether TLS has decrypted what poll(2) does not know of."""
        inner = self._web.sock
        return isinstance(inner, ssl.SSLSocket) and bool(inner.pending())

    def _receive(self) -> bool:
        """Take one message; return False at the end of the connection."""
        from websocket import ABNF

        code, frame = self._web.recv_data_frame(True)
        if code == ABNF.OPCODE_CLOSE:
            return False
        if code not in (ABNF.OPCODE_BINARY, ABNF.OPCODE_TEXT) or not frame.data:
            return True
        channel, data = frame.data[0], bytes(frame.data[1:])
        if channel == _STATUS:
            self._status += data
        elif channel in (STDOUT, STDERR) and data:
            head = bytes([channel, 0, 0, 0]) + len(data).to_bytes(4) if self._framed else b""
            self._output += head + data
        return True

    def _peer_closed(self) -> bool:
        """Return whether this process has hung up."""
        poll = select.poll()
        poll.register(self._remote, 0)
        return bool(poll.poll(0))


def resize(client: Any, rows: int, columns: int) -> None:
    """Tell the cluster the size of a terminal."""
    client.write_channel(_SIZE, json.dumps({"Width": columns, "Height": rows}))


def exit_code(status: dict[str, Any] | None) -> int | None:
    """Return the exit status that a report tells; None if the program did not begin.

    >>> exit_code({"status": "Success"})
    0
    >>> exit_code({"status": "Failure", "reason": "NonZeroExitCode",
    ...            "details": {"causes": [{"reason": "ExitCode", "message": "3"}]}})
    3
    >>> exit_code({"status": "Failure", "message": "container not found"})
    """
    if status is None:
        return None
    if status.get("status") == "Success":
        return 0
    for cause in (status.get("details") or {}).get("causes") or ():
        if cause.get("reason") == "ExitCode":
            return int(cause["message"])
    return None

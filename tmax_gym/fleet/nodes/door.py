"""`Door`: listens for connections, and lets in those that know the key.

Both sides prove that they know it (HMAC, `multiprocessing.connection`), then exchange pickled
messages, which are not encrypted: use a private network.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import (
    Client,
    Connection,
    Listener,
    answer_challenge,
    deliver_challenge,
)
from pathlib import Path
from typing import Any

from tmax_gym.errors import FleetError


@dataclass(frozen=True, slots=True)
class Address:
    """Where a door is, and the key to it."""

    host: str
    port: int
    key: bytes

    def connected(self) -> Connection[Any, Any] | None:
        """Return a connection; None if nobody, or somebody else, listens there."""
        try:
            return Client((self.host, self.port), authkey=self.key)
        except (OSError, EOFError, AuthenticationError):
            return None

    def write(self, file: Path) -> None:
        """Write it for nodes that share this file system; only this user can read it."""
        row = {"host": self.host, "port": self.port, "key": self.key.hex()}
        part = file.with_name(f".{file.name}.part")
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            json.dump(row, out)
        part.replace(file)

    @classmethod
    def read(cls, file: Path) -> Address | None:
        """Return what `write` wrote; None if there is no file.

        Raises:
            FleetError: The file cannot be read, or is no such file.
        """
        try:
            row = json.loads(file.read_text())
            return cls(str(row["host"]), int(row["port"]), bytes.fromhex(row["key"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FleetError(f"{file} holds no address of a driver: {error!r}") from error


class Door:
    """Open until `close`; every connection is served in a thread of its own.

    Args:
        host: Address on which to listen, which the others can reach.
        serve: Called with each connection; it closes the connection.

    Raises:
        FleetError: Nothing can listen on this address.
    """

    def __init__(self, host: str, serve: Callable[[Connection[Any, Any]], None]) -> None:
        try:
            self._listener = Listener((host, 0), backlog=1024)
        except OSError as error:
            raise FleetError(
                f"cannot listen on {host}: {error}. Name an address of this machine"
            ) from error
        self._serve = serve
        self._closed = False
        self.address = Address(host, self._listener.address[1], secrets.token_bytes(32))
        threading.Thread(target=self._accept, name="door", daemon=True).start()

    def close(self) -> None:
        """Let nobody else in.  Idempotent."""
        if self._closed:
            return
        self._closed = True
        with suppress(OSError):
            socket.create_connection(self._listener.address, timeout=1.0).close()  # wakes `accept`
        self._listener.close()

    def _accept(self) -> None:
        while not self._closed:
            try:
                connection = self._listener.accept()
            except OSError:
                return
            # A thread each: whoever connects and says nothing keeps nobody else waiting.
            threading.Thread(target=self._welcome, args=(connection,), daemon=True).start()

    def _welcome(self, connection: Connection[Any, Any]) -> None:
        try:
            deliver_challenge(connection, self.address.key)
            answer_challenge(connection, self.address.key)
        except (OSError, EOFError, ValueError, AssertionError, AuthenticationError):
            connection.close()  # not one of ours: anything may come from a network
            return
        self._serve(connection)

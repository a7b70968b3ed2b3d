"""Nodes that connect to the driver over TCP: processes of this machine, or of a Slurm job.

The driver writes its address and a secret key into a file that only its user can read; nodes wait
for that file.  Both sides prove that they know the key (HMAC, `multiprocessing.connection`), then
exchange pickled messages, which are not encrypted: use a private network.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener, answer_challenge, deliver_challenge
from pathlib import Path
from typing import Any

from tmax_gym.errors import FleetError
from tmax_gym.fleet.contract import Health, Job, Lease, Outcome

SILENCE = 20.0
"""Seconds without a word after which a node is lost; it reports every `BEAT` seconds."""
BEAT = 2.0
Ended = Callable[[Outcome | None], None]


@dataclass(frozen=True, slots=True)
class Address:
    """Where a driver listens."""

    host: str
    port: int
    key: bytes

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
        """Return what `write` wrote; None if no driver is there.

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


class ConnectedNode:
    """Implements `Node` over one connection."""

    def __init__(self, name: str, connection: Connection[Any, Any], health: Health) -> None:
        self.name = name
        self._connection = connection
        self._health: Health | None = health
        self._heard = time.monotonic()
        self._ended: dict[int, Ended] = {}
        self._lock = threading.Lock()
        self._outbox: queue.SimpleQueue[tuple[Any, ...] | None] = queue.SimpleQueue()
        self._sender = threading.Thread(target=self._send, name=f"{name} send", daemon=True)
        self._sender.start()
        threading.Thread(target=self._receive, name=f"{name} receive", daemon=True).start()

    def start(self, lease: Lease, job: Job, ended: Ended) -> None:
        """Begin a lease; `ended` is called once."""
        with self._lock:
            lost = self._health is None
            if not lost:
                self._ended[lease.number] = ended
        if lost:
            ended(None)
        else:
            self._outbox.put(("start", lease, job))

    def health(self) -> Health | None:
        """Return the last report; None if the node is lost."""
        if self._health is not None and time.monotonic() - self._heard > SILENCE:
            self._lose()
        return self._health

    def warm(self, job: Job, environments: Sequence[str]) -> None:
        """Ask the node to prepare."""
        self._outbox.put(("warm", job, tuple(environments)))

    def cancel(self, number: int) -> None:
        """Ask the node to end a lease early."""
        self._outbox.put(("cancel", number))

    def drain(self) -> None:
        """Ask the node to take no more leases."""
        self._outbox.put(("drain",))

    def close(self) -> None:
        """Hang up: the node destroys what still runs for this driver."""
        self._outbox.put(None)
        self._lose()

    def _send(self) -> None:
        with suppress(OSError):
            while (message := self._outbox.get()) is not None:
                self._connection.send(message)
        self._lose()
        # Wakes the thread that receives, which closes the connection.
        with suppress(OSError), socket.socket(fileno=os.dup(self._connection.fileno())) as ending:
            ending.shutdown(socket.SHUT_RDWR)

    def _receive(self) -> None:
        with suppress(OSError, EOFError):
            while True:
                match self._connection.recv():
                    case ("health", Health() as health):
                        with self._lock:
                            self._health = health if self._health is not None else None
                    case ("ended", Outcome() as outcome):
                        with self._lock:
                            ended = self._ended.pop(outcome.number, None)
                        if ended is not None:
                            ended(outcome)
                self._heard = time.monotonic()
        self._lose()
        self._outbox.put(None)
        self._sender.join()
        self._connection.close()

    def _lose(self) -> None:
        with self._lock:
            self._health = None
            waiting, self._ended = list(self._ended.values()), {}
        for ended in waiting:
            ended(None)


class ConnectedCluster:
    """Implements `Cluster` for nodes that connect.

    Args:
        file: Where the address is written, for nodes to read; it is removed at the end.
        host: Address on which to listen, which nodes can reach.
        expected: In words, which nodes will come.
    """

    def __init__(self, file: Path, *, host: str = "127.0.0.1", expected: str = "nodes") -> None:
        self._file, self._expected = file, expected
        try:
            self._listener = Listener((host, 0), backlog=1024)
        except OSError as error:
            raise FleetError(f"cannot listen on {host}: {error}. Name another --host") from error
        self.address = Address(host, self._listener.address[1], secrets.token_bytes(32))
        self.address.write(file)
        self._nodes: dict[str, ConnectedNode] = {}
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._closed = False
        threading.Thread(target=self._accept, name="fleet-accept", daemon=True).start()

    def nodes(self) -> Sequence[ConnectedNode]:
        """Return the nodes that are connected."""
        with self._lock:
            self._nodes = {n: node for n, node in self._nodes.items() if node.health() is not None}
            return tuple(self._nodes.values())

    def expected(self) -> str:
        """Return which nodes may still come."""
        return f"{self._expected} (they read {self._file})"

    def close(self) -> None:
        """Stop listening and hang up; nodes destroy what still runs for this driver."""
        self._closed = True
        if Address.read(self._file) == self.address:
            self._file.unlink(missing_ok=True)
        with suppress(OSError):
            socket.create_connection(self._listener.address, timeout=1.0).close()  # wakes `accept`
        self._listener.close()
        with self._lock:
            nodes, self._nodes = list(self._nodes.values()), {}
        for node in nodes:
            node.close()

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
            name, health = connection.recv()
        except (OSError, EOFError, ValueError, AssertionError, AuthenticationError):
            connection.close()  # not one of ours: anything may come from a network
            return
        with self._lock:
            name = f"{name}.{next(self._numbers)}"
            if not self._closed:
                self._nodes[name] = ConnectedNode(name, connection, health)
                return
        connection.close()

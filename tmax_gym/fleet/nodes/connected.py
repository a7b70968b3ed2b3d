"""Nodes that connect to the driver over TCP: processes of this machine, or of a Slurm job.

The driver writes its address and a secret key into a file that only its user can read; nodes wait
for that file.
"""

from __future__ import annotations

import os
import queue
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tmax_gym.fleet.contract import Health, Job, Lease, Outcome
from tmax_gym.fleet.nodes.door import Address, Door

SILENCE = 20.0
"""Seconds without a word after which a node is lost; it reports every `BEAT` seconds."""
BEAT = 2.0
Ended = Callable[[Outcome | None], None]


class ConnectedNode:
    """Implements `Node` over one connection."""

    def __init__(self, name: str, connection: Connection[Any, Any], health: Health) -> None:
        self.name = name
        self._connection = connection
        self._health: Health | None = health
        self._heard = time.monotonic()
        self._ended: dict[int, Ended] = {}
        self._jobs: set[str] = set()
        """Digests of the jobs that the node has."""
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
            self._send_job(job)
            self._outbox.put(("start", lease, job.digest))

    def health(self) -> Health | None:
        """Return the last report; None if the node is lost."""
        if self._health is not None and time.monotonic() - self._heard > SILENCE:
            self._lose()
        return self._health

    def warm(self, job: Job, environments: Sequence[str]) -> None:
        """Ask the node to prepare."""
        self._send_job(job)
        self._outbox.put(("warm", job.digest, tuple(environments)))

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

    def _send_job(self, job: Job) -> None:
        """Send a job before the first message that names it: some are large."""
        with self._lock:
            new = job.digest not in self._jobs
            self._jobs.add(job.digest)
            if new:
                self._outbox.put(("job", job))

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
        self.host = host
        self._file, self._expected = file, expected
        self._nodes: dict[str, ConnectedNode] = {}
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._closed = False
        self._door = Door(host, self._welcome)
        self.address = self._door.address
        self.address.write(file)

    def nodes(self) -> Sequence[ConnectedNode]:
        """Return the nodes that are connected."""
        with self._lock:
            self._nodes = {n: node for n, node in self._nodes.items() if node.health() is not None}
            return tuple(self._nodes.values())

    def expected(self) -> str:
        """Return which nodes may still come."""
        return f"{self._expected} (they read {self._file})"

    def close(self) -> None:
        """Let no other node in, and hang up; nodes destroy what still runs for this driver."""
        with self._lock:
            self._closed = True
            nodes, self._nodes = list(self._nodes.values()), {}
        if Address.read(self._file) == self.address:
            self._file.unlink(missing_ok=True)
        self._door.close()
        for node in nodes:
            node.close()

    def _welcome(self, connection: Connection[Any, Any]) -> None:
        with suppress(OSError, EOFError):
            name, health = connection.recv()
            with self._lock:
                name = f"{name}.{next(self._numbers)}"
                if not self._closed:
                    self._nodes[name] = ConnectedNode(name, connection, health)
                    return
        connection.close()

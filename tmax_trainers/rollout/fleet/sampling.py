"""Let nodes sample from the trainer's engine: `EngineDoor` beside it, `RemoteEngine` on each node.

Token ids travel both ways: a turn of an episode with 32,000 tokens sends about 150 kB.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from tmax_gym.errors import EngineError
from tmax_gym.fleet.nodes.door import Address, Door
from tmax_trainers.engines import Completion, Engine, Request

if TYPE_CHECKING:
    import torch


class EngineDoor:
    """Answers nodes; open until `close`.

    Args:
        engine: Samples from the policy.
        host: Address of this machine that nodes can reach.
    """

    def __init__(self, engine: Engine, host: str) -> None:
        self._engine = engine
        self._door = Door(host, self._serve)
        self.address = self._door.address

    def close(self) -> None:
        """Let nobody else in; turns in flight end with the engine.  Idempotent."""
        self._door.close()

    def _serve(self, connection: Connection[Any, Any]) -> None:
        with suppress(OSError, EOFError), connection:
            while True:
                requests = connection.recv()
                try:
                    answer: object = tuple(self._engine.generate(requests))
                except EngineError as error:
                    answer = str(error)
                connection.send((self._engine.version, answer))


class RemoteEngine:
    """An engine on a node; can be called from many threads.

    Args:
        address: Of the door.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._idle: list[Connection[Any, Any]] = []
        self._closed = False
        self._version = 0

    @property
    def version(self) -> int:
        """Return the policy version of the last turn."""
        return self._version

    def generate(self, requests: Sequence[Request]) -> Sequence[Completion]:
        """Sample every request, in order; block until all are done.

        Raises:
            EngineError: The trainer does not answer, or its engine failed.
        """
        try:
            with self._connection() as connection:
                connection.send(tuple(requests))
                version, answer = connection.recv()
        except (OSError, EOFError) as error:
            raise EngineError(
                f"the trainer at {self._address.host} does not answer: {error!r}. It has ended, or "
                "the network between it and this node is interrupted"
            ) from error
        self._version = version
        if isinstance(answer, str):
            raise EngineError(answer)
        completions: tuple[Completion, ...] = answer
        return completions

    def update(self, weights: Iterable[tuple[str, torch.Tensor]], version: int) -> None:
        """Refuse: the trainer replaces the weights of its engine itself."""
        raise EngineError("a node cannot replace weights")

    def close(self) -> None:
        """Hang up; turns in flight fail."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @contextmanager
    def _connection(self) -> Iterator[Connection[Any, Any]]:
        """Lend a connection that no other thread uses; one that failed is not used again."""
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None and (connection := self._address.connected()) is None:
            raise OSError("it refused the connection")
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        with self._lock:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()

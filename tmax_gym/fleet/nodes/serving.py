"""`serve`: the process of a node that connects to a driver, works for it, and waits for the next.

If the connection ends, everything that runs for that driver is destroyed: its leases are void.
SIGTERM ends the process in the same way, which is what Slurm sends before a job is killed.
"""

from __future__ import annotations

import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any

from tmax_gym.fleet.contract import Job, Lease, Worker
from tmax_gym.fleet.nodes.connected import BEAT
from tmax_gym.fleet.nodes.door import Address
from tmax_gym.fleet.nodes.worker import NodeWorker

_LOOK = 0.2
"""Seconds between two looks for a driver."""
_END_SECONDS = 10.0
"""Seconds in which destroyed sandboxes let their leases end."""


def serve(file: Path, *, room: int, idle: float, name: str = "") -> int:
    """Work for the drivers whose address is in a file; return how many there were.

    Args:
        file: Written by the driver; it may not be there yet.
        room: Leases at the same time.
        idle: Seconds without a driver after which to end; 0 ends with the first driver.
        name: Of the node; the host's name by default.

    Raises:
        FleetError: The file is no address of a driver.
    """
    ended = threading.Event()
    _end_at_sigterm(ended)
    drivers = 0
    refused: Address | None = None
    since = time.monotonic()
    while not ended.is_set() and (idle == 0 or time.monotonic() - since < idle):
        address = Address.read(file)
        connection = None
        if address is not None and address != refused:
            connection = address.connected()
        if connection is None:
            ended.wait(_LOOK)
            continue
        _work(connection, NodeWorker(room=room), name or socket.gethostname(), ended)
        drivers += 1
        refused, since = address, time.monotonic()
        if idle == 0:
            break
    return drivers


def _end_at_sigterm(ended: threading.Event) -> None:
    def end(number: int, frame: FrameType | None) -> None:
        ended.set()

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, end)


class _Voice:
    """Sends messages from any thread; what cannot be sent is dropped, as the driver is gone."""

    def __init__(self, connection: Connection[Any, Any]) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def say(self, *message: object) -> None:
        with suppress(OSError), self._lock:
            self._connection.send(message)


def _work(
    connection: Connection[Any, Any], worker: NodeWorker, name: str, ended: threading.Event
) -> None:
    """Work for one driver until it hangs up or the process is to end."""
    voice = _Voice(connection)
    voice.say(name, worker.health())
    gone = threading.Event()
    jobs: dict[str, Job] = {}

    def beat() -> None:
        while not gone.wait(BEAT):
            voice.say("health", worker.health())

    def run(lease: Lease, digest: str) -> None:
        voice.say("ended", worker.run(lease, jobs[digest]))

    threading.Thread(target=beat, name="heartbeat", daemon=True).start()
    leases = ThreadPoolExecutor(worker.health().room, "lease")
    warming = ThreadPoolExecutor(1, "warm")
    try:
        while not ended.is_set():
            if not connection.poll(_LOOK):
                continue
            match connection.recv():
                case ("job", job):
                    jobs[job.digest] = job
                case ("start", lease, digest):
                    leases.submit(run, lease, digest)
                case ("warm", digest, environments):
                    warming.submit(worker.warm, jobs[digest], environments)
                case ("cancel", number):
                    worker.cancel(number)
                case ("drain",):
                    worker.drain()
    except (OSError, EOFError):
        pass
    finally:
        gone.set()
        connection.close()
        warming.shutdown(wait=False, cancel_futures=True)
        leases.shutdown(wait=False, cancel_futures=True)
        worker.cancel_all()
        _await_the_end(worker)
        worker.close()


def _await_the_end(worker: Worker) -> None:
    """Wait until the leases have ended; what hangs longer is left behind with its thread."""
    deadline = time.monotonic() + _END_SECONDS
    while worker.health().running and time.monotonic() < deadline:
        time.sleep(_LOOK)

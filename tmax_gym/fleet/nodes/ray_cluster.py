"""Nodes as actors of a Ray cluster: one for each node that has the resource `sandboxes`.

Ray places the actors and notices lost nodes; there is no scheduler of ours.  A node offers its
places for sandboxes when it is started: `ray start --address=... --resources='{"sandboxes": 64}'`.
Each node needs this package and its images; a node that joins later is used from then on.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from tmax_gym.errors import FleetError
from tmax_gym.fleet.contract import Health, Job, Lease, Outcome
from tmax_gym.fleet.nodes.worker import NodeWorker

RESOURCE = "sandboxes"
BEAT = 2.0
SILENCE = 60.0
"""Seconds without an answer after which a node is lost; Ray itself notices most losses in two."""
START_SECONDS = 120.0
"""Time for an actor to start on a busy node; 0.8 s on a quiet one (ray 2.60)."""

logger = logging.getLogger(__name__)
Ended = Callable[[Outcome | None], None]


class RayNode:
    """Implements `Node` by one actor."""

    def __init__(self, ray: Any, node_id: str, *, room: int) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        self.name = node_id
        self._ray = ray
        self._room = room
        self._lock = threading.Lock()
        self._health: Health | None = Health(0, 0, 0.0, 0)  # no lease before the first report
        self._heard = time.monotonic()
        self._asked_at = 0.0
        self._asking = False
        self._patience = START_SECONDS
        self._jobs: dict[str, Any] = {}
        kind = ray.remote(concurrency_groups={"control": 4})(_actor_class(ray))
        self._actor = kind.options(
            num_cpus=0,
            max_restarts=0,
            max_concurrency=room,
            resources={RESOURCE: 1},
            scheduling_strategy=NodeAffinitySchedulingStrategy(node_id, soft=False),
        ).remote(room)

    def start(self, lease: Lease, job: Job, ended: Ended) -> None:
        """Begin a lease; `ended` is called once."""

        def done(future: Any) -> None:
            try:
                outcome = future.result()
            except self._ray.exceptions.RayError as error:
                self._lose(str(error))
                outcome = None
            ended(outcome)

        self._actor.run.remote(lease, self._sent(job)).future().add_done_callback(done)

    def health(self) -> Health | None:
        """Return the last report; None if the node is lost."""
        now = time.monotonic()
        with self._lock:
            silent = now - self._heard > self._patience
            ask = not self._asking and now - self._asked_at >= BEAT and self._health is not None
            if ask:
                self._asking, self._asked_at = True, now
        if silent:
            self._lose(f"no answer in {self._patience:g} s")
        elif ask:
            self._actor.health.remote().future().add_done_callback(self._reported)
        return self._health

    def warm(self, job: Job, environments: Sequence[str]) -> None:
        """Ask the node to prepare."""
        self._actor.warm.remote(self._sent(job), tuple(environments))

    def cancel(self, number: int) -> None:
        """Ask the node to end a lease early."""
        self._actor.cancel.remote(number)

    def drain(self) -> None:
        """Ask the node to take no more leases."""
        self._actor.drain.remote()

    def close(self) -> None:
        """Let the node destroy what runs, then end its actor."""
        if self._health is not None:
            try:
                self._ray.get(self._actor.close.remote(), timeout=10.0)
            except self._ray.exceptions.RayError as error:
                logger.warning("node %s did not end in order: %s", self.name, error)
        self._ray.kill(self._actor)

    def _sent(self, job: Job) -> Any:
        """Return a reference to a job, which Ray sends to the node once."""
        if job.digest not in self._jobs:
            self._jobs[job.digest] = self._ray.put(job)
        return self._jobs[job.digest]

    def _reported(self, future: Any) -> None:
        try:
            health = future.result()
        except self._ray.exceptions.RayError as error:
            self._lose(str(error))
            return
        with self._lock:
            self._asking = False
            self._heard, self._patience = time.monotonic(), SILENCE
            self._health = health if self._health is not None else None

    def _lose(self, why: str) -> None:
        with self._lock:
            new, self._health = self._health is not None, None
        if new:
            logger.warning("node %s: %s", self.name, why.splitlines()[0])


def _actor_class(ray: Any) -> type:
    """Return a `NodeWorker` whose short methods answer while all its places are taken."""
    control = ray.method(concurrency_group="control")

    class RayWorker(NodeWorker):
        def __init__(self, room: int) -> None:
            super().__init__(room=room)

        health = control(NodeWorker.health)
        warm = control(NodeWorker.warm)
        cancel = control(NodeWorker.cancel)
        drain = control(NodeWorker.drain)
        close = control(NodeWorker.close)

    return RayWorker


class RayCluster:
    """Implements `Cluster` for a Ray cluster.

    Args:
        address: As `ray.init` takes it: `auto`, `HOST:PORT` or `ray://HOST:PORT`.
        room: Leases that each node takes at the same time; less if it offers fewer sandboxes.

    Raises:
        FleetError: Ray is not installed, or there is no cluster.
    """

    def __init__(self, address: str, *, room: int) -> None:
        try:
            import ray
        except ImportError as error:
            raise FleetError("a Ray fleet needs Ray: pip install 'tmax-gym[ray]'") from error
        self._ray: Any = ray
        self._mine = not ray.is_initialized()
        if self._mine:
            try:
                ray.init(address, log_to_driver=False, logging_level=logging.WARNING)
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise FleetError(
                    f"no Ray cluster answers at {address}: {error}. Start one with `ray start "
                    f"--head`, and nodes with --resources='{{\"{RESOURCE}\": 64}}'"
                ) from error
        self._address, self._room = address, room
        self.host: str = ray.util.get_node_ip_address()
        self._nodes: dict[str, RayNode] = {}

    def nodes(self) -> Sequence[RayNode]:
        """Return the nodes that are alive and offer sandboxes."""
        rows = [row for row in self._ray.nodes() if row["Alive"]]
        for row in rows:
            places = int(row["Resources"].get(RESOURCE, 0))
            if places and row["NodeID"] not in self._nodes:
                room = min(self._room, places)
                self._nodes[row["NodeID"]] = RayNode(self._ray, row["NodeID"], room=room)
        alive = {row["NodeID"] for row in rows}
        return tuple(
            node
            for name, node in self._nodes.items()
            if name in alive and node.health() is not None
        )

    def expected(self) -> str:
        """Return which nodes may still come."""
        return f"nodes of the Ray cluster at {self._address} with the resource {RESOURCE!r}"

    def close(self) -> None:
        """End the actors, and leave the cluster if this has joined it."""
        for node in self._nodes.values():
            node.close()
        if self._mine:
            self._ray.shutdown()

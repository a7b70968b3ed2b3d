"""`FleetPlayer`: plays the episodes of a group source on the nodes of a fleet.

A node that is lost costs its episodes time: they are played again with the same seeds on another.
An episode that is lost again and again has an ending without reward, and the group source then
plays it with another seed, as it does on one machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tmax_gym.errors import FleetError, LeaseLost, TrainingError
from tmax_gym.fleet.contract import Cluster, Work
from tmax_gym.fleet.driver import Driver
from tmax_gym.fleet.leases import MEMORY, LeaseBook
from tmax_gym.fleet.nodes.door import Address
from tmax_gym.trajectory import Ending, Trajectory, from_json, to_json
from tmax_trainers.engines import Engine
from tmax_trainers.rollout.fleet.sampling import EngineDoor, RemoteEngine
from tmax_trainers.rollout.records import Episode, Metrics
from tmax_trainers.rollout.watch import CLOSE_SECONDS, GRACE, TICK

MARGIN = 30.0 + GRACE + CLOSE_SECONDS
"""Seconds by which a lease outlives the wall time of its episode, which ends first on its node."""


class Player(Protocol):
    """Plays episodes on a node."""

    def __call__(self, episode: Episode) -> Trajectory:
        """Play one episode."""

    def warm(self, tasks: Sequence[str]) -> None:
        """Prepare for episodes of these tasks."""


Setup = Callable[[Engine], Player]
"""Makes what plays on a node, given what samples; it is pickled by name."""


@dataclass(frozen=True, slots=True)
class Episodes:
    """The job that plays episodes; a request is an `Episode` as JSON."""

    setup: Setup
    address: Address
    """Of the trainer's engine."""

    @property
    def digest(self) -> str:
        """Return a hash that differs between runs, whose keys differ."""
        return hashlib.blake2b(self.address.key, digest_size=8).hexdigest()

    def open(self) -> EpisodesHere:
        """Begin on this node; raises what its tasks or its sandboxes lack."""
        engine = RemoteEngine(self.address)
        return EpisodesHere(self.setup(engine), engine)


class EpisodesHere:
    """Plays episodes on this node."""

    def __init__(self, player: Player, engine: RemoteEngine) -> None:
        self._player, self._engine = player, engine

    def __call__(self, request: str) -> str:
        """Return the trajectory of an episode as JSON."""
        return to_json(self._player(Episode(**json.loads(request))))

    def warm(self, environments: Sequence[str]) -> None:
        """Prepare for tasks."""
        self._player.warm(environments)

    def close(self) -> None:
        """End the turns in flight."""
        self._engine.close()


class FleetPlayer:
    """Plays episodes on a cluster; call it from many threads.

    Args:
        cluster: The nodes.
        setup: Makes what plays on a node.
        engine: Samples from the policy.
        wall_seconds: Longest time of an episode.
    """

    def __init__(
        self, cluster: Cluster, setup: Setup, engine: Engine, *, wall_seconds: float
    ) -> None:
        self._door = EngineDoor(engine, cluster.host)
        job = Episodes(setup, self._door.address)
        book = LeaseBook(MEMORY, job=job.digest)
        self._driver = Driver(cluster, book, job, keep=False)
        self._seconds = wall_seconds + MARGIN

    def __call__(self, episode: Episode) -> Trajectory:
        """Play one episode.

        Raises:
            TrainingError: No node can play it, for a reason that another try would not change.
        """
        row = {name: getattr(episode, name) for name in _FIELDS}
        request = json.dumps(row, sort_keys=True)
        work = Work(f"{episode.task} {episode.name}", episode.task, request, self._seconds)
        future = self._driver.submit(work)
        try:
            while True:
                try:
                    return from_json(future.result(TICK))
                except TimeoutError:
                    if episode.cancelled.is_set():
                        self._driver.cancel(work.key)
        except LeaseLost as error:
            return _lost(episode, str(error))
        except FleetError as error:
            raise TrainingError(f"{episode.task}: {error}") from error

    def metrics(self) -> Metrics:
        """Return milliseconds of every phase by quantile, for the log of a step."""
        metrics: Metrics = {"fleet/room": float(self._driver.room)}
        for phase, values in self._driver.timings.quantiles().items():
            for share, seconds in zip((50, 95, 99), values, strict=True):
                metrics[f"fleet/{phase.replace(' ', '_')}_p{share}"] = seconds * 1e3
        return metrics

    def inside(self) -> dict[str, float]:
        """Return how many episodes wait for a node, and how many are on one."""
        return {part: float(count) for part, count in self._driver.inside().items()}

    def close(self) -> None:
        """End what runs on the nodes, and let go of them.  Idempotent."""
        self._door.close()
        self._driver.close()


_FIELDS = ("task", "group", "member", "attempt", "seed", "version")


def _lost(episode: Episode, message: str) -> Trajectory:
    return Trajectory(
        task=episode.task,
        agent="unknown",
        seed=episode.seed,
        ending=Ending.INFRA_ERROR,
        reward=None,
        message=message,
        attempts=episode.attempt + 1,
    )

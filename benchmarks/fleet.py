"""Measure what a fleet costs: episodes with one node worker against none, and with more nodes.

An episode is the reference solution of one of eight tasks, in a native sandbox.  The same episodes
are played by threads of this process (no fleet) and by one node worker, in turn; the ratio is the
median over rounds, and memory is what the worker has more than this process.  Then nodes of the
same machine share them, which tells what the driver costs, not how much faster more machines are.
At last the driver's own work is measured with works that do nothing, and scaled to 1,024 and 10,000
sandboxes.

    python benchmarks/fleet.py [--episodes 256] [--rounds 5] [--price 3.0] [--json]
"""

from __future__ import annotations

import gc
import resource
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from benchmarks.fleet_plays import Plays, play
from benchmarks.script import Target, finish, median, options
from tmax_gym.fleet.contract import Work
from tmax_gym.fleet.driver import Driver
from tmax_gym.fleet.leases import MEMORY, LeaseBook
from tmax_gym.fleet.nodes.local import LocalCluster
from tmax_gym.fleet.nodes.worker import memory
from tmax_gym.proofs.validate import sample
from tmax_gym.tasks import catalogue

TOGETHER = 16
"""Episodes at the same time."""
TASKS = 8
EMPTY = 2000
"""Works that do nothing."""
EPISODE_SECONDS, CORES_A_SANDBOX = 300.0, 1 / 8
"""Of a rollout with a model: most of it is sampling (TMax: 512 episodes on about 64 cores)."""
SIZES = (1024, 10_000)


class Nodes:
    """A driver with some nodes of this machine, in which everything was played once."""

    def __init__(self, count: int, names: Sequence[str]) -> None:
        self.cluster = LocalCluster(count, room=TOGETHER // count)
        self.driver = Driver(self.cluster, LeaseBook(MEMORY, job="plays"), Plays(), keep=False)
        while len(self.cluster.nodes()) < count:
            time.sleep(0.05)
        self._numbers = iter(range(1 << 62))
        self.seconds(names * count)

    def seconds(self, requests: Sequence[str]) -> float:
        """Return how long these works take."""
        began = time.monotonic()
        works = [Work(f"w{next(self._numbers)}", name, name) for name in requests]
        for _, future in self.driver.results(works):
            future.result()
        return time.monotonic() - began


def here(names: Sequence[str]) -> float:
    """Return how long the episodes take in threads of this process."""
    began = time.monotonic()
    with ThreadPoolExecutor(TOGETHER) as pool:
        list(pool.map(play, names))
    return time.monotonic() - began


def main() -> int:
    """Measure, write the results, return 1 if a target is missed."""
    given = options(
        __doc__,
        episodes=256,
        rounds=5,
        price=(3.0, "dollars an hour of 64 cores, for the estimate"),
    )
    chosen = sample(catalogue.names(), TASKS, seed=21)
    names = [chosen[number % TASKS] for number in range(given.episodes)]
    here(list(chosen))
    by_nodes: dict[int, float] = {}
    one = Nodes(1, chosen)
    with one.driver:
        pairs = [(here(names), one.seconds(names)) for _ in range(given.rounds)]
        health = one.cluster.nodes()[0].health()
        assert health is not None
        more_memory = health.memory - memory()  # this process has played as many episodes
        cpu = driver_seconds(one)
        quantiles = one.driver.timings.quantiles()
    ratio = median([fleet / alone for alone, fleet in pairs])
    by_nodes[1] = median([fleet for _, fleet in pairs])
    for count in (2, 4):
        more = Nodes(count, chosen)
        with more.driver:
            by_nodes[count] = more.seconds(names)
    targets = {
        "time_with_one_node_worker_over_none": Target(round(ratio, 3), 1.05),
        "megabytes_of_a_node_worker_over_none": Target(round(more_memory / 1e6, 1), 100.0),
    }
    measured = {
        "episodes": given.episodes,
        "seconds_by_nodes": {str(n): round(s, 2) for n, s in by_nodes.items()},
        "driver_cpu_ms_a_lease": round(cpu * 1e3, 3),
        "phases_ms": {p: [round(1e3 * s, 1) for s in values] for p, values in quantiles.items()},
        "worker_megabytes": round(health.memory / 1e6, 1),
        "sizes": [estimate(size, cpu, given.price) for size in SIZES],
    }
    return finish("fleet", measured, targets, given, lines(measured, pairs))


def driver_seconds(nodes: Nodes) -> float:
    """Return the processor time of this process for one lease, by works that do nothing."""
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF)
    nodes.seconds([""] * EMPTY)
    after = resource.getrusage(resource.RUSAGE_SELF)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent / EMPTY


def estimate(size: int, cpu: float, price: float) -> dict[str, float]:
    """Return what the measured costs mean for so many sandboxes at the same time."""
    leases = size / EPISODE_SECONDS
    cores = size * CORES_A_SANDBOX
    return {
        "sandboxes": size,
        "leases_a_second": round(leases, 2),
        "driver_cores": round(leases * cpu, 4),
        "cores_for_sandboxes": cores,
        "dollars_for_a_million_rollouts": round(1e6 / leases / 3600 * cores / 64 * price),
    }


def lines(measured: dict[str, object], pairs: Sequence[tuple[float, float]]) -> list[str]:
    """Return the table."""
    rows = [f"round {n}: {a:.2f} s here, {b:.2f} s on a node" for n, (a, b) in enumerate(pairs, 1)]
    return [*rows, *(f"{name}: {value}" for name, value in measured.items())]


if __name__ == "__main__":
    sys.exit(main())

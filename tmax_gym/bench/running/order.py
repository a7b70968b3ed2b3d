"""An order for a run (which tasks, which agent, how often), and how it is carried out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tmax_gym.agents.registry import agent_entry
from tmax_gym.bench.remains import RemainsStore
from tmax_gym.bench.reports.harbor import write_harbor
from tmax_gym.bench.running.datasets import BenchDataset, anywhere
from tmax_gym.bench.running.endpoint import Endpoint
from tmax_gym.bench.running.runner import Look, Players, RunResult, keys_of, run
from tmax_gym.bench.running.settings import BenchSettings
from tmax_gym.bench.running.trial import Bench
from tmax_gym.bench.store import RunDirectory, RunFile, read_run_file
from tmax_gym.errors import BenchError
from tmax_gym.harbor.run.settings import Machines
from tmax_gym.sandboxes import Backend

REMAINS = "remains"


@dataclass(frozen=True, slots=True)
class Fleet:
    """Where the trials of a run are played, if not here, and what nodes need besides the order."""

    name: str
    """As for `open_cluster`."""
    dataset: str
    """As for `open_dataset`."""
    machines: Machines = field(default_factory=Machines)
    key_env: str = ""
    """Environment variable with the key of the model's endpoint, on every node."""
    host: str = ""
    """Address of this machine that nodes can reach; the host's name by default."""
    tell: Callable[[str], object] = print
    """Gets how long each phase took, in words, at the end."""


@dataclass(frozen=True, slots=True)
class Order:
    """A run as it was ordered."""

    dataset: BenchDataset
    settings: BenchSettings
    machines: Backend
    endpoint: Endpoint | None = None
    attempts: int = 1
    jobs: int = 1
    retries: int = 2
    again: bool = False
    keep: bool = True
    fleet: Fleet | None = None
    """Plays the trials on other machines, as many as have room there; `jobs` is then unused."""

    def run_file(self, name: str) -> RunFile:
        """Return the content of the run's `run.json`."""
        return RunFile(
            name=name,
            dataset=self.dataset.name,
            settings=self.settings.plain(),
            config=self.settings.digest(),
            beside={
                "base_url": self.endpoint.connection.base_url if self.endpoint else "",
                "jobs": self.jobs,
                "retries": self.retries,
            },
            digests={item.name: item.digest for item in self.dataset.items},
            attempts=self.attempts,
        )


def carry_out(order: Order, out: Path, *, look: Look | None = None) -> RunResult:
    """Play the trials without a record; write Harbor's job directory, even after a failure.

    Raises:
        TmaxError: The run cannot begin or continue.
    """
    entry = agent_entry(order.settings.harness)
    if entry.needs_model and order.endpoint is None:
        raise BenchError(
            f"the harness {order.settings.harness} needs a model: give -m NAME and --base-url URL"
        )
    if order.settings.harness == "human" and order.jobs > 1:
        raise BenchError("one person plays one trial at a time: give -j 1")
    if order.settings.harness == "human" and order.fleet is not None:
        raise BenchError("a person plays on this machine: leave out --fleet")
    with RunDirectory(out) as directory:
        directory.begin(order.run_file(out.name))
        bench = Bench(
            *(order.settings, entry, order.machines),
            events=directory.events,
            stop=threading.Event(),
            endpoint=order.endpoint,
            remains=RemainsStore(out / REMAINS) if order.keep else None,
            retries=order.retries,
        )
        trials = keys_of(order.dataset.items, order.attempts)
        try:
            with _players(order, bench) as players:
                return run(bench, directory, trials, players=players, again=order.again, look=look)
        finally:
            write_harbor(directory.path, read_run_file(out), directory.records().values())


@contextmanager
def _players(order: Order, bench: Bench) -> Iterator[Players]:
    """Open what plays the trials: this process, or a fleet."""
    if (fleet := order.fleet) is None:
        yield Players.here(bench, order.jobs)
        return
    # Only now: most runs need no other machines.
    from tmax_gym.bench.running.fleet import FleetTrials, Model, Trials
    from tmax_gym.fleet.clusters import open_cluster

    model = Model.of(order.endpoint, fleet.key_env) if order.endpoint else None
    job = Trials(
        *(anywhere(fleet.dataset), fleet.machines, order.settings, model),
        retries=order.retries,
        keep=order.keep,
    )
    cluster = open_cluster(fleet.name, host=fleet.host)
    with closing(FleetTrials(cluster, job, bench)) as trials:
        yield Players(trials, trials.room)
        fleet.tell(trials.timings)

"""An order for a run (which tasks, which agent, how often), and how it is carried out."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from tmax_gym.agents.registry import agent_entry
from tmax_gym.bench.remains import RemainsStore
from tmax_gym.bench.reports.harbor import write_harbor
from tmax_gym.bench.running.datasets import BenchDataset
from tmax_gym.bench.running.endpoint import Endpoint
from tmax_gym.bench.running.runner import Look, RunResult, keys_of, run
from tmax_gym.bench.running.settings import BenchSettings
from tmax_gym.bench.running.trial import Bench
from tmax_gym.bench.store import RunDirectory, RunFile, read_run_file
from tmax_gym.errors import BenchError
from tmax_gym.sandboxes import Backend

REMAINS = "remains"


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
            return run(bench, directory, trials, jobs=order.jobs, again=order.again, look=look)
        finally:
            write_harbor(directory.path, read_run_file(out), directory.records().values())

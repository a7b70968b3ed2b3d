"""Play the trials of a run on the nodes of a fleet.

A trial that was lost with its nodes again and again ends with `infra_error` and no reward, as on a
machine that fails here; `--again` plays it once more.  Records, files for regrading and events are
sent to the driver, which writes them as if it had played the trial itself.
Does not copy anything to nodes: they need the dataset under the same path, the same images, and the
key of the model's endpoint in their own environment.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tmax_gym.agents.client.client import Connection
from tmax_gym.agents.harnesses.window import Window
from tmax_gym.agents.registry import agent_entry
from tmax_gym.bench import records
from tmax_gym.bench.events import EVENTS, EventLog, now, read_events
from tmax_gym.bench.records import TrialRecord
from tmax_gym.bench.remains import RemainsStore
from tmax_gym.bench.running.datasets import Item, Selection, open_dataset
from tmax_gym.bench.running.endpoint import Endpoint, Prices
from tmax_gym.bench.running.settings import BenchSettings, image_id
from tmax_gym.bench.running.trial import Bench, play, unplayed
from tmax_gym.errors import BenchError, FleetError, LeaseLost, SandboxError
from tmax_gym.fleet.contract import Cluster, Work
from tmax_gym.fleet.driver import Driver
from tmax_gym.fleet.leases import MEMORY, LeaseBook
from tmax_gym.harbor.run.settings import Machines
from tmax_gym.sandboxes import backend as backend_named
from tmax_gym.trajectory import Ending

SECONDS = 86_400.0
"""Longest time of a trial on one node.  Its own limits end it long before; this is for a node that
answers and does not go on."""
_TICK = 0.5


@dataclass(frozen=True, slots=True)
class Model:
    """The endpoint of a model, as nodes reach it; each reads the key from its own environment."""

    connection: Connection
    """Without the key."""
    window: Window
    prices: Prices | None
    key_env: str
    """Environment variable with the key; "" if the endpoint needs none."""

    @classmethod
    def of(cls, endpoint: Endpoint, key_env: str) -> Model:
        """Return an endpoint as nodes reach it."""
        at = endpoint.connection
        plain = replace(at, key="")
        return cls(plain, endpoint.window, endpoint.prices, key_env if at.key else "")

    def endpoint(self) -> Endpoint:
        """Return the endpoint on this node.

        Raises:
            BenchError: The key is not in the environment.
        """
        key = os.environ.get(self.key_env, "") if self.key_env else ""
        if self.key_env and not key:
            raise BenchError(
                f"the environment variable {self.key_env} with the key of "
                f"{self.connection.base_url} is not set on this node. Set it where nodes start."
            )
        return Endpoint(replace(self.connection, key=key), self.window, self.prices)


@dataclass(frozen=True, slots=True)
class Trials:
    """The job that plays trials; a request is a task's name and the number of an attempt."""

    dataset: str
    """As for `open_dataset`; a path must be absolute, and there on every node."""
    machines: Machines
    settings: BenchSettings
    model: Model | None = None
    retries: int = 2
    """Retries of a trial on one node, before another node gets it."""
    keep: bool = True

    @property
    def digest(self) -> str:
        """Return a hash of all that is here."""
        row = [self.dataset, repr(self.machines), self.settings.plain(), repr(self.model)]
        text = json.dumps([*row, self.retries, self.keep], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def open(self) -> TrialsHere:
        """Begin on this node.

        Raises:
            BenchError: The dataset, the image or the key is not here, or another one is.
        """
        own = self.settings
        if (here := image_id(own.image)) != own.image_id:
            raise BenchError(
                f"the image {own.image} has another content on this node ({here or 'absent'}) than "
                f"where the run began ({own.image_id}). Build the same version on every node."
            )
        return TrialsHere(self)


class TrialsHere:
    """Plays trials on this node."""

    def __init__(self, job: Trials) -> None:
        own = job.settings
        self._job = job
        self._entry = agent_entry(own.harness)
        self._backend = backend_named(own.backend)
        # With an image named, tasks whose own one is absent stay: their trials say what is missing.
        chosen = Selection(image=own.image)
        opened = open_dataset(
            job.dataset, chosen, backend=self._backend.name, machines=job.machines
        )
        self._items = {item.name: item for item in opened.items}
        self._endpoint = job.model.endpoint() if job.model else None

    def __call__(self, request: str) -> str:
        """Return a trial's record, events and files as JSON.

        Raises:
            SandboxError: Sandboxes failed in every try, or the lease was taken away.
            BenchError: The task is not here.
        """
        name, attempt = json.loads(request)
        if (item := self._items.get(name)) is None:
            raise BenchError(f"this node has no task {name} in {self._job.dataset}")
        with tempfile.TemporaryDirectory(prefix="tmax-trial-") as place:
            return self._played(item, attempt, Path(place))

    def _played(self, item: Item, attempt: int, place: Path) -> str:
        remains = RemainsStore(place / "remains")
        events = EventLog(place / EVENTS)
        bench = Bench(
            *(self._job.settings, self._entry, self._backend),
            events=events,
            stop=threading.Event(),
            endpoint=self._endpoint,
            remains=remains if self._job.keep else None,
            retries=self._job.retries,
        )
        try:
            record = play(bench, item, attempt)
        finally:
            events.close()
        assert record is not None  # only a stopped run has none
        if record.ending is Ending.INFRA_ERROR and 0 < bench.retries < record.trajectory.attempts:
            raise SandboxError(record.trajectory.message)  # another node may do better
        files = remains.packed(record.remains) if record.remains else {}
        row = {
            "record": records.to_json(record),
            "events": read_events(place / EVENTS),
            "remains": {digest: base64.b64encode(data).decode() for digest, data in files.items()},
        }
        return json.dumps(row, sort_keys=True)

    def warm(self, environments: Sequence[str]) -> None:
        """Read the files of tasks."""
        for name in environments:
            if (item := self._items.get(name)) is not None:
                item.load()

    def close(self) -> None:
        """Do nothing: trials share the node's backend."""


class FleetTrials:
    """Plays trials on a cluster; call it from many threads, one for each trial.

    Args:
        cluster: The nodes; closed with this.
        job: What they do.
        bench: Holds the event log, the files of trials and the sign to stop of this run.
    """

    def __init__(self, cluster: Cluster, job: Trials, bench: Bench) -> None:
        self._bench = bench
        self._config = job.settings.digest()
        book = LeaseBook(MEMORY, job=job.digest)  # the run's directory has the results
        self._driver = Driver(cluster, book, job, keep=False)

    def room(self) -> int:
        """Return how many trials all nodes play at the same time, at least 1."""
        return max(1, self._driver.room)

    def __call__(self, item: Item, attempt: int) -> TrialRecord | None:
        """Return the record of a trial; None if the run was stopped.

        Raises:
            BenchError: No node can play it, or nodes have another version of it.
        """
        request = json.dumps([item.name, attempt])
        work = Work(f"{item.name} {attempt}", item.name, request, SECONDS)
        begun = now()
        future = self._driver.submit(work)
        while True:
            try:
                return self._taken(json.loads(future.result(_TICK)), item)
            except TimeoutError:
                if self._bench.stop.is_set():
                    self._driver.cancel(work.key)
            except LeaseLost as error:
                if self._bench.stop.is_set():
                    return None
                ending = Ending.INFRA_ERROR
                return unplayed(
                    self._bench, item, attempt, started=begun, error=error, ending=ending
                )
            except FleetError as error:
                raise BenchError(f"{item.name} was not played: {error}") from error

    def close(self) -> None:
        """End what runs on the nodes, let go of them, and log how long phases took."""
        self._driver.close()
        seconds = self._driver.timings.quantiles()
        shown = {phase: [round(value, 4) for value in row] for phase, row in seconds.items()}
        self._bench.events.add("fleet_ended", seconds_p50_p95_p99=shown)

    @property
    def timings(self) -> str:
        """Return how long each phase took, in lines for people."""
        return str(self._driver.timings)

    def _taken(self, row: Mapping[str, Any], item: Item) -> TrialRecord:
        """Take a trial's events and files; return its record."""
        try:
            record = records.from_json(row["record"])
        except ValueError as error:
            raise BenchError(f"{item.name} was played by another version: {error}") from error
        theirs, ours = (record.config, record.digest), (self._config, item.digest)
        if theirs != ours:
            raise BenchError(
                f"a node plays another version of {item.name}: it has settings and task {theirs}, "
                f"this run has {ours}. Install the same version and dataset on every node."
            )
        for event in row["events"]:
            self._bench.events.add(**event)
        if self._bench.remains is not None:
            files = {name: base64.b64decode(text) for name, text in row["remains"].items()}
            self._bench.remains.unpack(files)
        return record

"""Plays one trial of a tiny task against an endpoint that answers in some way, as a bench does."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from tests.support.endpoint_cases import Case, Fate
from tests.support.endpoint_server import Ask, serving
from tests.support.tiny_tasks import sum_task
from tmax_gym.agents.client.client import Connection
from tmax_gym.bench.events import EVENTS, read_events
from tmax_gym.bench.records import TrialRecord
from tmax_gym.bench.reports.loading import load
from tmax_gym.bench.running.datasets import BenchDataset, Item
from tmax_gym.bench.running.endpoint import Endpoint
from tmax_gym.bench.running.order import Order, carry_out
from tmax_gym.bench.running.settings import BenchSettings
from tmax_gym.errors import ModelRefused
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending

QUICK = {"tries": 3, "first_wait": 0.01, "request_seconds": 2.0, "turn_seconds": 8.0}
"""Of a connection: as the defaults, for people in a hurry."""


@dataclass(frozen=True)
class Played:
    """What became of a trial."""

    fate: str
    record: TrialRecord | None
    """None where the run was refused."""
    asked: tuple[Ask, ...]
    seconds: float
    events: tuple[dict[str, object], ...] = ()

    @property
    def false_zero(self) -> bool:
        """Return whether the agent was given a 0 that is not known to be its own."""
        return self.record is not None and self.record.reward == 0.0


FATES: dict[Ending, Fate] = {
    Ending.CONTEXT_LIMIT: "context",
    Ending.FORMAT_ERROR: "format",
    Ending.TIME_LIMIT: "late",
    Ending.MODEL_ERROR: "infra",
}


def fate_of(record: TrialRecord) -> str:
    """Return what a record says, in the words of the table."""
    if record.ending in (Ending.SUBMITTED, Ending.AGENT_STOPPED) and record.reward == 1.0:
        return "solved"
    fate = FATES.get(record.ending)
    if fate is None or record.ending.graded != (record.reward is not None):
        return f"{record.ending}/{record.reward}"
    return fate


def play(case: Case, machines: Backend, out: Path) -> Played:
    """Play it once; nothing is tried again by the run itself."""
    task = sum_task()
    item = Item(task.name, task.digest, lambda: task)
    settings = BenchSettings(
        case.harness, "m", backend=machines.name, image="", agent_seconds=case.agent_seconds
    )
    with serving(case.way) as server:
        at = Endpoint(Connection(server.url, "m", "secret", **{**QUICK, **case.options}))
        order = Order(BenchDataset("one", (item,)), settings, machines, at, retries=0)
        begun = time.monotonic()
        try:
            carry_out(order, out)
        except ModelRefused:
            took = time.monotonic() - begun
            return Played("refused", None, tuple(server.asked), took)
        took = time.monotonic() - begun
        (record,) = load(out).records
        events = tuple(read_events(out / EVENTS))
        return Played(fate_of(record), record, tuple(server.asked), took, events)

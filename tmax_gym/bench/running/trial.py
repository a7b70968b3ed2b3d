"""One trial: an agent on a machine of its own, watched, tried again where the machine failed.

Covers times, limits on the agent as a whole, stopping, and what is kept.  Does not cover many at
once: see `runner.py`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from tmax_gym.agents.client.client import Surroundings
from tmax_gym.agents.registry import AgentEntry
from tmax_gym.agents.rollout import RECOVERY, Playable, pause, rollout
from tmax_gym.agents.timed import AgentTime, apart
from tmax_gym.bench.events import EventLog, now
from tmax_gym.bench.records import Moment, Phases, TrialRecord, Usage
from tmax_gym.bench.remains import KeepingBackend, RemainsStore
from tmax_gym.bench.running.agents import trial_agent
from tmax_gym.bench.running.datasets import Item
from tmax_gym.bench.running.endpoint import Endpoint
from tmax_gym.bench.running.guard import Guard, allowed
from tmax_gym.bench.running.settings import Settings, limits_for, root_for
from tmax_gym.bench.running.watched import WatchedAgent, WatchedTask
from tmax_gym.bench.statuses import TREATMENTS, Cause, Stopped, cause_of
from tmax_gym.envs.episode import EpisodeLimits
from tmax_gym.errors import (
    BenchError,
    HarborError,
    HarnessError,
    ModelLate,
    ModelRefused,
    Overdue,
    TmaxError,
)
from tmax_gym.harbor.export.grade import roots
from tmax_gym.sandboxes import Backend, account
from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Ending, Trajectory

T = TypeVar("T")

_LOOK_SECONDS = 0.5
_ASKED = 3
"""Times that a harness may ask its model in one turn: where a window turns out to be full."""
_TURN_SECONDS = 1800.0
"""Of a turn of an agent that asks no model."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What all trials of a run share."""

    settings: Settings
    config: str
    """Hash of the settings."""
    harness: AgentEntry
    machines: Backend
    image: str
    events: EventLog
    stop: threading.Event
    endpoint: Endpoint | None = None
    remains: RemainsStore | None = None
    retries: int = 2
    """Times that a trial is tried again, where `TREATMENTS` says so."""


def play(bench: Bench, item: Item, attempt: int) -> TrialRecord | None:
    """Return the record of a trial, tried again where that is due; None where it was stopped.

    A task that is broken, or has nothing for this agent, is recorded with the reason.

    Raises:
        BackendUnavailable: No machine can run here at all.
        ImageError: The root file system is absent.
        ModelRefused: The model's endpoint refuses every trial.
        BenchError: The disk is full.
    """
    bench.events.add("trial_started", task=item.name, attempt=attempt)
    started = now()
    try:
        task = _promptly(bench, item.load, f"the files of {item.name} were not read")
    except Stopped:
        return None
    except TmaxError as error:
        return _unloaded(bench, item, attempt, started=started, error=error)
    used = Usage()
    faults: list[str] = []
    while True:
        try:
            agent = _promptly(
                *(bench, partial(_agent, bench, task, name=item.name, attempt=attempt)),
                f"the harness {bench.settings.harness} was not made",
            )
        except Stopped:
            return None
        except (BenchError, HarborError, HarnessError) as error:
            return _unloaded(bench, item, attempt, started=started, error=error)
        record, failure = _once(bench, item, (task, agent, attempt), started=started)
        used += record.usage
        cause = Cause(record.cause)
        if cause is Cause.CANCELLED:
            return None
        if isinstance(failure, ModelRefused):
            raise failure
        # What has used all its time up would do so again.
        late = isinstance(failure, ModelLate | Overdue)
        if late or not TREATMENTS[cause].again or len(faults) >= bench.retries:
            break
        faults.append(record.trajectory.message)
        bench.events.add(
            "trial_retried", task=item.name, attempt=attempt, cause=str(cause), message=faults[-1]
        )
        _recover(bench, len(faults) - 1)
    played = replace(record.trajectory, attempts=1 + len(faults), faults=tuple(faults))
    return replace(record, trajectory=played, usage=used)


def _promptly(bench: Bench, call: Callable[[], T], late: str) -> T:
    """Return what a call returns that comes before a trial; it may hang as well.

    Raises:
        HarnessError: It took longer than the start of a machine may.
        Stopped: The run is being stopped.
    """
    begun = time.monotonic()
    most = dict(bench.settings.given).get("start_seconds", EpisodeLimits().start_seconds)

    def check() -> None:
        if bench.stop.is_set():
            raise Stopped
        if time.monotonic() - begun > most:
            raise HarnessError(f"{late} within {most:g} s: raise --start-seconds")

    return apart(call, check=check, name="before a trial")


def _agent(bench: Bench, task: Task | Playable, *, name: str, attempt: int) -> WatchedAgent:
    def log(event: str, **facts: object) -> None:
        bench.events.add(event, task=name, attempt=attempt, **facts)

    def check() -> None:
        if bench.stop.is_set():
            raise Stopped

    time_ = AgentTime(check)
    inner = trial_agent(
        *(bench.harness, (task, attempt), bench.settings),
        endpoint=bench.endpoint,
        around=Surroundings(_pausing(bench.stop), time_.left, log),
    )
    turn = None if bench.settings.harness == "human" else _TURN_SECONDS
    if bench.endpoint is not None:
        turn = _ASKED * bench.endpoint.connection.turn_seconds
    return WatchedAgent(inner, time_, turn_seconds=turn, endpoint=bench.endpoint)


def _once(
    bench: Bench, item: Item, what: tuple[Task | Playable, WatchedAgent, int], *, started: str
) -> tuple[TrialRecord, BaseException | None]:
    """Play a trial once."""
    task, agent, attempt = what
    kept = roots(task) if isinstance(task, Task) else ()
    keeping = KeepingBackend(bench.machines, bench.remains, kept)
    # What brings an environment of its own may need more of a backend than the protocol.
    machines: Backend = keeping if isinstance(task, Task) else bench.machines
    watched = WatchedTask(task)
    start = time.monotonic()
    played, failure = _watched(bench, watched, (task, agent, attempt), machines)
    end = time.monotonic()
    frozen = keeping.frozen if isinstance(task, Task) else watched.graded_at(end)
    cause = cause_of(played, failure, stopped=bench.stop.is_set())
    record = TrialRecord(
        task=item.name,
        attempt=attempt,
        digest=item.digest,
        config=bench.config,
        status=TREATMENTS[cause].status,
        cause=str(cause),
        trajectory=played,
        tags=item.tags,
        instruction=agent.instruction,
        moments=_moments(agent, start, len(played.steps)),
        phases=_phases((start, agent.began, frozen, end)),
        usage=agent.usage,
        started=started,
        finished=now(),
        remains=keeping.keep(),
        rewards=watched.rewards,
        output=watched.output,
    )
    return record, failure


def _watched(
    bench: Bench,
    watched: WatchedTask,
    what: tuple[Task | Playable, WatchedAgent, int],
    machines: Backend,
) -> tuple[Trajectory, BaseException | None]:
    """Return what happened, and what failed; a trial that does not end is left behind."""
    task, agent, attempt = what
    settings = bench.settings
    limits = limits_for(task, settings)
    guard = Guard(watched, allowed(task, limits), bench.stop)

    def playing() -> Trajectory:
        with account.used(guard.account):
            return rollout(
                watched,
                agent,
                backend=machines,
                image=root_for(task, bench.image) or None,
                seed=settings.seed + attempt,
                limits=limits,
                retries=0,
            )

    try:
        played = apart(playing, check=guard, name=f"trial {task.name}")
    except BaseException:
        if guard.reason is None:
            raise
    else:
        if guard.reason is None:
            return played, agent.failure
    # Whatever it says now it says of a machine that was taken away from it.
    return Trajectory(
        task.name,
        agent.name,
        settings.seed + attempt,
        Ending.INFRA_ERROR,
        None,
        message=str(guard.reason),
    ), guard.reason


def _moments(agent: WatchedAgent, start: float, steps: int) -> tuple[Moment, ...]:
    return tuple(
        Moment(round(asked - start, 3), round(replied - start, 3))
        for asked, replied in agent.moments[:steps]
    )


def _phases(times: tuple[float, float | None, float | None, float]) -> Phases:
    start, began, frozen, end = times
    given = end if began is None else began
    stopped = end if frozen is None else frozen
    return Phases(
        setup=round(given - start, 3),
        agent=round(max(0.0, stopped - given), 3),
        grading=round(max(0.0, end - stopped), 3),
    )


def _unloaded(
    bench: Bench, item: Item, attempt: int, *, started: str, error: TmaxError
) -> TrialRecord:
    """Return the record of a task that is broken: no reward, and the reason."""
    return TrialRecord(
        task=item.name,
        attempt=attempt,
        digest=item.digest,
        config=bench.config,
        status=TREATMENTS[Cause.TASK].status,
        cause=str(Cause.TASK),
        trajectory=Trajectory(
            item.name,
            bench.settings.harness,
            bench.settings.seed + attempt,
            Ending.INFRA_ERROR,
            None,
            message=str(error),
        ),
        tags=item.tags,
        started=started,
        finished=now(),
    )


def _pausing(stop: threading.Event) -> Callable[[float], None]:
    def wait(seconds: float) -> None:
        if stop.wait(seconds):
            raise Stopped

    return wait


def _recover(bench: Bench, attempt: int) -> None:
    """Wait before another try, longer where the engine is away: it may be starting again."""
    bench.stop.wait(pause(attempt))
    deadline = time.monotonic() + RECOVERY
    while bench.machines.problem() is not None and time.monotonic() < deadline:
        if bench.stop.wait(_LOOK_SECONDS):
            return

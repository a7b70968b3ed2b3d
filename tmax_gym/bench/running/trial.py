"""Play one trial: an agent on a machine of its own, with limits of time, retries and a record."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, TypeVar

from tmax_gym.agents import rollout
from tmax_gym.agents.client.client import Surroundings
from tmax_gym.agents.registry import AgentEntry
from tmax_gym.agents.rollout import Played
from tmax_gym.agents.timed import AgentTime, apart
from tmax_gym.bench.events import EventLog, now
from tmax_gym.bench.records import Moment, Phases, TrialRecord, Usage
from tmax_gym.bench.remains import KeepingBackend, RemainsStore
from tmax_gym.bench.running.agents import trial_agent
from tmax_gym.bench.running.datasets import Item
from tmax_gym.bench.running.endpoint import Endpoint
from tmax_gym.bench.running.guard import Guard, Stopped, allowed
from tmax_gym.bench.running.settings import BenchSettings, limits_for, root_for
from tmax_gym.bench.running.watched import WatchedAgent
from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.episodes.task import Regradable, Task
from tmax_gym.errors import (
    BenchError,
    HarborError,
    HarnessError,
    ModelLate,
    ModelRefused,
    Overdue,
    TmaxError,
    Unbuildable,
)
from tmax_gym.sandboxes import Backend, trial_account
from tmax_gym.trajectory import Ending, Trajectory

T = TypeVar("T")

_OUTPUT = 200_000
"""Largest number of characters of a verifier's output in a record."""
_ASKED = 3
"""Requests that a harness may make in one turn: it repeats one if the window is full."""
_TURN_SECONDS = 1800.0
"""Limit of a turn of an agent without a model."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything that the trials of a run share."""

    settings: BenchSettings
    harness: AgentEntry
    machines: Backend
    events: EventLog
    stop: threading.Event
    endpoint: Endpoint | None = None
    remains: RemainsStore | None = None
    retries: int = 2
    """Retries of a trial whose ending allows them (`Ending.tried_again`)."""


class _Try(NamedTuple):
    """One attempt to play a trial."""

    record: TrialRecord
    failure: BaseException | None


def _fault(done: _Try) -> str | None:
    """Return why a try failed; None if another one would not help."""
    # After a time limit, a repetition would take as long.
    late = isinstance(done.failure, ModelLate | Overdue | Unbuildable)
    again = done.record.ending.tried_again and not late
    return done.record.trajectory.message if again else None


def play(bench: Bench, item: Item, attempt: int) -> TrialRecord | None:
    """Return the record of a trial, after retries if necessary; None if the run was stopped.

    A task that is broken, or that this agent cannot play, has a record with the reason.

    Raises:
        BackendUnavailable: No machine can run here.
        ImageError: The root file system is absent.
        ModelRefused: The model's endpoint refuses every trial.
        BenchError: The disk is full.
        SandboxError: The trial was given up from outside (`trial_account`).
    """
    bench.events.add("trial_started", task=item.name, attempt=attempt)
    started = now()
    try:
        task = _promptly(bench, item.load, f"the files of {item.name} were not read")
    except Stopped:
        return None
    except TmaxError as error:
        return unplayed(bench, item, attempt, started=started, error=error)
    tries: list[TrialRecord] = []

    def once() -> _Try:
        trial_account.check()  # a fleet's driver may have taken the trial away
        agent = _promptly(
            *(bench, partial(_agent, bench, task, name=item.name, attempt=attempt)),
            f"the harness {bench.settings.harness} was not made",
        )
        record, failure = _once(bench, item, (task, agent, attempt), started=started)
        if isinstance(failure, ModelRefused):
            raise failure
        tries.append(record)
        return _Try(record, failure)

    try:
        (record, _), faults = rollout.retrying(
            once,
            retries=bench.retries,
            fault=_fault,
            recover=lambda number: _recover(bench, tries[-1], number),
        )
    except Stopped:
        return None
    except (BenchError, HarborError, HarnessError) as error:
        return unplayed(bench, item, attempt, started=started, error=error)
    played = replace(record.trajectory, attempts=1 + len(faults), faults=faults)
    used = sum((each.usage for each in tries), Usage())
    return replace(record, trajectory=played, usage=used)


def _promptly(bench: Bench, call: Callable[[], T], late: str) -> T:
    """Return the result of a call before the trial begins, which may hang as well.

    Raises:
        HarnessError: It took longer than the limit for the start of a machine.
        Stopped: The run is being stopped.
    """
    begun = time.monotonic()
    limit = dict(bench.settings.given).get("start_seconds", EpisodeLimits().start_seconds)

    def check() -> None:
        if bench.stop.is_set():
            raise Stopped
        if time.monotonic() - begun > limit:
            raise HarnessError(f"{late} within {limit:g} s: raise --start-seconds")

    return apart(call, check=check, name="before a trial")


def _agent(bench: Bench, task: Task, *, name: str, attempt: int) -> WatchedAgent:
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
    bench: Bench, item: Item, trial: tuple[Task, WatchedAgent, int], *, started: str
) -> tuple[TrialRecord, BaseException | None]:
    """Play a trial once.

    Raises:
        Stopped: The run is being stopped, so that a failure means nothing.
    """
    task, agent, attempt = trial
    kept = task.roots if isinstance(task, Regradable) else ()
    keeping = KeepingBackend(bench.machines, bench.remains, kept)
    limits = limits_for(task, bench.settings)
    env = TerminalEnv(
        task,
        # A task whose files are not kept may need more of a backend than the protocol.
        backend=keeping if kept else bench.machines,
        image=root_for(task, bench.settings.image) or None,
        **limits.options(),
    )
    start = time.monotonic()
    played, failure = _watched(bench, Guard(env, allowed(task, limits), bench.stop), agent, attempt)
    end = time.monotonic()
    frozen = keeping.frozen
    if env.graded:
        frozen = end - sum(step.seconds for step in env.graded)
    if isinstance(failure, Stopped) or (bench.stop.is_set() and played.reward is None):
        raise Stopped
    record = TrialRecord(
        task=item.name,
        attempt=attempt,
        digest=item.digest,
        config=bench.settings.digest(),
        trajectory=played,
        tags=item.tags,
        instruction=agent.instruction,
        moments=_moments(agent, start, len(played.steps)),
        phases=_phases((start, agent.began, frozen, end)),
        usage=agent.usage,
        started=started,
        finished=now(),
        remains=keeping.keep(),
        rewards=_rewards(env),
        output="\n".join(step.output for step in env.graded)[:_OUTPUT],
    )
    return record, failure


def _watched(
    bench: Bench, guard: Guard, agent: WatchedAgent, attempt: int
) -> tuple[Trajectory, BaseException | None]:
    """Return the trajectory and the failure; a trial that does not end is abandoned."""
    seed = bench.settings.seed + attempt

    def playing() -> Played:
        with trial_account.used(guard.account):
            return rollout.play(guard.env, agent, seed=seed)

    name = guard.env.task.name
    try:
        played = apart(playing, check=guard, name=f"trial {name}")
    except BaseException:
        if guard.reason is None:
            raise
    else:
        if guard.reason is None:
            return played.trajectory, played.failure
    # Whatever it reports now is about a machine that was taken away from it.
    reason = str(guard.reason)
    lost = Trajectory(name, agent.name, seed, Ending.INFRA_ERROR, None, message=reason)
    return lost, guard.reason


def _rewards(env: TerminalEnv) -> tuple[tuple[str, float], ...]:
    """Return the rewards of the last verifier, if it gave several."""
    values = env.graded[-1].values if env.graded else {}
    return tuple(sorted(values.items())) if len(values) > 1 else ()


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


def unplayed(
    bench: Bench,
    item: Item,
    attempt: int,
    *,
    started: str,
    error: TmaxError,
    ending: Ending = Ending.TASK_ERROR,
) -> TrialRecord:
    """Return the record of a trial that was not played to its end: no reward, and the reason."""
    seed, agent = bench.settings.seed + attempt, bench.settings.harness
    played = Trajectory(item.name, agent, seed, ending, None, message=str(error))
    key = (item.name, attempt, item.digest, bench.settings.digest())
    return TrialRecord(*key, played, tags=item.tags, started=started, finished=now())


def _pausing(stop: threading.Event) -> Callable[[float], None]:
    def wait(seconds: float) -> None:
        if stop.wait(seconds):
            raise Stopped

    return wait


def _recover(bench: Bench, last: TrialRecord, number: int) -> None:
    """Log that a trial is tried again, and wait before the retry."""
    bench.events.add(
        "trial_retried",
        task=last.task,
        attempt=last.attempt,
        ending=str(last.ending),
        message=last.trajectory.message,
    )
    rollout.recover(bench.machines, number, wait=bench.stop.wait)

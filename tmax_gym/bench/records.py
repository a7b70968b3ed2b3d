"""The record of a trial that has ended: trajectory, reward, times, tokens; and its JSON.

A trial that was cancelled has no record: it is played again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from math import fsum
from typing import Any

from tmax_gym.reports.statistics import Run, Trial
from tmax_gym.trajectory import Ending, Trajectory, from_row

Key = tuple[str, int]
"""Task and attempt, which identify a trial of a run."""
Tags = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost of a model, and the time spent waiting for it."""

    calls: int = 0
    input_tokens: int = 0
    """Those from a cache included."""
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """Dollars; None if the price is unknown."""
    waited: float = 0.0
    """Seconds of waiting for a busy endpoint, which is no working time."""

    def __str__(self) -> str:
        """Return tokens and cost in words."""
        cost = "" if self.cost is None else f", ${self.cost:.2f}"
        return f"{self.input_tokens:,} tokens in, {self.output_tokens:,} out{cost}"

    def __add__(self, other: Usage) -> Usage:
        known = [usage.cost for usage in (self, other) if usage.cost is not None]
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=fsum(known) if known else None,
            waited=self.waited + other.waited,
        )


@dataclass(frozen=True, slots=True)
class Moment:
    """When an agent was asked for a turn and when it answered, in seconds since the start."""

    asked: float
    replied: float


@dataclass(frozen=True, slots=True)
class Phases:
    """Seconds that each phase of a trial took."""

    setup: float = 0.0
    """Until the agent got its task."""
    agent: float = 0.0
    """Thinking and commands."""
    grading: float = 0.0

    @property
    def total(self) -> float:
        """Return the seconds of all phases."""
        return self.setup + self.agent + self.grading


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """One attempt at one task, ended."""

    task: str
    attempt: int
    digest: str
    """Digest of the task's files."""
    config: str
    """Hash of the settings, which are everything else that decides a result."""
    trajectory: Trajectory
    tags: Tags = ()
    instruction: str = ""
    moments: tuple[Moment, ...] = ()
    """One for each step of the trajectory."""
    phases: Phases = Phases()
    usage: Usage = Usage()
    started: str = ""
    """ISO 8601."""
    finished: str = ""
    remains: str = ""
    """Digest of the files that it left, for regrading; "" if they were not kept."""
    rewards: tuple[tuple[str, float], ...] = ()
    """All rewards by name, if the verifier gives several."""
    output: str = ""
    """Output of the verifier, if any."""

    @property
    def key(self) -> Key:
        """Return task and attempt."""
        return self.task, self.attempt

    @property
    def reward(self) -> float | None:
        """Return the reward; None if nothing was graded."""
        return self.trajectory.reward

    @property
    def ending(self) -> Ending:
        """Return how it ended."""
        return self.trajectory.ending

    @property
    def working(self) -> float:
        """Return the seconds of thinking and commands, without waits for a busy endpoint."""
        thinking = fsum(moment.replied - moment.asked for moment in self.moments)
        commands = fsum(step.seconds for step in self.trajectory.steps)
        return max(0.0, thinking + commands - self.usage.waited)

    def trial(self) -> Trial:
        """Return the part that statistics need."""
        return Trial(self.task, self.attempt, self.reward, self.ending, self.digest, self.tags)


def run_of(name: str, records: Sequence[TrialRecord]) -> Run:
    """Return the trials of these records as one run."""
    return Run(name, tuple(record.trial() for record in records))


def to_json(record: TrialRecord) -> str:
    """Return a record as JSON with sorted keys."""
    return json.dumps(asdict(record), sort_keys=True)


def from_json(text: str | bytes) -> TrialRecord:
    """Return the record that `to_json` wrote; unknown keys are ignored.

    Raises:
        ValueError: It is no such record.
    """
    row = json.loads(text)
    try:
        known = {f.name for f in fields(TrialRecord)}
        plain = {k: v for k, v in row.items() if k in known}
        return TrialRecord(
            **{
                **plain,
                "trajectory": _trajectory(row),
                "tags": _pairs(row["tags"]),
                "moments": tuple(Moment(**moment) for moment in row["moments"]),
                "phases": Phases(**row["phases"]),
                "usage": Usage(**row["usage"]),
                "rewards": _pairs(row.get("rewards", ())),
            }
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"it is no record of a trial: {error!r}") from error


def _trajectory(row: Any) -> Trajectory:
    """Return the trajectory of a record; in older ones `cause` may say more than its ending."""
    played = from_row(row["trajectory"])
    ending = Ending.read(row.get("cause", played.ending))
    return played if ending is Ending.SUBMITTED else replace(played, ending=ending)


def _pairs(rows: Any) -> tuple[Any, ...]:
    return tuple((name, value) for name, value in rows)

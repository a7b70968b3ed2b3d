"""What happened in an episode, as data: `Step`, `Tokens`, `Trajectory`, `Group`; their JSONL.

Covers text and exact tokens side by side.  Does not cover how either was made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Ending(StrEnum):
    """How an episode ended.  Members double as metric names (`ending/<value>`)."""

    SUBMITTED = "submitted"
    """The agent said that it was done; graded."""
    STEP_LIMIT = "step_limit"
    """No steps were left; graded."""
    TIME_LIMIT = "time_limit"
    """No time was left; graded."""
    CONTEXT_LIMIT = "context_limit"
    """No tokens were left; graded."""
    FORMAT_ERROR = "format_error"
    """Too many replies in a row held no action; graded."""
    AGENT_STOPPED = "agent_stopped"
    """The agent had nothing more to do but did not submit; graded."""
    SHELL_LOST = "shell_lost"
    """The agent left its machine without a bash that runs; graded."""
    INFRA_ERROR = "infra_error"
    """The sandbox failed; no reward."""
    VERIFIER_ERROR = "verifier_error"
    """The verifier failed; no reward."""
    UNGRADED = "ungraded"
    """No test ran, whatever the verifier wrote; no reward."""
    AGENT_ERROR = "agent_error"
    """The agent's own code or its model endpoint failed; no reward."""

    @property
    def graded(self) -> bool:
        """Return whether an episode that ended so has a reward."""
        return self not in _NEVER_GRADED


_NEVER_GRADED = (Ending.INFRA_ERROR, Ending.VERIFIER_ERROR, Ending.UNGRADED, Ending.AGENT_ERROR)


@dataclass(frozen=True, slots=True)
class Step:
    """One turn: what the agent did and what it saw."""

    action: str
    """The command, or "" for a reply without one."""
    observation: str
    exit_code: int | None
    """None where no command ran or it was stopped."""
    seconds: float
    reply: str = ""
    """The agent's whole reply, where it was a model."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The exact token stream of an episode: nothing was ever re-tokenised."""

    ids: tuple[int, ...]
    """Prompt, replies and observations in order."""
    mask: tuple[bool, ...]
    """True where the policy sampled the token; same length as `ids`."""
    logprobs: tuple[float, ...]
    """Behaviour log-probability where `mask`, else 0.0."""
    versions: tuple[int, ...]
    """Policy version that sampled the token where `mask`, else -1."""

    def __post_init__(self) -> None:
        """Refuse streams of unequal length."""
        if len({len(self.ids), len(self.mask), len(self.logprobs), len(self.versions)}) != 1:
            raise ValueError("ids, mask, logprobs and versions must have one length")


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One episode."""

    task: str
    agent: str
    seed: int
    ending: Ending
    reward: float | None
    """In [0, 1]; None where nothing was graded."""
    steps: tuple[Step, ...] = ()
    parts: tuple[tuple[str, float], ...] = ()
    """Score of every check by its id."""
    tokens: Tokens | None = None
    message: str = ""
    """What went wrong, where something did."""
    attempts: int = 1
    """Episodes started for this one: 1 + infrastructure retries."""
    faults: tuple[str, ...] = ()
    """What each of the earlier attempts failed of, in order."""


@dataclass(frozen=True, slots=True)
class Group:
    """Episodes of one task under one policy: what an advantage is taken over."""

    task: str
    trajectories: tuple[Trajectory, ...] = field(default_factory=tuple)

    @property
    def rewards(self) -> tuple[float, ...]:
        """Return the rewards of the graded members, in order."""
        return tuple(t.reward for t in self.trajectories if t.reward is not None)


def to_json(trajectory: Trajectory) -> str:
    """Return one line of JSON with sorted keys."""
    return json.dumps(asdict(trajectory), sort_keys=True)


def from_json(line: str) -> Trajectory:
    """Return the trajectory that `to_json` wrote."""
    return from_row(json.loads(line))


def from_row(row: Mapping[str, Any]) -> Trajectory:
    """Return the trajectory of its decoded JSON."""
    tokens = row["tokens"]
    return Trajectory(
        **{
            **row,
            "ending": Ending(row["ending"]),
            "steps": tuple(Step(**step) for step in row["steps"]),
            "parts": tuple((name, score) for name, score in row["parts"]),
            "faults": tuple(row.get("faults", ())),  # lines of older versions have none
            "tokens": Tokens(**{k: tuple(v) for k, v in tokens.items()}) if tokens else None,
        }
    )

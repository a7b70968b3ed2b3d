"""Records of episodes: `Step`, `Tokens`, `Trajectory`, `Group`, and their JSON lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Ending(StrEnum):
    """How an episode ended.  Members double as metric names (`ending/<value>`)."""

    SUBMITTED = "submitted"
    """The agent declared that it was done; graded."""
    STEP_LIMIT = "step_limit"
    """No steps were left; graded."""
    TIME_LIMIT = "time_limit"
    """No time was left; graded."""
    CONTEXT_LIMIT = "context_limit"
    """No tokens were left; graded."""
    FORMAT_ERROR = "format_error"
    """Too many replies in a row had no action; graded."""
    AGENT_STOPPED = "agent_stopped"
    """The agent stopped without submitting; graded."""
    SHELL_LOST = "shell_lost"
    """The agent left its machine without a working bash; graded."""
    AGENT_ERROR = "agent_error"
    """The agent's own code failed; no reward, unless another program has graded what it left."""
    MODEL_ERROR = "model_error"
    """The endpoint of the agent's model failed; no reward."""
    INFRA_ERROR = "infra_error"
    """The sandbox or its host failed; no reward."""
    UNGRADED = "ungraded"
    """The verifier ran no test; no reward."""
    VERIFIER_ERROR = "verifier_error"
    """The verifier failed or ran out of time; no reward."""
    TASK_ERROR = "task_error"
    """The task cannot be loaded, or has nothing for this agent (such as a solution); no reward."""
    CANCELLED = "cancelled"
    """The run was stopped; no reward."""

    @property
    def graded(self) -> bool:
        """Return whether an episode of ours with this ending has a reward."""
        return not self.blameless and self is not Ending.AGENT_ERROR

    @property
    def blameless(self) -> bool:
        """Return whether no agent is to blame: such an episode never has a reward."""
        return self in _BLAMELESS

    @property
    def tried_again(self) -> bool:
        """Return whether the same trial may end otherwise if it is played again at once.

        Failed agents are never tried again, because that would select for luck.
        """
        return self in (Ending.INFRA_ERROR, Ending.MODEL_ERROR, Ending.UNGRADED)

    @classmethod
    def read(cls, word: str) -> Ending:
        """Return the ending that a file names, also by a word of older versions.

        Raises:
            ValueError: It is no such word.
        """
        return OLD_WORDS.get(word) or cls(word)


_BLAMELESS = frozenset(
    {
        Ending.MODEL_ERROR,
        Ending.INFRA_ERROR,
        Ending.UNGRADED,
        Ending.VERIFIER_ERROR,
        Ending.TASK_ERROR,
        Ending.CANCELLED,
    }
)
OLD_WORDS: Mapping[str, Ending] = {
    # The `status` of lines of trials.
    "graded": Ending.SUBMITTED,
    "agent_timeout": Ending.TIME_LIMIT,
    # The `cause` of a benchmark's records.
    "ended": Ending.SUBMITTED,
    "steps": Ending.STEP_LIMIT,
    "context": Ending.CONTEXT_LIMIT,
    "format": Ending.FORMAT_ERROR,
    "shell": Ending.SHELL_LOST,
    "time": Ending.TIME_LIMIT,
    "agent": Ending.AGENT_ERROR,
    "model": Ending.MODEL_ERROR,
    "sandbox": Ending.INFRA_ERROR,
    "untested": Ending.UNGRADED,
    "verifier": Ending.VERIFIER_ERROR,
    "task": Ending.TASK_ERROR,
}
"""Words that files of older versions have for endings."""


@dataclass(frozen=True, slots=True)
class Step:
    """One turn: the agent's action and what it observed."""

    action: str
    """The command; "" if the reply had none."""
    observation: str
    exit_code: int | None
    """None if no command ran or it was stopped."""
    seconds: float
    reply: str = ""
    """The whole reply of a model."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The exact tokens of an episode: no text was tokenised again."""

    ids: tuple[int, ...]
    """Prompt, replies and observations in order."""
    mask: tuple[bool, ...]
    """True where the policy sampled the token; same length as `ids`."""
    logprobs: tuple[float, ...]
    """Behaviour log-probability of sampled tokens; 0.0 for others."""
    versions: tuple[int, ...]
    """Version of the policy that sampled the token; -1 for others."""
    starts: tuple[int, ...] = (0,)
    """Where each sequence begins.  There are several if a harness rewrote its history: then the
    policy read a new prompt, and tokens of one sequence never saw those of another."""

    def __post_init__(self) -> None:
        """Refuse streams of unequal length, and starts that are out of order or out of range."""
        if len({len(self.ids), len(self.mask), len(self.logprobs), len(self.versions)}) != 1:
            raise ValueError("ids, mask, logprobs and versions must have one length")
        ends = (*self.starts[1:], max(len(self.ids), 1))
        if self.starts[:1] != (0,) or any(a >= b for a, b in zip(self.starts, ends, strict=True)):
            raise ValueError(
                f"starts must ascend from 0 and stay below {len(self.ids)}: {self.starts}"
            )

    def sequences(self) -> tuple[Tokens, ...]:
        """Return every sequence by itself.

        >>> both = Tokens((5, 6, 5), (False, True, True), (0.0, -1.0, -2.0), (-1, 3, 3), (0, 2))
        >>> first, second = both.sequences()
        >>> second.ids
        (5,)
        """
        ends = (*self.starts[1:], len(self.ids))
        return tuple(
            Tokens(self.ids[a:b], self.mask[a:b], self.logprobs[a:b], self.versions[a:b])
            for a, b in zip(self.starts, ends, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One episode."""

    task: str
    agent: str
    seed: int
    ending: Ending
    reward: float | None
    """In [0, 1]; None if the episode was not graded."""
    steps: tuple[Step, ...] = ()
    parts: tuple[tuple[str, float], ...] = ()
    """Score of every check by its id."""
    tokens: Tokens | None = None
    message: str = ""
    """The error, if there was one."""
    attempts: int = 1
    """Episodes started for this one: 1 + infrastructure retries."""
    faults: tuple[str, ...] = ()
    """The errors of the earlier attempts, in order."""


@dataclass(frozen=True, slots=True)
class Group:
    """Episodes of one task under one policy; advantages are relative to the group."""

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

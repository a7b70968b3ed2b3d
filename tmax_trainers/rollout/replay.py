"""What a group source needs to go on after the process has died, and its two files.

Covers the order of tasks, groups that ran (with the episodes that had ended) and finished groups
that were not trained on yet; token streams exactly as they were sampled.
Does not cover weights and optimizer: `transformers.Trainer` writes those.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from tmax_gym.errors import TrainingError
from tmax_gym.trajectory import Tokens, Trajectory, from_json, to_json
from tmax_trainers.rollout.records import GroupConfig, ScoredGroup
from tmax_trainers.rollout.streams.columns import columns_of, streams_of

STATE = "groups.json"
TOKENS = "tokens.npz"


@dataclass(slots=True)
class RunningGroup:
    """A group that was admitted."""

    number: int
    task: str
    version: int
    members: list[Trajectory | None]
    missing: int
    scored: ScoredGroup | None = None
    settled: bool = False
    cancelled: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class SavedGroup:
    """A group, whole or still running."""

    number: int
    task: str
    version: int
    members: tuple[Trajectory | None, ...]
    """None for an episode that has not ended."""

    @property
    def missing(self) -> int:
        """Return how many episodes have not ended."""
        return sum(m is None for m in self.members)

    @classmethod
    def of(cls, scored: ScoredGroup) -> SavedGroup:
        """Return a whole group."""
        group = scored.group
        return cls(scored.number, group.task, scored.version, group.trajectories)


@dataclass(frozen=True, slots=True)
class SourceState:
    """A group source between two steps."""

    version: int
    base: int
    """Version that was live when the very first group was admitted."""
    batches: int
    """Batches that were trained on."""
    admitted: int
    accepted: int
    size: tuple[int, int, int]
    """Groups of a batch, members of a group, seed."""
    tasks: dict[str, Any]
    """State of the stream of tasks."""
    groups: tuple[SavedGroup, ...] = field(default_factory=tuple)
    """In order of admission within what was handed out, then within what was not."""


def same_size(state: SourceState, config: GroupConfig) -> None:
    """Raise `TrainingError` where a run of this configuration cannot go on from the state."""
    own = (config.groups_per_step, config.group_size, config.seed)
    if state.size != own:
        raise TrainingError(
            f"the checkpoint was taken with groups, group size and seed {state.size}, this "
            f"run has {own}; resume with the same ones, or start anew"
        )


def write(directory: Path, state: SourceState) -> None:
    """Write a state into a directory of its own."""
    directory.mkdir(parents=True, exist_ok=True)
    streams = [m.tokens for g in state.groups for m in g.members if m is not None]
    # mypy takes numpy's own option for one of the arrays.
    np.savez(directory / TOKENS, **columns_of(streams))  # type: ignore[arg-type]
    row = asdict(replace(state, groups=()))
    row["groups"] = [_group_row(g) for g in state.groups]
    (directory / STATE).write_text(json.dumps(row, sort_keys=True), encoding="utf-8")


def read(directory: Path) -> SourceState:
    """Return the state that `write` wrote.  Raises `TrainingError` where it is damaged."""
    try:
        row = json.loads((directory / STATE).read_text(encoding="utf-8"))
        with np.load(directory / TOKENS) as columns:
            streams = iter(streams_of(columns))
        groups = tuple(_group(g, streams) for g in row.pop("groups"))
    except (OSError, ValueError, KeyError, StopIteration) as error:
        raise TrainingError(
            f"the rollouts of the checkpoint {directory} cannot be read ({error!r}); "
            "resume from an older checkpoint"
        ) from error
    return SourceState(**(row | {"size": tuple(row["size"]), "groups": groups}))


def _group_row(group: SavedGroup) -> dict[str, Any]:
    members = [None if m is None else to_json(replace(m, tokens=None)) for m in group.members]
    return {"number": group.number, "task": group.task, "version": group.version,
            "members": members}  # fmt: skip


def _group(row: dict[str, Any], streams: Iterable[Tokens | None]) -> SavedGroup:
    read_in_order = iter(streams)
    members = tuple(
        None if line is None else replace(from_json(line), tokens=next(read_in_order))
        for line in row["members"]
    )
    return SavedGroup(row["number"], row["task"], row["version"], members)

"""The state from which a group source continues after the process has died, and its two files.

It holds the order of tasks, the running groups with the episodes that have ended, and the finished
groups that are not trained yet; token streams are stored exactly as they were sampled.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator
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
Key = tuple[int, int]
"""Names an episode: the number of its group, and its place in the group."""


@dataclass(slots=True)
class RunningGroup:
    """A group that was admitted and is not handed out yet."""

    number: int
    task: str
    version: int
    members: list[Trajectory | None]
    """By place; None for an episode that has not ended."""
    scored: ScoredGroup | None = None
    settled: bool = False
    cancelled: threading.Event = field(default_factory=threading.Event)

    def missing(self) -> list[int]:
        """Return the places whose episodes have not ended."""
        return [place for place, member in enumerate(self.members) if member is None]


@dataclass(frozen=True, slots=True)
class SavedGroup:
    """A group, complete or still running."""

    number: int
    task: str
    version: int
    members: tuple[Trajectory | None, ...]
    """None for an episode that has not ended."""

    @classmethod
    def of(cls, scored: ScoredGroup) -> SavedGroup:
        """Return a complete group."""
        group = scored.group
        return cls(scored.number, group.task, scored.version, group.trajectories)


@dataclass(frozen=True, slots=True)
class SourceState:
    """The state of a group source between two steps."""

    version: int
    base: int
    """Policy version when the first group of the run was admitted."""
    batches: int
    """Number of batches that are trained."""
    admitted: int
    accepted: int
    size: tuple[int, int, int]
    """Groups of a batch, members of a group, and seed."""
    tasks: dict[str, Any]
    """State of the task stream."""
    groups: tuple[SavedGroup, ...] = field(default_factory=tuple)
    """Those that were handed out, then the others; each part in order of admission."""

    def episodes(self) -> dict[Key, Trajectory]:
        """Return the episodes that have ended."""
        return {
            (group.number, place): member
            for group in self.groups
            for place, member in enumerate(group.members)
            if member is not None
        }


class HandedOut:
    """The batches that were handed out and may not be trained yet.

    Args:
        trained: Number of batches that are trained.
    """

    def __init__(self, trained: int = 0) -> None:
        self.trained = trained
        self._batches: deque[tuple[ScoredGroup, ...]] = deque()

    def add(self, groups: tuple[ScoredGroup, ...]) -> None:
        """Add the next batch."""
        self._batches.append(groups)

    def forget(self, trained: int) -> None:
        """Drop batches until so many are trained."""
        while self._batches and self.trained < trained:
            self._batches.popleft()
            self.trained += 1

    def groups(self) -> list[SavedGroup]:
        """Return the groups of all batches, in order."""
        return [SavedGroup.of(group) for batch in self._batches for group in batch]

    def __len__(self) -> int:
        return len(self._batches)


def check_sizes(state: SourceState, config: GroupConfig) -> None:
    """Raise `TrainingError` if a run with this configuration cannot continue from the state."""
    own = (config.groups_per_step, config.group_size, config.seed)
    if state.size != own:
        raise TrainingError(
            f"the checkpoint was taken with groups, group size and seed {state.size}, this "
            f"run has {own}; resume with the same ones, or start anew"
        )


def write(directory: Path, state: SourceState) -> None:
    """Write a state into its own directory."""
    directory.mkdir(parents=True, exist_ok=True)
    streams = [m.tokens for g in state.groups for m in g.members if m is not None]
    # mypy mistakes one of the arrays for an option of numpy.
    np.savez(directory / TOKENS, **columns_of(streams))  # type: ignore[arg-type]
    row = asdict(replace(state, groups=()))
    row["groups"] = [_group_row(g) for g in state.groups]
    (directory / STATE).write_text(json.dumps(row, sort_keys=True), encoding="utf-8")


def read(directory: Path) -> SourceState:
    """Return the state that `write` has written; raise `TrainingError` if it is damaged."""
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


def _group(row: dict[str, Any], streams: Iterator[Tokens | None]) -> SavedGroup:
    members = tuple(
        None if line is None else replace(from_json(line), tokens=next(streams))
        for line in row.pop("members")
    )
    return SavedGroup(**row, members=members)

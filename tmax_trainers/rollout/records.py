"""What a group source is asked for and what it hands out: `Episode`, `GroupConfig`, `Batch`.

Covers the records.  Does not cover the order of tasks (`task_order.py`), nor running anything.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from tmax_gym.trajectory import Group, Trajectory
from tmax_trainers.rollout.advantages import AdvantageKind


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode to be run."""

    task: str
    group: int
    """Number of the group since the source began."""
    member: int
    attempt: int
    """0, then one more for each time that infrastructure lost the episode."""
    seed: int
    """Differs between members and attempts; a function of the source's seed alone."""
    version: int
    """Policy version at admission."""
    cancelled: threading.Event = field(default_factory=threading.Event, compare=False, repr=False)
    """Set when nobody waits for this episode any more; whoever runs it ends it soon."""

    @property
    def name(self) -> str:
        """Return a name that no other episode of this source has: for `Request.episode`."""
        return f"{self.group}.{self.member}.{self.attempt}"


Metrics = dict[str, float | tuple[float, float]]
"""By name; pairs are a sum and a count."""
RunEpisode = Callable[[Episode], Trajectory]
"""Runs an episode to its end.  Infrastructure failures are endings, not exceptions; whatever it
raises stops the source and is raised again by `next_batch`."""


@dataclass(frozen=True, slots=True)
class GroupConfig:
    """What a batch is made of."""

    groups_per_step: int = 8
    group_size: int = 32
    max_staleness: int = 0
    """S: how many versions old a group may be when it is trained on."""
    workers: int = 32
    """Threads, each running one episode at a time."""
    attempts: int = 3
    """Tries for an episode that infrastructure loses; then its whole group is given up."""
    patience: int = 100
    """Groups in a row without signal after which `next_batch` raises."""
    advantage: AdvantageKind = "centred"
    seed: int = 0
    overtaking: bool = False
    """Whether finished groups pass one that still runs.  Then no step waits for slow episodes,
    which are trained on when they come; their tokens may be older than S, and the trainer masks
    those.  Batches then depend on what finished first."""


@dataclass(frozen=True, slots=True)
class ScoredGroup:
    """A full group with its advantages, member by member."""

    group: Group
    advantages: tuple[float, ...]
    number: int
    version: int
    """Policy version at admission."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What one optimizer step is taken on."""

    groups: tuple[ScoredGroup, ...]
    metrics: Metrics
    """Of every group settled for this batch, dropped ones included; pairs are Σ and count."""

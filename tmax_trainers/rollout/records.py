"""The records of rollouts: `Episode`, `GroupConfig`, `ScoredGroup` and `Batch`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from tmax_gym.trajectory import Group, Trajectory
from tmax_trainers.rollout.advantages import AdvantageKind


@dataclass(frozen=True, slots=True)
class Episode:
    """One attempt at an episode that is to be played."""

    task: str
    group: int
    """Number of the group, in order of admission."""
    member: int
    attempt: int
    """How many earlier attempts infrastructure lost."""
    seed: int
    """Differs between members and attempts, and depends on the run's seed alone."""
    version: int
    """Policy version when the group was admitted."""
    cancelled: threading.Event = field(default_factory=threading.Event, compare=False, repr=False)
    """Set when the episode is no longer needed; the player then ends it soon."""

    @property
    def name(self) -> str:
        """Return a name that is unique within the run: for `Request.episode`."""
        return f"{self.group}.{self.member}.{self.attempt}"

    def attempts(self, seed: int) -> Iterator[Episode]:
        """Yield the attempts at this episode without end, each with a seed of its own.

        Args:
            seed: Seed of the run.
        """
        for attempt in count():
            entropy = np.random.SeedSequence([seed, self.group, self.member, attempt])
            yield replace(self, attempt=attempt, seed=int(entropy.generate_state(1)[0]))


Metrics = dict[str, float | tuple[float, float]]
"""Metrics by name; a pair is a sum and a count."""
RunEpisode = Callable[[Episode], Trajectory]
"""Plays an episode to its end.  Infrastructure failures are endings, not exceptions; an exception
stops the source, and `next_batch` raises it again."""


@dataclass(frozen=True, slots=True)
class GroupConfig:
    """Sizes of batches, and how they are filled."""

    groups_per_step: int = 8
    group_size: int = 32
    max_staleness: int = 0
    """S: largest age of a group, in versions, when it is trained on."""
    workers: int = 32
    """Number of threads; each plays one episode at a time."""
    attempts: int = 3
    """Attempts at an episode that infrastructure loses; then its group is given up."""
    patience: int = 100
    """Number of groups in a row without signal after which `next_batch` raises."""
    advantage: AdvantageKind = "centred"
    seed: int = 0
    overtaking: bool = False
    """Whether finished groups may overtake a group that still runs.  Then no step waits for slow
    episodes, their tokens may be older than S (the trainer masks those), and batches depend on
    which group finished first."""


@dataclass(frozen=True, slots=True)
class ScoredGroup:
    """A complete group with the advantage of each member."""

    group: Group
    advantages: tuple[float, ...]
    number: int
    version: int
    """Policy version when the group was admitted."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The groups of one optimizer step."""

    groups: tuple[ScoredGroup, ...]
    metrics: Metrics
    """Over all groups that were settled for this batch, including dropped ones."""

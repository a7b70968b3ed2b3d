"""What a trainer and its rollout process send each other.

Covers the messages, and a source's state in them: an episode travels once, its tokens as columns.
Errors travel as themselves where they can.  Does not cover the pipe: see `rollouts.py`.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from tmax_gym.errors import TrainingError
from tmax_gym.trajectory import Trajectory
from tmax_trainers.rollout.records import Metrics
from tmax_trainers.rollout.replay import SavedGroup, SourceState
from tmax_trainers.rollout.streams.columns import Columns, columns_of, streams_of

Key = tuple[int, int]
"""Names an episode: number of its group, place in it."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A group without its episodes."""

    number: int
    task: str
    version: int
    ended: tuple[bool, ...]
    """By member: whether its episode has ended."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """A state, with the episodes that the other side does not have."""

    state: SourceState
    """Without groups."""
    groups: tuple[Outline, ...]
    keys: tuple[Key, ...]
    episodes: tuple[Trajectory, ...]
    """By key; without tokens."""
    tokens: Columns
    """By key."""

    def known(self) -> set[Key]:
        """Return the episodes that whoever opened this has."""
        return {(g.number, m) for g in self.groups for m, ended in enumerate(g.ended) if ended}


def pack(state: SourceState, known: Collection[Key]) -> Parcel:
    """Return a state for somebody who has these episodes."""
    found = {
        (group.number, place): member
        for group in state.groups
        for place, member in enumerate(group.members)
        if member is not None and (group.number, place) not in known
    }
    groups = tuple(
        Outline(g.number, g.task, g.version, tuple(m is not None for m in g.members))
        for g in state.groups
    )
    return Parcel(
        replace(state, groups=()),
        groups,
        tuple(found),
        tuple(replace(member, tokens=None) for member in found.values()),
        columns_of([member.tokens for member in found.values()]),
    )


def unpack(parcel: Parcel, store: dict[Key, Trajectory]) -> SourceState:
    """Return the state; the store takes what is new and drops what the state does not name."""
    told = zip(parcel.keys, parcel.episodes, streams_of(parcel.tokens), strict=True)
    store |= {key: replace(episode, tokens=tokens) for key, episode, tokens in told}
    for key in store.keys() - parcel.known():
        del store[key]
    groups = tuple(
        SavedGroup(
            g.number,
            g.task,
            g.version,
            tuple(store[g.number, m] if ended else None for m, ended in enumerate(g.ended)),
        )
        for g in parcel.groups
    )
    return replace(parcel.state, groups=groups)


@dataclass(frozen=True, slots=True)
class Begin:
    """To the rollout process, first of all: begin, or go on."""

    state: Parcel | None
    version: int | None
    """Policy version that is live; None where nobody has said yet."""
    stamp: int | None
    """Version of the weights that the engine draws from; None: the engine knows."""


@dataclass(frozen=True, slots=True)
class NewVersion:
    """To the rollout process: this version is live."""

    version: int


@dataclass(frozen=True, slots=True)
class Ask:
    """To the rollout process: answer this."""

    number: int
    what: str
    """A method of `Rollouts`: state, inside, stamp or evaluate."""
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """To the rollout process: end all episodes, then yourself."""


@dataclass(frozen=True, slots=True)
class Report:
    """To the trainer: a batch, or what has changed since the last report."""

    state: Parcel
    """Groups of the batch first, then those that nobody has been given."""
    advantages: tuple[tuple[float, ...], ...] = ()
    """By group of the batch and member; empty where there is no batch."""
    metrics: Metrics | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """To the trainer: what was asked for."""

    number: int
    value: Any = None
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """To the trainer: no more batches come, for this reason."""

    error: BaseException


def portable(error: BaseException) -> BaseException:
    """Return an error that can be sent: itself, or one that quotes it."""
    told = "".join(traceback.format_exception(error))
    error.add_note(f"in the rollout process:\n{told}")
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # an error may refuse in any way; which one is told
        return TrainingError(f"in the rollout process: {told}")
    return error

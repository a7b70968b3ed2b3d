"""The messages between a trainer and its rollout process.

The state of a source is sent with only those episodes that the other side does not have.
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
from tmax_trainers.rollout.replay import Key, SourceState
from tmax_trainers.rollout.streams.columns import Columns, columns_of, streams_of


@dataclass(frozen=True, slots=True)
class PackedState:
    """A state, with the episodes that the other side does not have."""

    state: SourceState
    """Without the members of its groups."""
    ended: frozenset[Key]
    """All episodes that have ended."""
    new: dict[Key, Trajectory]
    """Episodes that the other side does not have, without tokens."""
    tokens: Columns
    """The tokens of `new`, in its order."""


def pack(state: SourceState, known: Collection[Key]) -> PackedState:
    """Return a state for a receiver that has these episodes."""
    episodes = state.episodes()
    new = {key: episode for key, episode in episodes.items() if key not in known}
    groups = tuple(replace(g, members=(None,) * len(g.members)) for g in state.groups)
    return PackedState(
        replace(state, groups=groups),
        frozenset(episodes),
        {key: replace(episode, tokens=None) for key, episode in new.items()},
        columns_of([episode.tokens for episode in new.values()]),
    )


def unpack(packed: PackedState, store: dict[Key, Trajectory]) -> SourceState:
    """Return the state; add its new episodes to `store`, and remove those it does not contain."""
    for (key, episode), tokens in zip(packed.new.items(), streams_of(packed.tokens), strict=True):
        store[key] = replace(episode, tokens=tokens)
    for key in store.keys() - packed.ended:
        del store[key]
    groups = tuple(
        replace(g, members=tuple(store.get((g.number, place)) for place in range(len(g.members))))
        for g in packed.state.groups
    )
    return replace(packed.state, groups=groups)


@dataclass(frozen=True, slots=True)
class Begin:
    """The first message to the rollout process: begin, or continue from a state."""

    state: PackedState | None
    version: int | None
    """Present policy version; None if it is not set yet."""
    stamp: int | None
    """Version of the engine's present weights; None if the engine knows it."""


@dataclass(frozen=True, slots=True)
class NewVersion:
    """To the rollout process: this is the present policy version."""

    version: int


@dataclass(frozen=True, slots=True)
class Ask:
    """To the rollout process: a request that is answered."""

    number: int
    what: str
    """A method of `Rollouts`: state, inside, stamp or evaluate."""
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """To the rollout process: end all episodes, then the process."""


@dataclass(frozen=True, slots=True)
class Report:
    """To the trainer: a batch, or the changes since the last report."""

    state: PackedState
    """The groups of the batch first, then those that are not handed out."""
    advantages: tuple[tuple[float, ...], ...] = ()
    """By group of the batch and member; empty without a batch."""
    metrics: Metrics | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """To the trainer: the answer to a request."""

    number: int
    value: Any = None
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """To the trainer: this error has ended the rollouts."""

    error: BaseException


def portable(error: BaseException) -> BaseException:
    """Return an error that can be sent: the same one, or one that quotes it."""
    text = "".join(traceback.format_exception(error))
    error.add_note(f"in the rollout process:\n{text}")
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # pickle can fail in any way
        return TrainingError(f"in the rollout process: {text}")
    return error

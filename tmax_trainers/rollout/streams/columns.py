"""Token streams as columns of numbers: how they are stored, and sent between processes.

Covers many streams of any length in four arrays, exactly.  Does not cover the text of an episode.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tmax_gym.trajectory import Tokens

Columns = dict[str, np.ndarray[Any, Any]]
LENGTHS = "lengths"
"""The column of the streams' lengths; -1 for an episode that has no stream."""
_KINDS = {"ids": np.int64, "mask": np.bool_, "logprobs": np.float64, "versions": np.int64}


def columns_of(streams: Sequence[Tokens | None]) -> Columns:
    """Return the streams, one after the other, in each column."""
    whole = [t for t in streams if t is not None]
    lengths = [len(t.ids) if t is not None else -1 for t in streams]
    columns: Columns = {
        name: np.concatenate(
            [np.zeros(0, kind), *(np.array(getattr(t, name), kind) for t in whole)]
        )
        for name, kind in _KINDS.items()
    }
    return {LENGTHS: np.array(lengths, np.int64), **columns}


def streams_of(columns: Mapping[str, np.ndarray[Any, Any]]) -> list[Tokens | None]:
    """Return the streams in the order in which they were given.  Raises `KeyError`."""
    lists = {name: columns[name].tolist() for name in _KINDS}
    out: list[Tokens | None] = []
    start = 0
    for length in columns[LENGTHS].tolist():
        if length < 0:
            out.append(None)
            continue
        part = {name: tuple(column[start : start + length]) for name, column in lists.items()}
        out.append(Tokens(**part))
        start += length
    return out

"""Token streams as arrays of numbers, in which they are stored and sent between processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tmax_gym.trajectory import Tokens

Columns = dict[str, np.ndarray[Any, Any]]
LENGTHS = "lengths"
"""The column with the lengths of the streams; -1 for an episode without one."""
FIRST = "first"
"""The column that tells which tokens begin a sequence; absent in files of older versions."""
_KINDS = {"ids": np.int64, "mask": np.bool_, "logprobs": np.float64, "versions": np.int64}


def columns_of(streams: Sequence[Tokens | None]) -> Columns:
    """Return columns, each with the values of all streams one after the other."""
    present = [t for t in streams if t is not None]
    lengths = [len(t.ids) if t is not None else -1 for t in streams]
    columns: Columns = {
        name: np.concatenate(
            [np.zeros(0, kind), *(np.array(getattr(t, name), kind) for t in present)]
        )
        for name, kind in _KINDS.items()
    }
    first = np.zeros(len(columns["ids"]), np.bool_)
    begin = 0
    for stream in present:
        # The start of an empty stream is no token.
        first[[begin + start for start in stream.starts if start < len(stream.ids)]] = True
        begin += len(stream.ids)
    return {LENGTHS: np.array(lengths, np.int64), FIRST: first, **columns}


def streams_of(columns: Mapping[str, np.ndarray[Any, Any]]) -> list[Tokens | None]:
    """Return the streams of `columns_of`; raise `KeyError` if a column is missing."""
    lists = {name: columns[name].tolist() for name in _KINDS}
    first = np.asarray(columns[FIRST]) if FIRST in columns else None
    streams: list[Tokens | None] = []
    start = 0
    for length in columns[LENGTHS].tolist():
        if length < 0:
            streams.append(None)
            continue
        part = {name: tuple(column[start : start + length]) for name, column in lists.items()}
        begins = () if first is None else np.flatnonzero(first[start : start + length]).tolist()
        streams.append(Tokens(**part, starts=tuple(begins) or (0,)))
        start += length
    return streams

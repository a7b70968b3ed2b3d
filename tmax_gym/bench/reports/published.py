"""Published figures of the TMax paper, shown as reference lines and labelled as published.

Mean rewards in percent, as printed.  TB-Lite and Terminal-Bench 2.1: three runs, the paper's own
harness unless another is named; Terminal-Bench 2.0: five runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reference:
    """One published figure."""

    name: str
    percent: float


_BENCHMARKS = ("tblite", "terminal-bench-2.1", "terminal-bench-2.0")
_FIGURES = """
Qwen3.5-2B                5.7   1.9   2.3
TMax-2B                  11.8   4.2   2.9
Qwen3.5-4B               31.8  14.2  16.6
TMax-4B                  42.6  19.9  18.9
Qwen3.5-9B               41.9  16.1  21.1
TMax-9B                  57.2  28.8  27.2
TMax-9B, OpenHands       46.9     -     -
TMax-9B, mini-swe-agent  55.3     -     -
TMax-9B, Terminus-2      45.3     -     -
Qwen3.6-27B              70.8  40.5  39.6
TMax-27B                 68.6  44.9  42.7
"""
"""One column for each of `_BENCHMARKS`."""
_ROWS = [line.rsplit(maxsplit=3) for line in _FIGURES.strip().splitlines()]
PUBLISHED: Mapping[str, tuple[Reference, ...]] = {
    name: tuple(Reference(row[0], float(row[n])) for row in _ROWS if row[n] != "-")
    for n, name in enumerate(_BENCHMARKS, start=1)
}
_WORDS = (
    ("tblite", ("tblite", "tb-lite")),
    ("terminal-bench-2.1", ("terminal-bench-2-1", "terminal-bench-2.1", "tb2.1")),
    ("terminal-bench-2.0", ("terminal-bench-2", "terminal-bench@2.0", "tb2")),
)


def known(dataset: str) -> str:
    """Return the benchmark of a dataset's name; "" if there are no published figures for it.

    >>> known("OpenThoughts-TBLite"), known("tmax")
    ('tblite', '')
    """
    plain = dataset.lower()
    return next((name for name, words in _WORDS if any(word in plain for word in words)), "")

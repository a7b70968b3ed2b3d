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


def _listed(text: str) -> tuple[Reference, ...]:
    pairs = (line.rsplit(maxsplit=1) for line in text.strip().splitlines())
    return tuple(Reference(name.strip(), float(value)) for name, value in pairs)


TB_LITE = _listed("""
Qwen3.5-2B 5.7
TMax-2B 11.8
Qwen3.5-4B 31.8
TMax-4B 42.6
Qwen3.5-9B 41.9
TMax-9B 57.2
TMax-9B, OpenHands 46.9
TMax-9B, mini-swe-agent 55.3
TMax-9B, Terminus-2 45.3
Qwen3.6-27B 70.8
TMax-27B 68.6
""")
TB_2_1 = _listed("""
Qwen3.5-2B 1.9
TMax-2B 4.2
Qwen3.5-4B 14.2
TMax-4B 19.9
Qwen3.5-9B 16.1
TMax-9B 28.8
Qwen3.6-27B 40.5
TMax-27B 44.9
""")
TB_2_0 = _listed("""
Qwen3.5-2B 2.3
TMax-2B 2.9
Qwen3.5-4B 16.6
TMax-4B 18.9
Qwen3.5-9B 21.1
TMax-9B 27.2
Qwen3.6-27B 39.6
TMax-27B 42.7
""")
PUBLISHED: Mapping[str, tuple[Reference, ...]] = {
    "tblite": TB_LITE,
    "terminal-bench-2.1": TB_2_1,
    "terminal-bench-2.0": TB_2_0,
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

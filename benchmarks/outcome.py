"""What benchmarks share: samples by contender, a table of them, targets, and the result file.

Does not measure anything.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tmax_gym.analysis.targets import Target, last_line, rows

__all__ = ["Target", "conclude", "last_line", "lines", "median", "store"]

RESULTS = Path(__file__).parent / "results"


def median(samples: Sequence[float]) -> float:
    """Return the median."""
    return statistics.median(samples)


def high(samples: Sequence[float]) -> float:
    """Return the 95th percentile, by the nearest rank."""
    ordered = sorted(samples)
    return ordered[max(0, -(-len(ordered) * 95 // 100) - 1)]


def lines(title: str, samples: Mapping[str, Sequence[float]], first: str) -> list[str]:
    """Return a table in milliseconds; `first` is what the others are multiples of."""
    unit = median(samples[first])
    rows = [f"{title:42} {'n':>5} {'p50 ms':>9} {'p95 ms':>9} {'x ' + first:>14}"]
    for name, seconds in samples.items():
        p50 = median(seconds)
        rows.append(
            f"{name:42} {len(seconds):5} {p50 * 1e3:9.3f} {high(seconds) * 1e3:9.3f}"
            f" {p50 / unit:14.1f}"
        )
    return rows


def conclude(
    name: str,
    samples: Mapping[str, Mapping[str, Sequence[float]]],
    targets: Mapping[str, Target],
    *,
    notes: Sequence[str],
    load: float,
) -> None:
    """Write `results/<name>.json` for a benchmark that timed contenders."""
    seconds = {
        part: {who: [round(s, 7) for s in seconds] for who, seconds in rows.items()}
        for part, rows in samples.items()
    }
    store(name, {"notes": list(notes), "seconds": seconds}, targets, load=load)


def store(
    name: str, seen: Mapping[str, object], targets: Mapping[str, Target], *, load: float
) -> None:
    """Write `results/<name>.json`: the machine, what was seen, and the targets."""
    RESULTS.mkdir(exist_ok=True)
    report = {
        "machine": f"{os.cpu_count()} CPUs, {platform.machine()}, Linux {platform.release()}",
        "load": load,
        **seen,
        "targets": rows(targets),
    }
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(report, indent=1, sort_keys=True) + "\n")

"""What benchmarks share: samples by contender, a table of them, targets, and the result file.

Does not measure anything.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, slots=True)
class Target:
    """One number that is to be reached."""

    value: float
    goal: float
    at_most: bool = True
    """Whether the value may not exceed the goal; else it may not stay below."""

    @property
    def met(self) -> bool:
        """Whether it is reached."""
        return self.value <= self.goal if self.at_most else self.value >= self.goal


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


def rows(targets: Mapping[str, Target]) -> dict[str, dict[str, object]]:
    """Return targets as JSON objects, the form that all results have."""
    return {
        what: {
            "value": round(target.value, 3),
            "goal": target.goal,
            "at_most": target.at_most,
            "ok": target.met,
        }
        for what, target in targets.items()
    }


def last_line(targets: Mapping[str, Target]) -> str:
    """Return the targets as one line of JSON."""
    return json.dumps({"targets": rows(targets)}, sort_keys=True)

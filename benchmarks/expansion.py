"""What it costs to regenerate tasks from their seeds: in bulk, and one at a reset.

Evenly spaced tasks of the catalogue are loaded by name, as `gym.make` does it, in one process
whose first tasks are not counted; only CPU time is.  Every load compares the digest.  Writes
`results/expansion.json`.

    python benchmarks/expansion.py [--tasks 1460] [--json]
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, last_line, store
from tmax_gym.analysis.measures.texts import spread
from tmax_gym.tasks import catalogue

RATE = 100.0
"""Tasks per second of CPU (the project's goal)."""
RESET_MS = 30.0
"""CPU that one task may take at a reset (the project's goal)."""
WARM = 200
"""Tasks before any is counted: tables, words and families are read once a process."""
SLOWEST = 10
"""Families that the table shows."""


def main() -> int:
    """Measure, write the results, return 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--tasks", type=int, default=1460)
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    names = catalogue.names()
    for name in spread(names, WARM):
        catalogue.load(name)
    cost = {name: measure(name) for name in spread(names, options.tasks)}
    percentiles = statistics.quantiles(cost.values(), n=100, method="inclusive")
    targets = {
        "tasks_per_cpu_second": Target(
            round(1e3 * len(cost) / sum(cost.values()), 1), RATE, at_most=False
        ),
        "cpu_ms_p50": Target(round(percentiles[49], 1), RESET_MS),
        "cpu_ms_p99": Target(round(percentiles[98], 1), RESET_MS),
    }
    families = by_family(cost)
    store("expansion", {"tasks": len(cost), "ms_by_family": families}, targets, load=load)
    if not options.json:
        for name, target in targets.items():
            print(f"{name:24} {target.value:9.1f}")
        print("dearest families, mean ms:")
        for family, mean in sorted(families.items(), key=lambda item: -item[1])[:SLOWEST]:
            print(f"  {family:22} {mean:9.1f}")
    print(last_line(targets))
    return 0 if all(target.met for target in targets.values()) else 1


def measure(name: str) -> float:
    """Return the milliseconds of CPU that one task took."""
    start = time.process_time()
    catalogue.load(name)
    return (time.process_time() - start) * 1e3


def by_family(cost: dict[str, float]) -> dict[str, float]:
    """Return the mean cost by the family that names a task."""
    own: dict[str, list[float]] = {}
    for name, spent in cost.items():
        own.setdefault(name.partition(".")[0], []).append(spent)
    return {family: round(statistics.fmean(spent), 2) for family, spent in sorted(own.items())}


if __name__ == "__main__":
    sys.exit(main())

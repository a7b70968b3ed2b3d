"""Measure what it costs to regenerate tasks from their seeds, in bulk and one at a time.

Evenly spaced tasks of the catalogue are loaded by name, as `gym.make` does it, in one process
whose first tasks are not counted.  Only CPU time counts.  Every load compares the digest.  Checks
and hidden cases are built when grading needs them: that time is measured on its own.

    python benchmarks/expansion.py [--tasks 1460] [--json]
"""

from __future__ import annotations

import statistics
import sys
import time

from benchmarks.script import Target, finish, options
from tmax_gym.analysis.measures.texts import spread
from tmax_gym.later import Later
from tmax_gym.tasks import catalogue

RATE = 100.0
"""Tasks per second of CPU (the project's goal)."""
RESET_MS = 30.0
"""CPU time that one task may take at a reset (the project's goal)."""
WARM = 200
"""Tasks that are not counted: tables, words and families are read once in a process."""
SLOWEST = 10
"""Families in the printed table."""


def main() -> int:
    """Measure, write the results, return 1 if a target is missed."""
    given = options(__doc__, tasks=1460)
    names = catalogue.names()
    for name in spread(names, WARM):
        catalogue.load(name)
    both = {name: measure(name) for name in spread(names, given.tasks)}
    cost = {name: load for name, (load, _) in both.items()}
    percentiles = statistics.quantiles(cost.values(), n=100, method="inclusive")
    graded = statistics.quantiles([build for _, build in both.values()], n=100, method="inclusive")
    rate = round(1e3 * len(cost) / sum(cost.values()), 1)
    targets = {
        "tasks_per_cpu_second": Target(rate, RATE, at_most=False),
        "cpu_ms_p50": Target(round(percentiles[49], 1), RESET_MS),
        "cpu_ms_p99": Target(round(percentiles[98], 1), RESET_MS),
    }
    families = by_family(cost)
    slowest = sorted(families.items(), key=lambda item: -item[1])[:SLOWEST]
    lines = [f"{name:24} {target.value:9.1f}" for name, target in targets.items()]
    checks = {"p50": round(graded[49], 2), "p99": round(graded[98], 1)}
    lines.append(f"checks and hidden cases: {checks['p50']} ms, p99 {checks['p99']} ms")
    lines += ["slowest families, mean ms:", *(f"  {name:22} {mean:9.1f}" for name, mean in slowest)]
    results = {"tasks": len(cost), "ms_by_family": families, "checks_cpu_ms": checks}
    return finish("expansion", results, targets, given, lines)


def measure(name: str) -> tuple[float, float]:
    """Return the milliseconds of CPU time to load a task, and to build checks and hidden cases."""
    start = time.process_time()
    task = catalogue.load(name)
    loaded = time.process_time()
    len(task.checks)  # builds them
    for stage in task.stages:
        for value in vars(stage.world).values():
            if isinstance(value, Later):
                value.values()
    return (loaded - start) * 1e3, (time.process_time() - loaded) * 1e3


def by_family(cost: dict[str, float]) -> dict[str, float]:
    """Return the mean cost by the family that names a task."""
    costs: dict[str, list[float]] = {}
    for name, milliseconds in cost.items():
        costs.setdefault(name.partition(".")[0], []).append(milliseconds)
    return {family: round(statistics.fmean(own), 2) for family, own in sorted(costs.items())}


if __name__ == "__main__":
    sys.exit(main())

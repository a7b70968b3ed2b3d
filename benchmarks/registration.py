"""Measure what `import tmax_gym` costs on top of `import gymnasium`.

The import registers the whole catalogue.  Every run is a fresh process that imports gymnasium,
times `import tmax_gym`, and checks that every task has its id.

    python benchmarks/registration.py [--runs 11] [--json]
"""

from __future__ import annotations

import json
import subprocess
import sys

from benchmarks.script import Target, finish, median, options

TARGET_MS = 80.0
"""Median of import and registration together (the project's goal)."""

PROBE = """
import json, os, time
import gymnasium
def resident():  # pages: the second number of the file
    return int(open("/proc/self/statm").read().split()[1])
before = resident()
c0 = time.process_time()
t0 = time.perf_counter()
import tmax_gym
t1 = time.perf_counter()
c1 = time.process_time()
grown = (resident() - before) * os.sysconf("SC_PAGESIZE") / 2**20
names = tmax_gym.tasks.catalogue.names()
assert sum(f"tmax/{name}" in gymnasium.registry for name in names) == len(names)
assert gymnasium.spec(f"tmax/{names[-1]}").kwargs == {"task": names[-1]}
print(json.dumps({"total_ms": (t1 - t0) * 1e3, "cpu_ms": (c1 - c0) * 1e3,
                  "rss_mb": grown, "ids": len(names)}))
"""


def main() -> int:
    """Measure, write the results, return 1 if the target is missed."""
    given = options(__doc__, runs=11)
    rows = [measure() for _ in range(given.runs)]
    medians = {key: median(row[key] for row in rows) for key in rows[0]}
    targets = {"import_and_registration_ms": Target(round(medians["total_ms"], 1), TARGET_MS)}
    lines = [f"median of {given.runs} fresh processes:"]
    lines += [f"  {key:12} {value:9.1f}" for key, value in medians.items()]
    return finish("registration", {"medians": medians, "runs": rows}, targets, given, lines)


def measure() -> dict[str, float]:
    """Return the figures of one fresh process."""
    ended = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=True
    )
    row: dict[str, float] = json.loads(ended.stdout)
    return row


if __name__ == "__main__":
    sys.exit(main())

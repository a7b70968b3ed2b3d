"""What `import tmax_gym` costs on top of `import gymnasium`: it registers the whole catalogue.

Every run is a fresh process: import gymnasium, then time `import tmax_gym`, and look whether
every task has its id.  Writes `results/registration.json`.

    python benchmarks/registration.py [--runs 11] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, last_line, store

TARGET_MS = 80.0
"""Median of import and registration together (the project's goal)."""

PROBE = """
import json, os, time
import gymnasium
def resident():  # pages, of which the second number of the file tells
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
    """Measure, write the results, return 1 where the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]  # what else ran: wall time on a busy machine says little
    rows = [measure() for _ in range(options.runs)]
    medians = {key: statistics.median(row[key] for row in rows) for key in rows[0]}
    targets = {"import_and_registration_ms": Target(round(medians["total_ms"], 1), TARGET_MS)}
    seen = {"medians": medians, "runs": rows}
    store("registration", seen, targets, load=load)
    if not options.json:
        print(f"median of {options.runs} fresh processes:")
        for key, value in medians.items():
            print(f"  {key:12} {value:9.1f}")
    print(last_line(targets))
    return 0 if all(t.met for t in targets.values()) else 1


def measure() -> dict[str, float]:
    """Return what one fresh process saw."""
    ended = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=True
    )
    row: dict[str, float] = json.loads(ended.stdout)
    return row


if __name__ == "__main__":
    sys.exit(main())

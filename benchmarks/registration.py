"""What `import tmax_gym` costs on top of `import gymnasium`, at the size of the full catalogue.

Every run is a fresh process: import gymnasium, then time `import tmax_gym` and the registration
of 14,600 made-up ids beside those of the stored catalogue.  Writes `results/registration.json`.

    python benchmarks/registration.py [--runs 11] [--ids 14600] [--json]
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
import json, resource, sys, time
import gymnasium
names = [f"benchmark-family-{i % 400}.skin-{i}" for i in range(int(sys.argv[1]))]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
c0 = time.process_time()
t0 = time.perf_counter()
import tmax_gym
t1 = time.perf_counter()
tmax_gym.register_tasks(names)
t2 = time.perf_counter()
c2 = time.process_time()
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert sum(f"tmax/{name}" in gymnasium.registry for name in names) == len(names)
assert gymnasium.spec(f"tmax/{names[-1]}").kwargs == {"task": names[-1]}
print(json.dumps({"import_ms": (t1 - t0) * 1e3, "register_ms": (t2 - t1) * 1e3,
                  "total_ms": (t2 - t0) * 1e3, "cpu_ms": (c2 - c0) * 1e3,
                  "rss_mb": (after - before) / 1024,
                  "catalogued": len(tmax_gym.catalogue.names())}))
"""


def main() -> int:
    """Measure, write the results, return 1 where the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--ids", type=int, default=14_600)
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]  # what else ran: wall time on a busy machine says little
    rows = [measure(options.ids) for _ in range(options.runs)]
    medians = {key: statistics.median(row[key] for row in rows) for key in rows[0]}
    targets = {"import_and_registration_ms": Target(round(medians["total_ms"], 1), TARGET_MS)}
    seen = {"ids": options.ids, "medians": medians, "runs": rows}
    store("registration", seen, targets, load=load)
    if not options.json:
        print(f"{options.ids} ids, median of {options.runs} fresh processes:")
        for key, value in medians.items():
            print(f"  {key:12} {value:9.1f}")
    print(last_line(targets))
    return 0 if all(t.met for t in targets.values()) else 1


def measure(ids: int) -> dict[str, float]:
    """Return what one fresh process saw."""
    ended = subprocess.run(
        [sys.executable, "-c", PROBE, str(ids)], capture_output=True, text=True, check=True
    )
    row: dict[str, float] = json.loads(ended.stdout)
    return row


if __name__ == "__main__":
    sys.exit(main())

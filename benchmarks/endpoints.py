"""What becomes of a trial whose endpoint answers well, badly or never: a table of every way.

Each row of `tests/support/endpoint_cases.py` is served on the loopback to one trial of a tiny task,
played as `tmax bench` plays it.  A false zero is a reward of 0 where the model did nothing wrong.

    python benchmarks/endpoints.py [--backend native] [--only TEXT] [--json]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, last_line, store
from tests.support.endpoint_cases import CASES
from tests.support.endpoint_play import QUICK, play
from tmax_gym.sandboxes import backend

BLAMELESS = ("solved", "infra", "refused")
"""What may not end with a reward of 0."""
LEAST = 40
LATE_SECONDS = 10.0


def main() -> int:
    """Play, compare, print, store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="native")
    parser.add_argument("--only", default="", help="cases with this in their name; stores nothing")
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    machines = backend(options.backend)
    rows: list[dict[str, object]] = []
    zeros = wrong = late = 0
    for case in (case for case in CASES if options.only in case.name):
        with tempfile.TemporaryDirectory() as place:
            played = play(case, machines, Path(place) / "run")
        zeros += played.false_zero and case.fate in BLAMELESS
        wrong += played.fate != case.fate
        limit = max(QUICK["turn_seconds"], case.agent_seconds or 0.0)
        late += played.seconds > limit + LATE_SECONDS
        row = {"case": case.name, "wanted": case.fate, "seen": played.fate}
        rows.append({**row, "requests": len(played.asked), "seconds": round(played.seconds, 1)})
        if not options.json:
            mark = " " if played.fate == case.fate else "!"
            seen = f"{played.fate:8} {len(played.asked):3} requests {played.seconds:5.1f} s"
            print(f"{mark} {case.name:62} {case.fate:8} {seen}", flush=True)
    targets = {
        "ways_to_answer": Target(len(rows), LEAST, at_most=False),
        "false_zeros": Target(zeros, 0),
        "wrong_statuses": Target(wrong, 0),
        "trials_that_outlive_their_limits": Target(late, 0),
    }
    if not options.only:
        counts = Counter(str(row["seen"]) for row in rows)
        store("endpoints", {"cases": rows, "statuses": counts}, targets, load=load)
    print(last_line(targets))
    return 0 if all(target.met for target in targets.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

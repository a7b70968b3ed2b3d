"""Show how a trial ends if its model endpoint answers well, badly or never.

Each case of `tests/support/endpoint_cases.py` is served on the loopback to one trial of a tiny
task, played as `tmax bench` plays it.  A false zero is a reward of 0 although the model did
nothing wrong.

    python benchmarks/endpoints.py [--backend native] [--only TEXT] [--json]
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.script import Target, finish, options
from tests.support.endpoint_cases import CASES
from tests.support.endpoint_play import QUICK, play
from tmax_gym.sandboxes import backend

BLAMELESS = ("solved", "infra", "refused")
"""Expected endings after which a reward of 0 would be false."""
LEAST = 40
LATE_SECONDS = 10.0


def main() -> int:
    """Play, write the results, return 1 if a target is missed."""
    only = "cases with this in their name; stores nothing"
    given = options(__doc__, backend="native", only=("", only))
    sandboxes = backend(given.backend)
    rows: list[dict[str, object]] = []
    zeros = wrong = late = 0
    for case in (case for case in CASES if given.only in case.name):
        with tempfile.TemporaryDirectory() as directory:
            trial = play(case, sandboxes, Path(directory) / "run")
        zeros += trial.false_zero and case.fate in BLAMELESS
        wrong += trial.fate != case.fate
        limit = max(QUICK["turn_seconds"], case.agent_seconds or 0.0)
        late += trial.seconds > limit + LATE_SECONDS
        row = {"case": case.name, "wanted": case.fate, "seen": trial.fate}
        rows.append({**row, "requests": len(trial.asked), "seconds": round(trial.seconds, 1)})
        if not given.json:
            mark = " " if trial.fate == case.fate else "!"
            result = f"{trial.fate:8} {len(trial.asked):3} requests {trial.seconds:5.1f} s"
            print(f"{mark} {case.name:62} {case.fate:8} {result}", flush=True)
    targets = {
        "ways_to_answer": Target(len(rows), LEAST, at_most=False),
        "false_zeros": Target(zeros, 0),
        "wrong_statuses": Target(wrong, 0),
        "trials_that_outlive_their_limits": Target(late, 0),
    }
    results = {"cases": rows, "statuses": Counter(str(row["seen"]) for row in rows)}
    return finish("endpoints", results, targets, given, stored=not given.only)


if __name__ == "__main__":
    sys.exit(main())

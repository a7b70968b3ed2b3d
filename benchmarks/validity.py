"""How well the catalogue is proven: stored evidence for every task, and a fresh sample of cheats.

The evidence says what `tmax validate --store` saw of each task; it counts where digest and
generator are those of today.  The sample is run here and now: every mistake, exploit and
hostile agent of `tmax_gym/proofs/hostile.py` on tasks spread over the families.

    python benchmarks/validity.py [--sample 200] [--seed 0] [--jobs 2] [--json]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, last_line, store
from tmax_gym.proofs import hostile
from tmax_gym.proofs.evidence import is_current, read, stored
from tmax_gym.proofs.validate import CHEAT, Depth, sample, sweep
from tmax_gym.sandboxes import backend
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.planner import TOTAL


def main() -> int:
    """Count, run, print, store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    names = catalogue.names()
    rows = read(stored())
    proven = sum(is_current(rows.get(name)) for name in names)
    hostiles = {a.name for a in hostile.attempts(catalogue.load(names[0]))}
    runnable, missing = catalogue.runnable(catalogue.select())
    print("\n".join(missing), file=sys.stderr, end="\n" if missing else "")
    chosen = sample([spec.name for spec in runnable], options.sample, options.seed)
    earned: dict[str, list[float]] = defaultdict(list)
    problems: list[str] = []
    proofs = sweep(
        chosen,
        backend("native"),
        image=None,
        depth=Depth(cheats=True),
        jobs=options.jobs,
    )
    for proof in proofs:
        problems += [f"{proof.name}: {problem}" for problem in proof.problems]
        for name, reward in proof.attempts:
            if reward is not None:
                earned[name if name in hostiles else name.split(".", 1)[0]].append(reward)
    worst = {name: max(rewards) for name, rewards in sorted(earned.items()) if name in hostiles}
    targets = {
        "tasks_proven": Target(proven, TOTAL, at_most=False),
        "share_of_catalogue_proven": Target(proven / len(names), 1.0, at_most=False),
        "most_that_a_hostile_agent_earned": Target(max(worst.values()), CHEAT),
        "problems_in_sample": Target(len(problems), 0),
    }
    seen = {"sample": list(chosen), "problems": problems, "worst": worst}
    store("validity", seen, targets, load=load)
    if not options.json:
        print(f"{proven} of {len(names)} tasks proven; {len(chosen)} sampled for cheats")
        for name, reward in worst.items():
            print(f"  {name:24} {reward:6.3f}  in {len(earned[name])} tasks")
        print(*problems, sep="\n")
    print(last_line(targets))
    return 0 if all(t.met for t in targets.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

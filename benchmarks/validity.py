"""Count the tasks of the catalogue that are proven, and try fresh cheats on a sample of them.

The stored evidence is what `tmax validate --store` saw of each task; it counts if digest and
generator are today's.  On the sample, every mistake, exploit and hostile agent of
`tmax_gym/proofs/hostile.py` is run now, on tasks spread over the families.

    python benchmarks/validity.py [--sample 200] [--seed 0] [--jobs 2] [--json]
"""

from __future__ import annotations

import sys
from collections import defaultdict

from benchmarks.script import Target, finish, options, sampled
from tmax_gym.proofs import hostile
from tmax_gym.proofs.evidence import is_current, read, stored
from tmax_gym.proofs.validate import CHEAT, Depth, sweep
from tmax_gym.sandboxes import backend
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.quotas import TOTAL


def main() -> int:
    """Count, run, write the results, return 1 if a target is missed."""
    given = options(__doc__, sample=200, seed=0, jobs=2)
    names = catalogue.names()
    evidence = read(stored())
    proven = sum(is_current(evidence.get(name)) for name in names)
    hostiles = {attempt.name for attempt in hostile.attempts(catalogue.load(names[0]))}
    chosen = sampled(given.sample, given.seed)
    earned: dict[str, list[float]] = defaultdict(list)
    problems: list[str] = []
    depth = Depth(cheats=True)
    for proof in sweep(chosen, backend("native"), image=None, depth=depth, jobs=given.jobs):
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
    lines = [f"{proven} of {len(names)} tasks proven; {len(chosen)} sampled for cheats"]
    lines += [f"  {n:24} {reward:6.3f}  in {len(earned[n])} tasks" for n, reward in worst.items()]
    results = {"sample": list(chosen), "problems": problems, "worst": worst}
    return finish("validity", results, targets, given, [*lines, *problems])


if __name__ == "__main__":
    sys.exit(main())

"""Count the tasks of the catalogue that are proven, and try fresh cheats on a sample of them.

The stored evidence is what `tmax validate --store` saw of each task; it counts if digest and
generator are today's.  With `--cheats` that holds every mistake, exploit and hostile agent of
`tmax_gym/proofs/hostile.py` as well, and what it earned; the most that hostile agents earned is
taken from there.  On the sample all of them are run again, now.

    python benchmarks/validity.py [--sample 200] [--seed 0] [--jobs 2] [--json]
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from benchmarks.script import Target, finish, options, sampled
from tmax_gym.proofs.evidence import is_current, read, stored
from tmax_gym.proofs.validate import CHEAT, Depth, sweep
from tmax_gym.sandboxes import backend
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.quotas import TOTAL

WITH_CHEATS = 1_500
"""Tasks whose stored proof has cheats (the project's goal); one takes 2 s to some minutes."""
OF_A_PART = re.compile(r"s\d+\.")
"""Begins the names of mistakes and exploits; other attempts are hostile agents."""


def main() -> int:
    """Count, run, write the results, return 1 if a target is missed."""
    given = options(__doc__, sample=200, seed=0, jobs=2)
    names = catalogue.names()
    evidence = read(stored())
    proven = sum(is_current(evidence.get(name)) for name in names)
    cheated = [n for n in names if is_current(evidence.get(n), depth=Depth(cheats=True))]
    chosen = sampled(given.sample, given.seed)
    depth = Depth(cheats=True)
    proofs = list(sweep(chosen, backend("native"), image=None, depth=depth, jobs=given.jobs))
    problems = [f"{proof.name}: {problem}" for proof in proofs for problem in proof.problems]
    tried = [evidence[name]["attempts"] for name in cheated] + [p.attempts for p in proofs]
    earned = by_agent(tried)
    worst = {name: max(rewards) for name, rewards in sorted(earned.items())}
    targets = {
        "tasks_proven": Target(proven, TOTAL, at_most=False),
        "share_of_catalogue_proven": Target(proven / len(names), 1.0, at_most=False),
        "tasks_proven_with_cheats": Target(len(cheated), WITH_CHEATS, at_most=False),
        "most_that_a_hostile_agent_earned": Target(max(worst.values()), CHEAT),
        "problems_in_sample": Target(len(problems), 0),
    }
    lines = [f"{proven} of {len(names)} tasks proven, {len(cheated)} with cheats; "
             f"{len(chosen)} sampled"]  # fmt: skip
    lines += [f"  {n:28} {reward:6.3f}  in {len(earned[n])} tasks" for n, reward in worst.items()]
    results = {"sample": list(chosen), "problems": problems, "worst": worst,
               "cheats": sum(map(len, tried))}  # fmt: skip
    return finish("validity", results, targets, given, [*lines, *problems])


def by_agent(tasks: Iterable[Any]) -> dict[str, list[float]]:
    """Return the rewards of every hostile agent, of (name, reward) of all attempts of each task."""
    earned: dict[str, list[float]] = defaultdict(list)
    for attempts in tasks:
        for name, reward in attempts:
            if reward is not None and not OF_A_PART.match(name):
                earned[name].append(reward)
    return earned


if __name__ == "__main__":
    sys.exit(main())

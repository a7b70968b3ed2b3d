"""Count the tasks of the catalogue that are proven, and try fresh cheats on a sample of them.

The stored evidence is what `tmax validate --store` saw of each task; it counts if digest and
generator are today's.  On the sample, every mistake, exploit and hostile agent of
`tmax_gym/proofs/hostile.py` is run now, on tasks spread over the families.

A large sample takes hours (1,500 tasks: 60,000 runs of a cheat).  With `--journal` every finished
task is a line of that file, and the same command goes on where it was stopped.

    python benchmarks/validity.py [--sample 200] [--seed 0] [--jobs 2] [--journal FILE] [--json]
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.script import Target, finish, options, sampled
from tmax_gym.journal import Journal, read
from tmax_gym.proofs import hostile
from tmax_gym.proofs.evidence import is_current, stored
from tmax_gym.proofs.evidence import read as read_evidence
from tmax_gym.proofs.validate import CHEAT, Depth, sweep
from tmax_gym.sandboxes import backend
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.quotas import TOTAL


def main() -> int:
    """Count, run, write the results, return 1 if a target is missed."""
    journal = (Path(), "a file with a line for every finished task")
    given = options(__doc__, sample=200, seed=0, jobs=2, journal=journal)
    names = catalogue.names()
    evidence = read_evidence(stored())
    proven = sum(is_current(evidence.get(name)) for name in names)
    hostiles = {attempt.name for attempt in hostile.attempts(catalogue.load(names[0]))}
    chosen = sampled(given.sample, given.seed)
    earned: dict[str, list[float]] = defaultdict(list)
    problems: list[str] = []
    for row in tried(chosen, jobs=given.jobs, file=given.journal):
        problems += [f"{row['name']}: {problem}" for problem in row["problems"]]
        for name, reward in row["attempts"]:
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


def tried(chosen: Sequence[str], *, jobs: int, file: Path) -> Iterator[dict[str, Any]]:
    """Yield name, problems and attempts of each task; those of the journal are not run again."""
    engine, depth = backend("native"), Depth(cheats=True)
    if file == Path():
        for proof in sweep(chosen, engine, image=None, depth=depth, jobs=jobs):
            yield {"name": proof.name, "problems": proof.problems, "attempts": proof.attempts}
        return
    with closing(Journal(file)) as journal:
        rows = {row["name"]: row for row in read(file, dict)}
        yield from (rows[name] for name in chosen if name in rows)
        left = [name for name in chosen if name not in rows]
        for proof in sweep(left, engine, image=None, depth=depth, jobs=jobs):
            row = {"name": proof.name, "problems": proof.problems, "attempts": proof.attempts}
            journal.add(row)
            yield row


if __name__ == "__main__":
    sys.exit(main())

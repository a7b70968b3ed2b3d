"""Our tasks exported to Harbor's format, loaded back, and played through the Harbor code path.

Of every sampled task the directory is read as any other Harbor task, its image built, its
solution run and its own verifier asked, and the same for an agent that does nothing.

    python benchmarks/harbor_export.py [--sample 200] [--seed 0] [--backend docker] [--jobs 2]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, last_line, store
from tmax_gym import load_dataset
from tmax_gym.agents import scripted
from tmax_gym.agents.rollout import rollout
from tmax_gym.errors import TmaxError
from tmax_gym.harbor.export.export import export
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.proofs.validate import sample
from tmax_gym.sandboxes import Backend, backend
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import compose


@dataclass(frozen=True)
class Seen:
    """What one exported task gave."""

    task: str
    oracle: float | None
    noop: float | None
    seconds: float
    message: str = ""

    @property
    def proven(self) -> bool:
        """Return whether the solution earned 1 and nothing 0."""
        return self.oracle == 1.0 and self.noop == 0.0


def main() -> int:
    """Export, load, play, print, store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--backend", default="docker", choices=("docker", "podman", "native"))
    parser.add_argument("--jobs", type=int, default=2, choices=(1, 2, 3, 4))
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load, begun = os.getloadavg()[0], time.monotonic()
    runnable, missing = catalogue.runnable(catalogue.select())
    print("\n".join(missing), file=sys.stderr, end="\n" if missing else "")
    names = sample([spec.name for spec in runnable], options.sample, options.seed)
    found: list[Seen] = []
    for seen in played(names, backend(options.backend), options.jobs):
        found.append(seen)
        if not options.json:
            state = "proven" if seen.proven else f"NOT PROVEN {seen.message}"
            print(f"{seen.task:44} {seen.oracle} {seen.noop} {seen.seconds:6.1f} s  {state}",
                  flush=True)  # fmt: skip
    proven = sum(seen.proven for seen in found)
    targets = {
        f"{options.backend}_tasks_proven": Target(proven, len(names), at_most=False),
    }
    result = {
        "sample": list(names),
        "failed": [f"{s.task}: {s.oracle} {s.noop} {s.message}" for s in found if not s.proven],
        "seconds": round(time.monotonic() - begun, 1),
    }
    store("harbor_export", result, targets, load=load)
    print(last_line(targets))
    return 0 if all(t.met for t in targets.values()) else 1


def played(names: tuple[str, ...], machines: Backend, jobs: int) -> Iterator[Seen]:
    """Yield what every task gave, in order."""
    with tempfile.TemporaryDirectory() as place:
        for name in names:
            try:
                # Whatever the generator makes of the name: a digest is the catalogue's matter.
                export(compose(replace(catalogue.spec(name), digest="")), Path(place))
            except TmaxError as error:
                yield Seen(name, None, None, 0.0, f"cannot be exported: {error}")
        dataset = load_dataset(place, name="exported")
        yield from (Seen(p.name, None, None, 0.0, p.message) for p in dataset.problems)
        with ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(lambda task: proven(task, machines), dataset.tasks)


def proven(task: TrialTask, machines: Backend) -> Seen:
    """Play a task twice."""
    begun = time.monotonic()
    best = rollout(task, scripted.oracle(task), backend=machines)
    none = rollout(task, scripted.noop(task), backend=machines)
    message = " ".join(p.message for p in (best, none) if p.message)
    return Seen(task.name, best.reward, none.reward, time.monotonic() - begun, message)


if __name__ == "__main__":
    sys.exit(main())

"""Export our tasks to Harbor's format, load them back, and play them as Harbor tasks.

The directory of every sampled task is read as any other Harbor task, and its image is built.  Its
own verifier then grades its solution, and an agent that does nothing.

    python benchmarks/harbor_export.py [--sample 200] [--seed 0] [--backend docker] [--jobs 2]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.script import Target, finish, parser, sampled
from tmax_gym import load_dataset
from tmax_gym.agents.agent import noop, oracle
from tmax_gym.agents.rollout import rollout
from tmax_gym.errors import TmaxError
from tmax_gym.harbor.export.export import export
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.sandboxes import Backend, backend
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import compose


@dataclass(frozen=True)
class Result:
    """The rewards of one exported task."""

    task: str
    oracle: float | None
    noop: float | None
    seconds: float
    message: str = ""

    @property
    def proven(self) -> bool:
        """Return whether the solution earned 1 and an agent that does nothing 0."""
        return self.oracle == 1.0 and self.noop == 0.0


def main() -> int:
    """Export, load, play, write the results, return 1 if the target is missed."""
    arguments = parser(__doc__, sample=200, seed=0)
    arguments.add_argument("--backend", default="docker", choices=("docker", "podman", "native"))
    arguments.add_argument("--jobs", type=int, default=2, choices=(1, 2, 3, 4))
    given = arguments.parse_args()
    begun = time.monotonic()
    names = sampled(given.sample, given.seed)
    results: list[Result] = []
    for result in played(names, backend(given.backend), given.jobs):
        results.append(result)
        if not given.json:
            state = "proven" if result.proven else f"NOT PROVEN {result.message}"
            rewards = f"{result.oracle} {result.noop} {result.seconds:6.1f} s"
            print(f"{result.task:44} {rewards}  {state}", flush=True)
    proven = sum(result.proven for result in results)
    targets = {f"{given.backend}_tasks_proven": Target(proven, len(names), at_most=False)}
    content = {
        "sample": list(names),
        "failed": [f"{r.task}: {r.oracle} {r.noop} {r.message}" for r in results if not r.proven],
        "seconds": round(time.monotonic() - begun, 1),
    }
    return finish("harbor_export", content, targets, given)


def played(names: tuple[str, ...], sandboxes: Backend, jobs: int) -> Iterator[Result]:
    """Yield the result of every task, in order."""
    with tempfile.TemporaryDirectory() as directory:
        for name in names:
            try:
                # Without its digest: whether the catalogue is up to date is another question.
                export(compose(replace(catalogue.spec(name), digest="")), Path(directory))
            except TmaxError as error:
                yield Result(name, None, None, 0.0, f"cannot be exported: {error}")
        dataset = load_dataset(directory, name="exported")
        yield from (Result(p.name, None, None, 0.0, p.message) for p in dataset.problems)
        with ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(lambda task: prove(task, sandboxes), dataset.tasks)


def prove(task: TrialTask, sandboxes: Backend) -> Result:
    """Play a task twice."""
    begun = time.monotonic()
    best = rollout(task, oracle(task), backend=sandboxes)
    none = rollout(task, noop(), backend=sandboxes)
    message = " ".join(t.message for t in (best, none) if t.message)
    return Result(task.name, best.reward, none.reward, time.monotonic() - begun, message)


if __name__ == "__main__":
    sys.exit(main())

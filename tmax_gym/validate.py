"""The proof of a task: oracle, no-op, mistakes, cheats, words and digest.

Covers what can be established by running: the reference solution earns exactly 1 in two fresh
sandboxes, nothing done earns exactly 0, every mistake earns less than 1, every cheat at most
`CHEAT`, and the text says what it must and no more.  Evidence is keyed by the task's digest
and by `GENERATOR`, so that unchanged tasks need no second proof.
Does not cover whether a model can solve the task.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from tmax_gym import catalogue, hostile
from tmax_gym.agents import ScriptedAgent
from tmax_gym.algebra import Attempt
from tmax_gym.build import write_rows
from tmax_gym.rollout import rollout
from tmax_gym.sandboxes import Backend
from tmax_gym.task import GENERATOR, Task, compose
from tmax_gym.words.lint import lint
from tmax_gym.world.rng import Rng

CHEAT = 0.05
"""Most that a cheat may earn (task design 2.5)."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What was seen of one task."""

    name: str
    digest: str
    generator: int
    backend: str
    oracle: tuple[float | None, ...]
    """Reward of every run of the reference solution; None where nothing was graded."""
    noop: float | None
    attempts: tuple[tuple[str, float | None], ...]
    """Reward of every cheat and mistake that was tried, by name."""
    seconds: float
    problems: tuple[str, ...]
    """Why the task is not proven; empty where it is."""

    def to_json(self) -> str:
        """Return one line of JSON with sorted keys."""
        return json.dumps(asdict(self), sort_keys=True)


def prove(
    task: Task, backend: Backend, *, image: str, cheats: bool = False, runs: int = 2
) -> Proof:
    """Run a task's proof; `cheats` adds mistakes, exploits and hostile agents."""
    start = time.monotonic()
    problems = [f"text: {fault}" for fault in _read(task)]

    def earn(attempt: Attempt) -> float | None:
        agent = ScriptedAgent(attempt.commands, name=attempt.name)
        seen = rollout(task, agent, backend=backend, image=image)
        if seen.reward is None:
            problems.append(f"{attempt.name}: {seen.ending}: {seen.message}")
        return seen.reward

    oracle = tuple(earn(Attempt("oracle", task.oracle)) for _ in range(runs))
    problems += [f"oracle earns {r}, not 1" for r in oracle if r is not None and r != 1.0]
    noop = earn(Attempt("noop", ()))
    if noop:
        problems.append(f"no-op earns {noop}, not 0")
    if task.alternative is not None and cheats:
        reward = earn(Attempt("alternative", task.alternative))
        if reward is not None and reward != 1.0:
            problems.append(f"the second solution earns {reward}, not 1")
    tried = _try_wrong_ways(task, earn, problems) if cheats else ()
    return Proof(
        task.name,
        task.digest,
        GENERATOR,
        backend.name,
        oracle,
        noop,
        tried,
        round(time.monotonic() - start, 3),
        tuple(problems),
    )


def _read(task: Task) -> tuple[str, ...]:
    documents = tuple(n for n in task.nodes if n.path.startswith("/app/docs/"))
    return lint(
        task.instruction,
        task.clauses,
        documents=documents,
        hidden=task.hidden,
        outputs=task.outputs,
    )


def _try_wrong_ways(
    task: Task, earn: Callable[[Attempt], float | None], problems: list[str]
) -> tuple[tuple[str, float | None], ...]:
    tried: list[tuple[str, float | None]] = []
    ways = [(a, 1.0) for a in task.mutants]
    ways += [(a, CHEAT) for a in (*task.exploits, *hostile.attempts(task))]
    for attempt, bound in ways:
        reward = earn(attempt)
        tried.append((attempt.name, reward))
        if reward is None:
            continue
        if reward > bound or (bound == 1.0 and reward >= 1.0):
            problems.append(f"{attempt.name!r} earns {reward:.3f}")
    return tuple(tried)


def sample(names: Sequence[str], count: int, seed: int) -> tuple[str, ...]:
    """Return `count` names spread over the families, the same for the same seed, sorted."""
    rng = Rng("validate", seed)
    by_family: dict[str, list[str]] = {}
    for name in rng.shuffled(sorted(names)):
        by_family.setdefault(name.split(".", 1)[0], []).append(name)
    chosen: list[str] = []
    while len(chosen) < min(count, len(names)):
        for family in sorted(by_family):
            if by_family[family] and len(chosen) < count:
                chosen.append(by_family[family].pop())
    return tuple(sorted(chosen))


def sweep(
    names: Iterable[str], backend: Backend, *, image: str, cheats: bool = False, jobs: int = 2
) -> Iterator[Proof]:
    """Yield a proof a task, in the order in which they end."""

    def one(name: str) -> Proof:
        return prove(compose(catalogue.spec(name)), backend, image=image, cheats=cheats)

    with ThreadPoolExecutor(jobs, thread_name_prefix="prove") as pool:
        yield from pool.map(one, names)


def read_evidence(file: Path) -> dict[str, dict[str, object]]:
    """Return stored proofs by task name; empty where there are none."""
    if not file.exists():
        return {}
    return {str(row["name"]): row for row in catalogue.read_rows(file.name.split(".")[0])}


def is_current(row: dict[str, object] | None, *, cheats: bool) -> bool:
    """Return whether a stored proof holds for the task and the generator of today."""
    if row is None or row["problems"] or row["generator"] != GENERATOR:
        return False
    if cheats and not row["attempts"]:
        return False
    return row["digest"] == catalogue.spec(str(row["name"])).digest


def write_evidence(file: Path, proofs: Iterable[Proof]) -> None:
    """Store proofs, sorted by task.  Times are kept for orientation and compared by nobody."""
    write_rows(file, (p.to_json() for p in sorted(proofs, key=lambda p: p.name)))

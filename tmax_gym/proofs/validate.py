"""Prove that a task is sound: oracle, no-op, mistakes, cheats, text and hidden values.

Runs establish this: the reference solution earns exactly 1 in two new sandboxes, doing
nothing earns exactly 0, every mistake earns less than 1 and every cheat at most `CHEAT`, the text
says what it must and no more, and the world does not hold a hidden value at the start.  `deepen`
takes many more runs: rewards along the solution, unnecessary commands, files that two runs leave.
No run tells whether a model can solve the task.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial

from tmax_gym.agents.agent import ScriptedAgent
from tmax_gym.agents.rollout import fault, retrying, rollout
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.errors import SpecError
from tmax_gym.families.contract import Attempt
from tmax_gym.proofs import hostile
from tmax_gym.proofs.fingerprint import ran
from tmax_gym.rng import Rng
from tmax_gym.sandboxes import Backend
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.commands import count_commands
from tmax_gym.tasks.compose import GENERATOR, Task, compose
from tmax_gym.texts import checks as text_checks

CHEAT = 0.05
"""Largest reward that a cheat may earn."""
INFRASTRUCTURE = "machine:"
"""Prefix of problems that are faults of infrastructure, not of the task."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of running the proof of one task."""

    name: str
    digest: str
    generator: int
    backend: str
    oracle: tuple[float | None, ...]
    """Reward of every run of the reference solution; None if nothing was graded."""
    noop: float | None
    attempts: tuple[tuple[str, float | None], ...]
    """Reward of every cheat and mistake that was tried, by name."""
    seconds: float
    problems: tuple[str, ...]
    """Why the task is not proven; empty if it is."""
    levels: tuple[float, ...] = ()
    """Different rewards along the reference solution, ascending; empty unless `deep`."""
    necessary: int = 0
    """Number of simple commands without which the solution earns less; 0 unless `deep`."""
    ran: str = ""
    """`fingerprint.ran` of what was run; the proof holds while it stays the same."""

    @property
    def undecided(self) -> bool:
        """Return whether all problems are faults of infrastructure that occurred twice."""
        return bool(self.problems) and all(p.startswith(INFRASTRUCTURE) for p in self.problems)

    def to_json(self) -> str:
        """Return one line of JSON with sorted keys."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Proof:
        """Return the proof that `to_json` wrote."""
        row = json.loads(text)
        for name in ("oracle", "problems", "levels"):
            row[name] = tuple(row[name])
        row["attempts"] = tuple((name, reward) for name, reward in row["attempts"])
        return cls(**row)


@dataclass(frozen=True, slots=True)
class Depth:
    """The optional parts of a proof."""

    cheats: bool = False
    """Mistakes, exploits and hostile agents."""
    deep: bool = False
    """Prefixes, the solution without single commands, and the files that two runs leave."""


def prove(
    task: Task, backend: Backend, *, image: str | None, depth: Depth = Depth(), runs: int = 2
) -> Proof:
    """Run a task's proof."""
    start = time.monotonic()
    ways = other_ways(task) if depth.cheats else ()
    fingerprint = ran(task, [way for way, _ in ways])
    problems = list(faults(task))

    def earn(attempt: Attempt) -> float | None:
        agent = ScriptedAgent(attempt.commands, name=attempt.name)
        once = partial(rollout, task, agent, backend=backend, image=image)
        played, _ = retrying(once, retries=1, fault=fault)
        if played.reward is None:
            problems.append(f"{INFRASTRUCTURE} {attempt.name}: {played.ending}: {played.message}")
        return played.reward

    oracle = tuple(earn(Attempt("oracle", task.oracle)) for _ in range(runs))
    problems += [f"oracle earns {r}, not 1" for r in oracle if r is not None and r != 1.0]
    noop = earn(Attempt("noop", ()))
    if noop:
        problems.append(f"no-op earns {noop}, not 0")
    tried = _try_other_ways(task, ways, earn, problems) if depth.cheats else ()
    levels: tuple[float, ...] = ()
    necessary = 0
    if depth.deep and not problems:
        levels, necessary = deepen(task, earn, problems)
        problems += _unequal(task, backend, image)
    return Proof(
        name=task.name,
        digest=task.digest,
        generator=GENERATOR,
        backend=backend.name,
        oracle=oracle,
        noop=noop,
        attempts=tried,
        seconds=round(time.monotonic() - start, 3),
        problems=tuple(problems),
        levels=levels,
        necessary=necessary,
        ran=fingerprint,
    )


def faults(task: Task) -> tuple[str, ...]:
    """Return the faults of a task that need no run: in its text, and values in its world."""
    return (
        *(f"text: {fault}" for fault in text_problems(task, task.instruction)),
        *(f"world: {value}" for value in hostile.exposed(task)),
    )


def other_ways(task: Task) -> tuple[tuple[Attempt, float], ...]:
    """Return mistakes, exploits and hostile agents, each with the largest allowed reward."""
    cheats = (*task.exploits, *hostile.attempts(task))
    return (*((a, 1.0) for a in task.mutants), *((a, CHEAT) for a in cheats))


def deepen(
    task: Task, earn: Callable[[Attempt], float | None], problems: list[str]
) -> tuple[tuple[float, ...], int]:
    """Return the rewards along the solution and the number of necessary commands.

    A reward that falls, and a solution without a necessary command, are problems.
    """
    count = len(task.oracle)
    along = [earn(Attempt(f"first {n}", task.oracle[:n])) for n in range(1, count)]
    rewards = [0.0, *(reward for reward in along if reward is not None), 1.0]
    falls = [n for n in range(1, len(rewards)) if rewards[n] < rewards[n - 1]]
    problems += [f"the reward falls from {rewards[n - 1]} to {rewards[n]}" for n in falls]
    needed = []
    for left in range(count):
        others = (*task.oracle[:left], *task.oracle[left + 1 :])
        reward = earn(Attempt(f"without {left}", others))
        if reward is not None and reward < 1.0:
            needed.append(task.oracle[left])
    if not needed:
        problems.append("no command of the solution is necessary")
    return tuple(sorted(set(rewards))), count_commands(needed)


def _unequal(task: Task, backend: Backend, image: str | None) -> list[str]:
    """Return a problem if two runs of the solution leave different files."""
    first, second = (_files_after(task, backend, image) for _ in range(2))
    paths = sorted(p for p in first.keys() | second.keys() if first.get(p) != second.get(p))
    return [f"two runs of the solution leave other files: {', '.join(paths[:5])}"] if paths else []


def _files_after(task: Task, backend: Backend, image: str | None) -> dict[str, tuple[object, ...]]:
    with closing(task.open(backend, limits=EpisodeLimits(), seed=0, image=image)) as episode:
        for command in task.oracle:
            episode.shell.run(command)
        nodes = episode.sandbox.get(["/app"])
    ignored = (*task.volatile, "/__pycache__/")
    return {
        n.path: (n.kind, n.mode, n.data, n.target)
        for n in nodes
        if n.kind != "dir" and not any(part in n.path for part in ignored)
    }


def text_problems(task: Task, text: str) -> tuple[str, ...]:
    """Return what is wrong with a text for a task; see `texts.checks`."""
    document = (task.document.data or b"").decode() if task.document else ""
    return text_checks.problems(
        text,
        task.obligations,
        hidden=task.hidden,
        outputs=task.outputs,
        document=document,
    )


def _try_other_ways(
    task: Task,
    ways: Sequence[tuple[Attempt, float]],
    earn: Callable[[Attempt], float | None],
    problems: list[str],
) -> tuple[tuple[str, float | None], ...]:
    if task.alternative is not None:
        reward = earn(Attempt("alternative", task.alternative))
        if reward is not None and reward != 1.0:
            problems.append(f"the second solution earns {reward}, not 1")
    tried: list[tuple[str, float | None]] = []
    for attempt, bound in ways:
        reward = earn(attempt)
        tried.append((attempt.name, reward))
        if reward is None:
            continue
        if reward > bound or (bound == 1.0 and reward >= 1.0):
            problems.append(f"{attempt.name!r} earns {reward:.3f}")
    return tuple(tried)


def sample(names: Sequence[str], count: int, seed: int) -> tuple[str, ...]:
    """Return `count` names spread over the families, fixed by the seed, sorted."""
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


def shard(names: Sequence[str], part: str) -> tuple[str, ...]:
    """Return part i of n, given as "i/n": every n-th name; raise `SpecError` for another form."""
    number, _, total = part.partition("/")
    if not (number.isdigit() and total.isdigit() and 1 <= int(number) <= int(total)):
        raise SpecError(f"{part!r} is not a part of the catalogue: write 1/4 for the first of four")
    return tuple(names[int(number) - 1 :: int(total)])


def sweep(
    names: Iterable[str],
    backend: Backend,
    *,
    image: str | None,
    depth: Depth = Depth(),
    jobs: int = 2,
) -> Iterator[Proof]:
    """Yield a proof for every task, as they end; closing the iterator cancels the others."""
    one = partial(prove_named, backend=backend, image=image, depth=depth)
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="prove")
    try:
        for done in as_completed([pool.submit(one, name) for name in names]):
            yield done.result()
    finally:
        pool.shutdown(cancel_futures=True)


def prove_named(name: str, *, backend: Backend, image: str | None, depth: Depth) -> Proof:
    """Run the proof of a task of the catalogue; one that cannot be composed is not proven."""
    spec = catalogue.spec(name)
    try:
        task = compose(spec)
    except SpecError as error:
        return unproven(name, str(error), backend=backend.name)
    return prove(task, backend, image=image, depth=depth)


def unproven(name: str, problem: str, *, backend: str) -> Proof:
    """Return the proof of a task that was not run, with the reason."""
    digest = catalogue.spec(name).digest
    return Proof(name, digest, GENERATOR, backend, (), None, (), 0.0, (problem,))

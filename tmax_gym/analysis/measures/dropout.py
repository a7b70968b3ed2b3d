"""The dropout agent plays a reference solution and leaves out commands at random.

Its rewards and pass@k, by the share of commands that it keeps, show without any model whether
harder tasks are harder and whether partial work earns partial credit.  It also shows which
commands are necessary.  Equal selections of commands are played once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from tmax_gym.axes import Complexity
from tmax_gym.reports.statistics import Run, pass_at_k
from tmax_gym.rng import Rng
from tmax_gym.tasks.compose import Task

Earn = Callable[[Sequence[str]], float | None]
"""Plays commands in a new sandbox; returns the reward, or None if nothing was graded."""
KEEPS = (0.5, 0.7, 0.9)
"""Probabilities that a command is kept."""
ATTEMPTS = 8
KS = (1, 4, 8)
BUCKETS: tuple[str, ...] = get_args(Complexity)


@dataclass(frozen=True, slots=True)
class Tried:
    """The rewards of an agent on one task."""

    task: str
    complexity: str
    agent: str
    rewards: tuple[float, ...]
    """Rewards of the graded attempts."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """The rewards of the dropout agent on one task."""

    tried: tuple[Tried, ...]
    """One for each probability that a command is kept."""
    commands: int
    necessary: tuple[int, ...]
    """Indexes of the commands without which the reward falls below 1."""
    ungraded: int


@dataclass(frozen=True, slots=True)
class Rate:
    """The mean rewards of an agent on the tasks of one complexity."""

    agent: str
    complexity: str
    tasks: int
    reward: float
    """Mean over tasks of their mean reward."""
    passed: tuple[tuple[int, float], ...]
    """(k, mean over tasks of pass@k)."""


def kept(commands: Sequence[str], keep: float, rng: Rng) -> tuple[str, ...]:
    """Return the commands that are not dropped."""
    return tuple(command for command in commands if rng.chance(keep))


def drop(
    task: Task,
    earn: Earn,
    *,
    seed: int = 0,
    keeps: Sequence[float] = KEEPS,
    attempts: int = ATTEMPTS,
) -> Dropped:
    """Play a task with dropped commands, then once without each command."""
    known: dict[tuple[str, ...], float | None] = {}

    def played(commands: tuple[str, ...]) -> float | None:
        if commands not in known:
            known[commands] = earn(commands)
        return known[commands]

    tried, ungraded = [], 0
    for keep in keeps:
        rng = Rng("dropout", task.name, seed, round(1000 * keep))
        rewards = [played(kept(task.oracle, keep, rng.fork(i))) for i in range(attempts)]
        ungraded += rewards.count(None)
        graded = tuple(r for r in rewards if r is not None)
        tried.append(Tried(task.name, task.spec.complexity, f"keeps {keep:.0%}", graded))
    without = [played((*task.oracle[:i], *task.oracle[i + 1 :])) for i in range(len(task.oracle))]
    return Dropped(
        tried=tuple(tried),
        commands=len(task.oracle),
        necessary=tuple(i for i, r in enumerate(without) if r is not None and r < 1.0),
        ungraded=ungraded + without.count(None),
    )


def rates(tried: Iterable[Tried], *, ks: Sequence[int] = KS) -> tuple[Rate, ...]:
    """Return means by agent and complexity; a task with fewer than k rewards has no pass@k."""
    cells: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for each in tried:
        if each.rewards:
            cells.setdefault((each.agent, each.complexity), []).append(each.rewards)
    result = []
    for (agent, complexity), tasks in sorted(cells.items(), key=_ranked):
        passed = []
        for k in ks:
            solved = [pass_at_k(len(r), r.count(1.0), k) for r in tasks if len(r) >= k]
            if solved:
                passed.append((k, sum(solved) / len(solved)))
        mean = sum(sum(r) / len(r) for r in tasks) / len(tasks)
        result.append(Rate(agent, complexity, len(tasks), mean, tuple(passed)))
    return tuple(result)


def _ranked(cell: tuple[tuple[str, str], object]) -> tuple[str, int]:
    (agent, complexity), _ = cell
    return agent, BUCKETS.index(complexity)


def measured(run: Run, complexities: Mapping[str, str]) -> tuple[Tried, ...]:
    """Return what the agent of a run earned on the tasks whose complexity is known."""
    return tuple(
        Tried(task, complexities[task], run.name, rewards)
        for task, rewards in sorted(run.rewards().items())
        if task in complexities
    )

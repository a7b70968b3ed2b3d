"""Let the dropout agent play tasks of every complexity in real sandboxes.

`measures/dropout.py` says what the agent plays and what is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from tmax_gym.agents.agent import ScriptedAgent
from tmax_gym.agents.rollout import rollout
from tmax_gym.analysis.measures.dropout import Dropped, drop
from tmax_gym.rng import Rng
from tmax_gym.sandboxes import Backend
from tmax_gym.tasks.compose import Task, compose
from tmax_gym.tasks.spec import TaskSpec


def play(
    specs: Iterable[TaskSpec],
    backend: Backend,
    *,
    image: str | None = None,
    seed: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[Dropped, ...]:
    """Return what the dropout agent earns on tasks, which are played one by one."""

    def earn(task: Task, commands: Sequence[str]) -> float | None:
        agent = ScriptedAgent(commands, name="dropout")
        return rollout(task, agent, backend=backend, image=image, seed=seed).reward

    results = []
    for spec in specs:
        task = compose(spec)
        progress(f"{spec.name}: {len(task.oracle)} steps")
        results.append(drop(task, partial(earn, task), seed=seed))
    return tuple(results)


def chosen(specs: Iterable[TaskSpec], each: int, *, seed: int = 0) -> tuple[TaskSpec, ...]:
    """Return `each` tasks of every complexity, from as many families as possible."""
    buckets: dict[str, list[TaskSpec]] = {}
    for spec in Rng("dropout", "tasks", seed).shuffled(sorted(specs, key=lambda s: s.name)):
        buckets.setdefault(spec.complexity, []).append(spec)
    selected: list[TaskSpec] = []
    for _, members in sorted(buckets.items()):
        times: dict[str, int] = {}
        ranked = []
        for spec in members:
            family = spec.family
            times[family] = times.get(family, 0) + 1
            ranked.append((times[family], spec))
        selected += [spec for _, spec in sorted(ranked, key=lambda r: r[0])[:each]]
    return tuple(selected)

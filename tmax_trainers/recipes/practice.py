"""The tasks of the demo: one-command tasks without an end, in parts that share no instruction.

Four families are there to learn from, and three larger tasks to look at.  A part has seeds of its
own, and an instruction belongs to one part by its digest: however many tasks are drawn, nothing
that is tested was ever practised.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Literal

from tmax_gym.errors import TaskNotFound
from tmax_gym.rng import Rng
from tmax_gym.sandboxes import Backend
from tmax_gym.tasks import planner
from tmax_gym.tasks.compose import Task, compose
from tmax_gym.texts.skins import skins

FAMILIES = ("bulk-rename", "ledger-clean", "matryoshka", "space-crisis")
"""Each has a command of its own: mv, sort, tar, rm; names have to be copied."""
SHOWN = (
    "traversal-guard",
    "regime-shift",
    "exact-monte-carlo",
    "bad-gateway",
    "cross-service-trail",
    "space-crisis",
)
"""Families to look at; the first three whose tools are installed."""

_PATIENCE = 500
"""Repeated instructions in a row after which a family counts as exhausted."""
SKINS = 12
"""Enough for 32 tests a family, and few enough that every word comes several times in lessons: the
tests are new combinations of known words (a policy of this size cannot copy unknown ones)."""
Split = Literal["lessons", "practice", "test"]
_SEEDS = {"lessons": 0, "practice": 1, "test": 3}
_SPAN = 10_000_000
"""Seeds of one part of one run; a run draws a few thousand."""
_SPANS = 4
"""Spans of one run; the third is of no part."""


def stream(part: Split, *, seed: int, families: Sequence[str] = FAMILIES) -> Iterator[Task]:
    """Yield tasks of a part, the families in turn.

    Args:
        part: Lessons and practice share instructions; tests share none with them.
        seed: Of the run: another one has other tasks.
        families: Slugs.

    Raises:
        ValueError: A family has no more instructions for `test`, which holds each once;
            `ledger-clean` has about 40 of them.
    """
    first = (seed * _SPANS + _SEEDS[part]) * _SPAN
    seen: set[str] = set()
    words = worn_skins(seed)
    repeats = [0] * len(families)
    once = part == "test"
    waiting: list[list[Task]] = [[] for _ in families]
    for number in count(first):
        place = (number - first) % len(families)
        skin = Rng("demo", "skin", number).choice(words)
        task = _made(families[place], skin=skin, seed=number)
        if _tested(task.instruction) != once:
            continue
        if once and task.instruction in seen:
            repeats[place] += 1
            if repeats[place] > _PATIENCE:
                raise ValueError(f"{families[place]} has no more instructions for {part}")
            continue
        seen.add(task.instruction)
        repeats[place] = 0
        waiting[place].append(task)
        while all(waiting):
            for queue in waiting:
                yield queue.pop(0)


def named(name: str) -> Task:
    """Return the task of a name from any part of any run.

    Raises:
        TaskNotFound: It is no such name.
    """
    slug, _, rest = name.partition(".")
    skin, _, seed = rest.rpartition("-x")
    if not (skin and seed.isdigit()):
        raise TaskNotFound(f"{name!r} is no task of the demo: they are called FAMILY.SKIN-xSEED")
    return _made(slug, skin=skin, seed=int(seed))


def worn_skins(seed: int) -> tuple[str, ...]:
    """Return the skins of a run's tasks: a policy from scratch learns no other words."""
    known = [s.slug for s in skins() if not s.held_out]
    return tuple(Rng("demo", "skins", seed).shuffled(known)[:SKINS])


def take(
    part: Split, size: int, *, seed: int, families: Sequence[str] = FAMILIES
) -> tuple[Task, ...]:
    """Return the first `size` tasks of a part."""
    return tuple(islice(stream(part, seed=seed, families=families), size))


def family(task: str) -> str:
    """Return the family of a task by its name."""
    return task.split(".", 1)[0]


def shown(backend: Backend, image: str) -> tuple[Task, ...]:
    """Return three tasks of the catalogue, of different families, that can be solved here."""
    moderate = {s.family: s for s in planner.plan(per_family=2) if s.name[-1] == "1"}
    sandbox = backend.open(image)
    chosen: list[Task] = []
    try:
        for slug in SHOWN:
            task = compose(moderate[slug])
            known = " && ".join(f"command -v {tool}" for tool in task.tools) or "true"
            if len(chosen) < 3 and sandbox.exec(["bash", "-c", known]).exit_code == 0:
                chosen.append(task)
    finally:
        sandbox.close()
    return tuple(chosen)


def _made(slug: str, *, skin: str, seed: int) -> Task:
    return compose(planner.single(slug, seed=seed, level=0.0, skin=skin))


def _tested(instruction: str) -> bool:
    """Return whether an instruction is for tests and not for lessons; half of them are."""
    return hashlib.sha256(instruction.encode()).digest()[0] % 8 < 4

"""Where a run's tasks come from: lessons, practice without an end, and held-out tasks.

Covers the stored catalogue by split, family and complexity, and the one-command tasks of the demo.
Does not cover the order of practice: see `rollout/task_order.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import cycle, islice
from typing import Protocol

import numpy as np

from tmax_gym.errors import RecipeError
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import Task
from tmax_trainers.recipes import practice as demo_tasks
from tmax_trainers.recipes.recipe import Tasks
from tmax_trainers.rollout.task_order import Shuffled, TaskStream, Unrecorded

logger = logging.getLogger(__name__)


class TaskBook(Protocol):
    """The tasks of one run."""

    practice: TaskStream
    """Names, without an end."""

    def find(self, name: str) -> Task:
        """Return a task that `practice` or `held_out` named."""
        ...

    def lessons(self, count: int) -> tuple[Task, ...]:
        """Return tasks whose reference solutions are to be learned."""
        ...

    def held_out(self) -> tuple[Task, ...]:
        """Return the tasks of every evaluation: never practised, always the same."""
        ...


class CatalogueBook:
    """Tasks of the stored catalogue."""

    def __init__(self, options: Tasks, *, seed: int) -> None:
        """Choose tasks.

        Raises:
            RecipeError: No task has these labels.
        """
        self._options = options
        self._seed = seed
        self._names = self._select(options.split)[: options.limit]
        if not self._names:
            raise RecipeError(
                f"no task of the split {options.split!r} has families {list(options.families)} "
                f"and complexity {list(options.complexity)}. See: tmax list"
            )
        self.practice: TaskStream = Shuffled(
            self._names,
            seed=seed,
            retire_solved=options.retire_solved,
            retire_hopeless=options.retire_hopeless,
        )

    def find(self, name: str) -> Task:
        """Return a task of the catalogue."""
        return catalogue.load(name)

    def lessons(self, count: int) -> tuple[Task, ...]:
        """Return practised tasks in a shuffled order, each once before any comes twice."""
        order = np.random.default_rng([self._seed, 1]).permutation(len(self._names)).tolist()
        return tuple(self.find(self._names[i]) for i in islice(cycle(order), count))

    def held_out(self) -> tuple[Task, ...]:
        """Return tasks of the held-out split, none of which is practised."""
        practised = set(self._names)
        names = [n for n in self._select(self._options.held_out_split) if n not in practised]
        order = np.random.default_rng([self._seed, 2]).permutation(len(names)).tolist()
        return tuple(self.find(names[i]) for i in order[: self._options.held_out])

    def _select(self, split: str) -> list[str]:
        families, complexity = set(self._options.families), set(self._options.complexity)
        kept, missing = catalogue.runnable(catalogue.select(split=split))
        for line in missing:
            logger.warning("left out of the split %s: %s", split, line)
        return [
            spec.name
            for spec in kept
            if (not families or spec.plan[-1].family in families)
            and (not complexity or spec.complexity in complexity)
        ]


class DemoBook:
    """The one-command tasks of the demo, made as they are asked for."""

    def __init__(self, options: Tasks, *, seed: int) -> None:
        self._options = options
        self._seed = seed
        self._families = options.families or demo_tasks.FAMILIES
        self._known: dict[str, Task] = {}
        self.practice: TaskStream = Unrecorded(self._names())

    def find(self, name: str) -> Task:
        """Return a task that was named before."""
        return self._known[name]

    def lessons(self, count: int) -> tuple[Task, ...]:
        """Return the first lessons."""
        return demo_tasks.take("lessons", count, seed=self._seed, families=self._families)

    def held_out(self) -> tuple[Task, ...]:
        """Return tests, none of whose instructions is ever practised."""
        count = self._options.held_out
        tests = demo_tasks.take("test", count, seed=self._seed, families=self._families)
        self._known |= {task.name: task for task in tests}
        return tests

    def _names(self) -> Iterator[str]:
        for task in demo_tasks.stream("practice", seed=self._seed, families=self._families):
            self._known[task.name] = task
            yield task.name


def task_book(options: Tasks, *, seed: int) -> TaskBook:
    """Return the tasks of a recipe."""
    if options.source == "demo":
        return DemoBook(options, seed=seed)
    return CatalogueBook(options, seed=seed)

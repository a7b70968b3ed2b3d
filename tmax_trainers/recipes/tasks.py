"""Where a run's tasks come from: lessons, practice without an end, and held-out tasks.

They come from the catalogue (by split, family and complexity), from any other dataset that
`tmax bench` takes, or from the demo.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from typing import Protocol

import numpy as np

from tmax_gym.bench.running.datasets import Item, Selection, open_dataset
from tmax_gym.episodes.task import Task
from tmax_gym.errors import RecipeError
from tmax_gym.sandboxes import backend as backend_named
from tmax_gym.tasks.curriculum import curriculum
from tmax_trainers.recipes import practice as demo_tasks
from tmax_trainers.recipes.recipe import Recipe, Tasks
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


class DatasetBook:
    """Tasks of any dataset that can be benchmarked: the catalogue, a directory, a source."""

    def __init__(self, options: Tasks, *, seed: int, backend: str = "") -> None:
        """Choose tasks.

        Args:
            options: Which ones.
            seed: Of the orders.
            backend: The kind of sandbox that will run them; tasks that it cannot run are left out.

        Raises:
            RecipeError: No task has these labels, or none is left to practise.
            BenchError: There is no such dataset.
            HarborError: What is there cannot be read.
        """
        self._options = options
        self._seed = seed
        self._backend = backend
        own = options.source == "catalogue"
        graded = options.order == "curriculum"
        if graded and not own:
            raise RecipeError(
                f"tasks.order is curriculum, which only the catalogue has, and tasks.source is "
                f"{options.source}; leave tasks.order out"
            )
        items = self._select(options.split)
        if graded:
            by_name = {item.name: item for item in items}
            items = tuple(by_name[name] for name in curriculum(by_name))
        # Other datasets have no splits: what is held out is drawn first.
        held_out = [] if own else self._drawn(items)
        self._practised = tuple(i for i in items if i not in held_out)[: options.limit]
        if not self._practised:
            raise RecipeError(
                f"no task of {options.source} (split {options.split}) that is not held out has "
                f"families {list(options.families)} and complexity {list(options.complexity)}. "
                f"{'See: tmax list' if own else 'Lower tasks.held_out, or give more tasks'}"
            )
        self._held_out = None if own else held_out
        self._items = {item.name: item for item in (*self._practised, *held_out)}
        self.practice: TaskStream = Shuffled(
            [item.name for item in self._practised],
            seed=seed,
            graded=graded,
            retire_solved=options.retire_solved,
            retire_hopeless=options.retire_hopeless,
        )

    def find(self, name: str) -> Task:
        """Return a task by its name."""
        if name not in self._items:  # on another machine, which was not asked for them before
            self.held_out()
        return self._items[name].load()

    def lessons(self, count: int) -> tuple[Task, ...]:
        """Return practised tasks in a shuffled order, each once before any comes twice."""
        order = np.random.default_rng([self._seed, 1]).permutation(len(self._practised)).tolist()
        return tuple(self._practised[i].load() for i in islice(cycle(order), count))

    def held_out(self) -> tuple[Task, ...]:
        """Return tasks of the held-out split, none of which is practised."""
        if self._held_out is None:
            others = self._select(self._options.held_out_split)
            self._held_out = self._drawn([i for i in others if i.name not in self._items])
            self._items |= {item.name: item for item in self._held_out}
        return tuple(item.load() for item in self._held_out)

    def _drawn(self, items: Sequence[Item]) -> list[Item]:
        """Return a random choice of these to hold out."""
        order = np.random.default_rng([self._seed, 2]).permutation(len(items)).tolist()
        return [items[i] for i in order[: self._options.held_out]]

    def _select(self, split: str) -> tuple[Item, ...]:
        source = self._options.source
        name = "tmax" if source == "catalogue" else source
        selection, machines = Selection(split=split), self._options.machines
        dataset = open_dataset(name, selection, backend=self._backend, machines=machines)
        for line in dataset.problems:
            logger.warning("left out of %s: %s", name, line)
        families, complexity = set(self._options.families), set(self._options.complexity)
        return tuple(
            item
            for item in dataset.items
            if (not families or dict(item.tags).get("family") in families)
            and (not complexity or dict(item.tags).get("difficulty") in complexity)
        )


class DemoBook:
    """The one-command tasks of the demo, made on demand."""

    def __init__(self, options: Tasks, *, seed: int) -> None:
        self._options = options
        self._seed = seed
        self._families = options.families or demo_tasks.FAMILIES
        self._known: dict[str, Task] = {}
        self.practice: TaskStream = Unrecorded(self._names())

    def find(self, name: str) -> Task:
        """Return a task, also one that was named on another machine."""
        if name not in self._known:
            self._known[name] = demo_tasks.named(name)
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


def task_book(recipe: Recipe) -> TaskBook:
    """Return the tasks of a recipe."""
    if recipe.tasks.source == "demo":
        return DemoBook(recipe.tasks, seed=recipe.seed)
    backend = backend_named(recipe.rollouts.backend).name
    return DatasetBook(recipe.tasks, seed=recipe.seed, backend=backend)

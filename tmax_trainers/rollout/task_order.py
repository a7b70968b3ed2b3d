"""The order in which tasks are practised: shuffled passes without tasks that teach nothing.

Covers endless streams that can be saved and restored, and pass rates by task.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from tmax_gym.errors import NothingToLearn

BLOCK = 64
"""Tasks of about the same difficulty that a curriculum mixes: eight steps of eight groups."""


class TaskStream(Protocol):
    """An endless stream of task names, whose state can be saved in a checkpoint."""

    def __next__(self) -> str:
        """Return the next task."""
        ...

    def __iter__(self) -> Iterator[str]:
        """Return itself."""
        ...

    def record(self, task: str, rewards: Sequence[float]) -> None:
        """Record the rewards of a complete group."""
        ...

    def state(self) -> dict[str, Any]:
        """Return the state for `restore`, as JSON values."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        ...


@dataclass(slots=True)
class PassRate:
    """The results of one task's groups."""

    groups: int = 0
    episodes: int = 0
    reward: float = 0.0
    """Sum over all episodes."""
    solved: int = 0
    """Episodes with reward 1."""
    solved_in_a_row: int = 0
    """Number of latest groups in a row that all members solved."""
    hopeless_in_a_row: int = 0
    """Number of latest groups in a row in which no member earned anything."""

    def add(self, rewards: Sequence[float]) -> None:
        """Add the rewards of a group."""
        self.groups += 1
        self.episodes += len(rewards)
        self.reward += sum(rewards)
        self.solved += sum(r >= 1.0 for r in rewards)
        self.solved_in_a_row = self.solved_in_a_row + 1 if min(rewards) >= 1.0 else 0
        self.hopeless_in_a_row = self.hopeless_in_a_row + 1 if max(rewards) <= 0.0 else 0


class Shuffled(Iterator[str]):
    """Endless passes over the tasks, each in a new order; retired tasks are skipped.

    If the tasks are `graded` from easy to hard, the first pass keeps this order but for blocks of
    `BLOCK` tasks, each of which is shuffled.

    A solved task is retired for good.  A hopeless one rests for `rest` passes, because the policy
    may learn to solve it.  The order of a pass does not depend on which tasks are retired.

    Args:
        tasks: Names of tasks.
        seed: Seed of the orders.
        graded: Whether the first pass goes from the first to the last task.
        retire_solved: Number of groups in a row that all members solve before a task is retired.
        retire_hopeless: Number of groups in a row without any reward before a task rests.
        rest: Number of passes that a hopeless task rests.
    """

    def __init__(
        self,
        tasks: Sequence[str],
        *,
        seed: int,
        graded: bool = False,
        retire_solved: int | None = None,
        retire_hopeless: int | None = None,
        rest: int = 4,
    ) -> None:
        if not tasks:
            raise ValueError("no tasks were given")
        self.rates: dict[str, PassRate] = {}
        self._tasks = tuple(tasks)
        self._seed = seed
        self._graded = graded
        self._limits = (retire_solved, retire_hopeless)
        self._rest = rest
        self._position = 0
        self._order: tuple[int, list[int]] = (-1, [])
        self._until: dict[str, int] = {}
        """The pass in which a retired task returns; -1 for never."""

    def __next__(self) -> str:
        # Two passes contain every task that is not retired, and `rest` more all that rest.
        for _ in range((self._rest + 2) * len(self._tasks)):
            pass_number, place = divmod(self._position, len(self._tasks))
            self._position += 1
            task = self._tasks[self._shuffled(pass_number)[place]]
            until = self._until.get(task, 0)
            if 0 <= until <= pass_number:
                self._until.pop(task, None)
                return task
        raise NothingToLearn(f"all {len(self._tasks)} tasks are retired: solved again and again")

    def record(self, task: str, rewards: Sequence[float]) -> None:
        """Record the rewards of a complete group; retire the task if it teaches nothing."""
        rate = self.rates.setdefault(task, PassRate())
        rate.add(rewards)
        solved, hopeless = self._limits
        if solved is not None and rate.solved_in_a_row >= solved:
            self._until[task] = -1
        elif hopeless is not None and rate.hopeless_in_a_row >= hopeless:
            self._until[task] = self._position // len(self._tasks) + 1 + self._rest
            rate.hopeless_in_a_row = 0

    @property
    def retired(self) -> tuple[str, ...]:
        """Return the tasks that are skipped at present."""
        now = self._position // len(self._tasks)
        return tuple(sorted(t for t, until in self._until.items() if until < 0 or until > now))

    def state(self) -> dict[str, Any]:
        """Return position, pass rates and retired tasks."""
        rates = {task: asdict(rate) for task, rate in self.rates.items()}
        return {"position": self._position, "until": dict(self._until), "rates": rates}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state, with the same tasks and seed."""
        self._position = int(state["position"])
        self._until = dict(state["until"])
        self.rates = {task: PassRate(**rate) for task, rate in state["rates"].items()}

    def _shuffled(self, pass_number: int) -> list[int]:
        if self._order[0] != pass_number:
            rng = np.random.default_rng([self._seed, pass_number])
            order: list[int] = rng.permutation(len(self._tasks)).tolist()
            if self._graded and pass_number == 0:
                order.sort(key=lambda place: place // BLOCK)
            self._order = (pass_number, order)
        return self._order[1]


class Unrecorded(Iterator[str]):
    """A `TaskStream` over any endless iterator, restored by drawing as many names again."""

    def __init__(self, names: Iterator[str]) -> None:
        self._names = names
        self._drawn = 0

    def __next__(self) -> str:
        name = next(self._names)
        self._drawn += 1
        return name

    def record(self, task: str, rewards: Sequence[float]) -> None:
        """Do nothing: no task is retired."""

    def state(self) -> dict[str, Any]:
        """Return the number of names drawn."""
        return {"drawn": self._drawn}

    def restore(self, state: dict[str, Any]) -> None:
        """Draw names until as many are drawn as in the saved state."""
        while self._drawn < state["drawn"]:
            next(self)

"""In which order tasks are practised: shuffled passes, and rest for those that teach nothing.

Covers an endless stream that can be saved and restored, pass rates by task, and retirement.
Does not cover how episodes are scored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tmax_gym.errors import NothingToLearn


@runtime_checkable
class TaskStream(Protocol):
    """Names of tasks without an end, which a checkpoint can hold."""

    def __next__(self) -> str:
        """Return the next task."""
        ...

    def __iter__(self) -> Iterator[str]:
        """Return itself."""
        ...

    def record(self, task: str, rewards: Sequence[float]) -> None:
        """Take in the rewards of a whole group."""
        ...

    def state(self) -> dict[str, Any]:
        """Return what `restore` needs, as JSON can hold it."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `state` was taken."""
        ...


@dataclass(slots=True)
class PassRate:
    """What the groups of one task have earned."""

    groups: int = 0
    episodes: int = 0
    reward: float = 0.0
    """Sum over the episodes."""
    solved: int = 0
    """Episodes with reward 1."""
    solved_in_a_row: int = 0
    """Last groups that all members solved."""
    hopeless_in_a_row: int = 0
    """Last groups in which nobody earned anything."""

    def add(self, rewards: Sequence[float]) -> None:
        """Take in a group."""
        self.groups += 1
        self.episodes += len(rewards)
        self.reward += sum(rewards)
        self.solved += sum(r >= 1.0 for r in rewards)
        self.solved_in_a_row = self.solved_in_a_row + 1 if min(rewards) >= 1.0 else 0
        self.hopeless_in_a_row = self.hopeless_in_a_row + 1 if max(rewards) <= 0.0 else 0


class Shuffled(Iterator[str]):
    """The tasks for ever, each pass in a new order; retired ones are passed over.

    A solved task is retired for good, a hopeless one rests for `rest` passes: the policy may
    have learned what it takes.  The order of a pass does not depend on who is retired.
    """

    def __init__(
        self,
        tasks: Sequence[str],
        *,
        seed: int,
        retire_solved: int | None = None,
        retire_hopeless: int | None = None,
        rest: int = 4,
    ) -> None:
        """Choose tasks.

        Args:
            tasks: Names.
            seed: Of the orders.
            retire_solved: Groups in a row that everybody solves before a task is retired.
            retire_hopeless: Groups in a row in which nobody earns anything before a task rests.
            rest: Passes that a hopeless task rests.
        """
        if not tasks:
            raise ValueError("no tasks were given")
        self.rates: dict[str, PassRate] = {}
        self._tasks = tuple(tasks)
        self._seed = seed
        self._limits = (retire_solved, retire_hopeless)
        self._rest = rest
        self._position = 0
        self._order: tuple[int, list[int]] = (-1, [])
        self._until: dict[str, int] = {}
        """Retired tasks, and the pass in which they come back; -1 for never."""

    def __next__(self) -> str:
        # Two passes hold every task that is not retired, and `rest` more all that rest.
        for _ in range((self._rest + 2) * len(self._tasks)):
            turn, place = divmod(self._position, len(self._tasks))
            self._position += 1
            task = self._tasks[self._shuffled(turn)[place]]
            until = self._until.get(task, 0)
            if 0 <= until <= turn:
                self._until.pop(task, None)
                return task
        raise NothingToLearn(f"all {len(self._tasks)} tasks are retired: solved again and again")

    def record(self, task: str, rewards: Sequence[float]) -> None:
        """Take in the rewards of a whole group; retire the task if it teaches nothing."""
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
        """Return the tasks that are not drawn now."""
        turn = self._position // len(self._tasks)
        return tuple(sorted(t for t, until in self._until.items() if until < 0 or until > turn))

    def state(self) -> dict[str, Any]:
        """Return position, pass rates and who is retired."""
        rates = {task: asdict(rate) for task, rate in self.rates.items()}
        return {"position": self._position, "until": dict(self._until), "rates": rates}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `state` was taken, with the same tasks and seed."""
        self._position = int(state["position"])
        self._until = dict(state["until"])
        self.rates = {task: PassRate(**rate) for task, rate in state["rates"].items()}

    def _shuffled(self, turn: int) -> list[int]:
        if self._order[0] != turn:
            rng = np.random.default_rng([self._seed, turn])
            self._order = (turn, rng.permutation(len(self._tasks)).tolist())
        return self._order[1]


class Unrecorded(Iterator[str]):
    """Any endless iterator of names as a `TaskStream`; restored by drawing as often again."""

    def __init__(self, names: Iterator[str]) -> None:
        self._names = names
        self._drawn = 0

    def __next__(self) -> str:
        name = next(self._names)
        self._drawn += 1
        return name

    def record(self, task: str, rewards: Sequence[float]) -> None:
        """Do nothing: nobody is retired."""

    def state(self) -> dict[str, Any]:
        """Return how many names were drawn."""
        return {"drawn": self._drawn}

    def restore(self, state: dict[str, Any]) -> None:
        """Draw as many names as were drawn before."""
        while self._drawn < state["drawn"]:
            next(self)


def shuffled(tasks: Sequence[str], *, seed: int) -> Shuffled:
    """Return the tasks for ever, each pass in a new order."""
    return Shuffled(tasks, seed=seed)

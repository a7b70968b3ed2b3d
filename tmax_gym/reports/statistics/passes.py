"""Solving tasks: pass@k, pass^k, solve rates, and tasks that are solved now and then.

A trial solves its task if its reward reaches a threshold, so graded rewards are welcome.
Covers graded trials only; a task with fewer than k of them is left out of pass@k and counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from tmax_gym.reports.statistics.intervals import Interval, mean_interval, wilson
from tmax_gym.reports.statistics.means import average, task_means, variance
from tmax_gym.reports.statistics.trials import Rewards

SOLVED = 1.0
"""The least reward that solves a task, unless somebody says otherwise."""


@dataclass(frozen=True, slots=True)
class Passing:
    """The chance of k trials to solve a task, over tasks."""

    k: int
    every: bool
    """Whether all k must solve it (pass^k) or any of them (pass@k)."""
    rate: Interval
    """Bootstrap, 95 %, over tasks."""
    left_out: int
    """Tasks with fewer than k graded trials."""


@dataclass(frozen=True, slots=True)
class Flaky:
    """A task that some trials solved and others did not."""

    task: str
    trials: int
    solved: int
    mean: float
    """Mean reward."""


def pass_at_k(trials: int, solved: int, k: int) -> float:
    """Return the unbiased estimate that one of `k` trials solves the task.

    1 - C(n - c, k) / C(n, k): Chen and others, 2021.

    >>> pass_at_k(4, 1, 1), pass_at_k(4, 1, 4), pass_at_k(4, 0, 2)
    (0.25, 1.0, 0.0)
    """
    _defined(trials, solved, k)
    return 1.0 - comb(trials - solved, k) / comb(trials, k)


def pass_hat_k(trials: int, solved: int, k: int) -> float:
    """Return the unbiased estimate that all of `k` trials solve the task.

    C(c, k) / C(n, k): Yao and others, 2024, who write pass^k.

    >>> pass_hat_k(4, 3, 1), pass_hat_k(4, 3, 2), pass_hat_k(4, 3, 4)
    (0.75, 0.5, 0.0)
    """
    _defined(trials, solved, k)
    return comb(solved, k) / comb(trials, k)


def _defined(trials: int, solved: int, k: int) -> None:
    if not 0 <= solved <= trials or not 1 <= k <= trials:
        raise ValueError(f"pass@{k} of {solved} solved in {trials} episodes is not defined")


def successes(rewards: Rewards, *, threshold: float = SOLVED) -> dict[str, tuple[float, ...]]:
    """Return 1 for every reward that reaches the threshold and 0 for every other.

    >>> successes({"a": (0.5, 0.4)}, threshold=0.5)
    {'a': (1.0, 0.0)}
    """
    return {
        task: tuple(float(reward >= threshold) for reward in got)
        for task, got in sorted(rewards.items())
    }


def passing(
    rewards: Rewards, k: int, *, every: bool = False, threshold: float = SOLVED, seed: int = 0
) -> Passing | None:
    """Return pass@k over tasks (pass^k if `every`); None if no task has k graded trials.

    It grows with k (pass^k shrinks) as long as no task is left out.
    """
    chance = pass_hat_k if every else pass_at_k
    won = successes(rewards, threshold=threshold)
    rates = [chance(len(got), int(sum(got)), k) for got in won.values() if len(got) >= k]
    if not rates:
        return None
    return Passing(k, every, mean_interval(rates, seed=seed), len(won) - len(rates))


def solve_rate(rewards: Rewards, *, threshold: float = SOLVED) -> Interval:
    """Return the share of trials that solve their task, every task weighing the same.

    Wilson's interval for the number of independent trials that would have the same
    task-clustered error (Korn and Graubard, 1998).  If nothing or everything was solved there is
    no error to go by: then every task counts as one trial.

    Raises:
        ValueError: Nothing was graded.
    """
    won = successes(rewards, threshold=threshold)
    rates = tuple(task_means(won).values())
    rate = average(rates)
    trials = sum(len(got) for got in won.values())
    effective = float(len(rates))
    if len(rates) > 1 and (squared := variance(rates) / len(rates)) > 0.0:
        effective = min(rate * (1 - rate) / squared, trials)
    low, high = wilson(rate, effective)
    return Interval(rate, low, high, trials)


def flaky(rewards: Rewards, *, threshold: float = SOLVED) -> tuple[Flaky, ...]:
    """Return the tasks that were solved now and then: those nearest to one half first.

    >>> [f.task for f in flaky({"a": (1, 1), "b": (1, 0, 0), "c": (1, 0)})]
    ['c', 'b']
    """
    won = successes(rewards, threshold=threshold)
    found = [
        Flaky(task, len(got), int(sum(got)), average(rewards[task]))
        for task, got in won.items()
        if 0 < sum(got) < len(got)
    ]
    return tuple(sorted(found, key=lambda f: (abs(f.solved / f.trials - 0.5), f.task)))

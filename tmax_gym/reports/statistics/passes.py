"""Compute pass@k, pass^k, solve rates, and the tasks that only some trials solve.

A trial solves its task if its reward reaches a threshold.
Covers graded trials only; a task with fewer than k of them is left out of pass@k and counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from tmax_gym.reports.statistics.intervals import Interval, mean_interval, wilson
from tmax_gym.reports.statistics.means import average, task_means, variance
from tmax_gym.reports.statistics.trials import Rewards

SOLVED = 1.0
"""The default threshold."""


@dataclass(frozen=True, slots=True)
class Passing:
    """The probability that k trials solve a task, as a mean over tasks."""

    k: int
    every: bool
    """Whether all k must solve it (pass^k) or any of them (pass@k)."""
    rate: Interval
    """Bootstrap 95 % interval over tasks."""
    left_out: int
    """Number of tasks with fewer than k graded trials."""


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

    1 - C(n - c, k) / C(n, k): Chen et al., 2021.

    >>> pass_at_k(4, 1, 1), pass_at_k(4, 1, 4), pass_at_k(4, 0, 2)
    (0.25, 1.0, 0.0)
    """
    _defined(trials, solved, k)
    return 1.0 - comb(trials - solved, k) / comb(trials, k)


def pass_hat_k(trials: int, solved: int, k: int) -> float:
    """Return the unbiased estimate that all of `k` trials solve the task.

    C(c, k) / C(n, k), written pass^k: Yao et al., 2024.

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
        task: tuple(float(reward >= threshold) for reward in own)
        for task, own in sorted(rewards.items())
    }


def passing(
    rewards: Rewards, k: int, *, every: bool = False, threshold: float = SOLVED, seed: int = 0
) -> Passing | None:
    """Return pass@k over tasks (pass^k if `every`); None if no task has k graded trials.

    It grows with k (pass^k shrinks) as long as no task is left out.
    """
    chance = pass_hat_k if every else pass_at_k
    solved = successes(rewards, threshold=threshold)
    rates = [chance(len(own), int(sum(own)), k) for own in solved.values() if len(own) >= k]
    if not rates:
        return None
    return Passing(k, every, mean_interval(rates, seed=seed), len(solved) - len(rates))


def solve_rate(rewards: Rewards, *, threshold: float = SOLVED) -> Interval:
    """Return the share of trials that solve their task, with equal weights for tasks.

    The interval is Wilson's for the number of independent trials that would have the same
    task-clustered error (Korn and Graubard, 1998).  If nothing or everything was solved, that
    error is 0, and every task counts as one trial.

    Raises:
        ValueError: Nothing was graded.
    """
    solved = successes(rewards, threshold=threshold)
    rates = tuple(task_means(solved).values())
    rate = average(rates)
    trials = sum(map(len, solved.values()))
    effective = float(len(rates))
    if len(rates) > 1 and (squared := variance(rates) / len(rates)) > 0.0:
        effective = min(rate * (1 - rate) / squared, trials)
    low, high = wilson(rate, effective)
    return Interval(rate, low, high, trials)


def flaky(rewards: Rewards, *, threshold: float = SOLVED) -> tuple[Flaky, ...]:
    """Return the tasks that only some trials solved; those nearest to one half come first.

    >>> [f.task for f in flaky({"a": (1, 1), "b": (1, 0, 0), "c": (1, 0)})]
    ['c', 'b']
    """
    solved = successes(rewards, threshold=threshold)
    some = [
        Flaky(task, len(own), int(sum(own)), average(rewards[task]))
        for task, own in solved.items()
        if 0 < sum(own) < len(own)
    ]
    return tuple(sorted(some, key=lambda f: (abs(f.solved / f.trials - 0.5), f.task)))

"""Metrics of the episodes and groups since the last batch, including dropped groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import stdev

from tmax_gym.errors import NothingToLearn, TrainingError
from tmax_gym.trajectory import Trajectory
from tmax_trainers.rollout.records import Metrics, ScoredGroup


@dataclass(slots=True)
class Tally:
    """Counts since the last batch was handed out."""

    counts: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    rewards: list[float] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    """Number of sampled tokens of each graded episode."""
    steps: int = 0
    last_loss: str = ""
    """Ending and error of the last episode that infrastructure lost."""

    def add(self, trajectory: Trajectory) -> None:
        """Count an episode that has ended; without a reward, infrastructure has lost it."""
        self.endings[trajectory.ending.value] += 1
        if trajectory.reward is None:
            self.counts["lost"] += 1
            self.last_loss = f"{trajectory.ending.value}: {trajectory.message}"
            return
        self.rewards.append(trajectory.reward)
        self.lengths.append(sum(trajectory.tokens.mask) if trajectory.tokens else 0)
        self.steps += len(trajectory.steps)

    def metrics(self, ready: Sequence[ScoredGroup]) -> Metrics:
        """Return the metrics of a batch; a pair is a sum and a count."""
        counts, rewards = self.counts, self.rewards
        settled, episodes = counts["settled"], sum(self.endings.values())
        trained = [r for g in ready for r in g.group.rewards]
        advantages = [abs(a) for g in ready for a in g.advantages]
        metrics: Metrics = {
            "groups/settled_total": float(settled),
            "groups/all_equal_total": float(counts["all_equal"]),
            "groups/all_solved_total": float(counts["all_solved"]),
            "groups/given_up_total": float(counts["given_up"]),
            "groups/filtered": (counts["all_equal"] + counts["all_solved"], settled),
            "episodes/lost": (counts["lost"], episodes),
            "episodes/steps": (self.steps, len(rewards)),
            "episodes/tokens": (sum(self.lengths), len(self.lengths)),
            "episodes/tokens_max": float(max(self.lengths, default=0)),
            "reward/solved": (sum(r >= 1.0 for r in rewards), len(rewards)),
            "reward/mean": (sum(rewards), len(rewards)),
            "reward/standard_error": (
                stdev(rewards) / sqrt(len(rewards)) if len(rewards) > 1 else 0.0
            ),
            "reward/trained_mean": (sum(trained), len(trained)),
            "reward/advantage_size": (sum(advantages), len(advantages)),
        }
        for ending, count in sorted(self.endings.items()):
            metrics[f"ending/{ending}"] = (count, episodes)
        return metrics


def without_signal(barren: Counter[str], last_loss: str) -> TrainingError:
    """Return the error for too many groups in a row from which nothing can be learned."""
    count = barren.total()
    if barren["all_solved"] == count:
        return NothingToLearn(f"the last {count} groups were solved by all their members")
    return TrainingError(
        f"the last {count} groups had no signal ({dict(sorted(barren.items()))}; "
        f"last loss: {last_loss or 'none'}); "
        "choose tasks that the policy solves sometimes, or warm it up first"
    )

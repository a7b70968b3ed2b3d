"""A recipe small enough for a test: a policy that guesses, and one of its guesses pays."""

from __future__ import annotations

from itertools import cycle, islice

from tests.support.tiny_tasks import equals, tiny_task
from tmax_gym.tasks.compose import Task
from tmax_trainers.recipes import files
from tmax_trainers.recipes.recipe import Recipe
from tmax_trainers.rollout.task_order import Shuffled

ANSWERS = ("yes", "no")


def coin(answer: str) -> Task:
    """Return the task to write this answer; its instruction does not tell which."""
    return tiny_task(
        f"coin.{answer}",
        "Write yes or no.",
        oracle=[f"echo {answer} > x"],
        checks=[equals("/app/x", answer)],
    )


class CoinBook:
    """Lessons guess both ways; only one of them is rewarded."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        self.practice = Shuffled(["coin.yes"], seed=0)

    def find(self, name: str) -> Task:
        """Return a task by its name."""
        return coin(name.removeprefix("coin."))

    def lessons(self, count: int) -> tuple[Task, ...]:
        """Return both kinds in turn."""
        return tuple(coin(a) for a in islice(cycle(ANSWERS), count))

    def held_out(self) -> tuple[Task, ...]:
        """Return eight episodes of the rewarded kind."""
        return tuple(coin("yes") for _ in range(8))


def coin_recipe(*overrides: str) -> Recipe:
    """Return the tiny CPU recipe with sizes for a test."""
    sizes = (
        "model.layers=1", "model.width=32", "model.heads=2",
        "warm_start.lessons=16", "warm_start.steps=60", "warm_start.tokens_per_batch=400",
        "warm_start.learning_rate=2e-2", "warm_start.accuracy=0.9",
        "rollouts.groups_per_step=2", "rollouts.group_size=8", "rollouts.concurrent=8",
        "rollouts.prompt_tokens=100", "rollouts.turn_tokens=16", "rollouts.response_tokens=40",
        "optimization.micro_batches=2", "optimization.steps=4", "optimization.gain_factor=1",
        "optimization.learning_rate=1e-3",
        "saving.checkpoint_every=2", "saving.evaluate_every=2",
    )  # fmt: skip
    return files.read("cpu_tiny", [*sizes, *overrides])

"""What plays a recipe's episodes: tasks, harness, sandboxes, groups and held-out tasks.

They run in the trainer's process, or in one of their own (`apart`), which reaches the policy's
servers by itself and imports no torch.  `run.py` hands weights to the engine.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from tmax_gym.agents.token_agent import TokenAgent
from tmax_gym.errors import TrainingError
from tmax_gym.sandboxes import backend as backend_named
from tmax_gym.trajectory import Trajectory
from tmax_trainers.engines import Engine
from tmax_trainers.recipes.options import group_config, harness_of, play_limits
from tmax_trainers.recipes.policy import load_tokenizer
from tmax_trainers.recipes.recipe import Recipe
from tmax_trainers.recipes.tasks import TaskBook, task_book
from tmax_trainers.rollout.groups import GroupSource
from tmax_trainers.rollout.play import EpisodePlayer
from tmax_trainers.rollout.process.rollouts import ProcessRollouts
from tmax_trainers.rollout.records import Batch, Episode
from tmax_trainers.rollout.streams.token_policy import EngineTokenPolicy, Tokenizer

EVALUATION = 1_000_003
"""Distance of the seeds of an evaluation from those of the run."""


class Playing(GroupSource):
    """A `Rollouts` in this process.

    Args:
        recipe: The run.
        book: Its tasks.
        tokenizer: Of the policy.
        engine: Samples from the policy.
    """

    def __init__(
        self, recipe: Recipe, book: TaskBook, *, tokenizer: Tokenizer, engine: Engine
    ) -> None:
        options = recipe.rollouts
        self._recipe, self._book = recipe, book
        self._tokenizer, self._engine = tokenizer, engine
        self._harness = harness_of(recipe.harness)
        self._player = EpisodePlayer(
            book.find,
            self._agent,
            play_limits(options),
            backend=backend_named(options.backend),
            image=options.image,
        )
        super().__init__(self._player, book.practice, group_config(options, seed=recipe.seed))

    def next_batch(self, timeout: float | None = None) -> Batch | None:
        """Return the next batch; its metrics hold how long every part took."""
        batch = super().next_batch(timeout)
        if batch is None:
            return None
        retired = getattr(self._book.practice, "retired", ())
        more = self._player.gates.metrics() | {"tasks/retired": float(len(retired))}
        return replace(batch, metrics=batch.metrics | more)

    def evaluate(self, step: int) -> tuple[Trajectory, ...]:
        """Let the present weights play the held-out tasks, always with the same seeds."""
        tasks = self._book.held_out()

        def one(place: int) -> Trajectory:
            seed = self._recipe.seed * EVALUATION + place
            asked = Episode(tasks[place].name, -1 - step, place, 0, seed, self._engine.version)
            return replace(self._player(asked), tokens=None)

        with ThreadPoolExecutor(self._recipe.rollouts.concurrent) as pool:
            graded = [e for e in pool.map(one, range(len(tasks))) if e.reward is not None]
        if not graded:
            raise TrainingError(f"none of the {len(tasks)} held-out episodes was graded")
        return tuple(graded)

    def inside(self) -> dict[str, float]:
        """Return how many episodes are in which part at this moment."""
        return {str(part): float(n) for part, n in self._player.gates.inside().items()}

    def stamp(self, version: int) -> None:
        """Do nothing: who hands weights to this engine tells it their version."""

    def close(self) -> None:
        """End the turns in flight."""
        self._engine.close()

    def _agent(self, episode: Episode) -> TokenAgent:
        options = self._recipe.rollouts
        policy = EngineTokenPolicy(
            self._engine,
            self._tokenizer,
            stop=self._harness.stop,
            temperature=options.temperature,
            episode=episode.name,
        )
        return TokenAgent(
            policy,
            self._harness,
            max_tokens=options.prompt_tokens + options.response_tokens,
            max_turn_tokens=options.turn_tokens,
            name="policy",
        )


class Hosted(Playing):
    """A `Rollouts` in a process of its own: the trainer replaces the weights of its servers."""

    def __init__(self, recipe: Recipe, out: Path) -> None:
        from tmax_trainers.engines.vllm.fleet import Fleet

        self._fleet = Fleet(recipe.sampling.servers)
        # The trainer has written the words of a policy from scratch below `out`.
        tokenizer = load_tokenizer(recipe.model, out, ())
        book = task_book(recipe)
        super().__init__(recipe, book, tokenizer=tokenizer, engine=self._fleet)

    def stamp(self, version: int) -> None:
        """Take note of the weights that the servers draw from now."""
        self._fleet.stamp(version)


def apart(recipe: Recipe, out: Path) -> ProcessRollouts:
    """Return the rollouts of a recipe in a process of their own."""
    return ProcessRollouts(
        partial(Hosted, recipe, out), group_config(recipe.rollouts, seed=recipe.seed)
    )

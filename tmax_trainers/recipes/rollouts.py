"""What plays a recipe's episodes: tasks, harness, sandboxes, groups and held-out tasks.

They run in the trainer's process, or in one of their own (`apart`), which reaches the policy's
servers by itself and imports no torch.  `run.py` hands weights to the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from tmax_gym.agents.agent import Agent
from tmax_gym.agents.harnesses.window import Budget, Window
from tmax_gym.agents.token_agent import TokenAgent
from tmax_gym.errors import TrainingError
from tmax_gym.fleet.clusters import open_cluster
from tmax_gym.sandboxes import backend as backend_named
from tmax_gym.trajectory import Trajectory
from tmax_trainers.capture.agent import captured
from tmax_trainers.capture.dialects import Dialect
from tmax_trainers.capture.server import CaptureServer, Sizes
from tmax_trainers.engines import Engine
from tmax_trainers.recipes.options import group_config, harness_of, play_limits
from tmax_trainers.recipes.policy import load_tokenizer
from tmax_trainers.recipes.recipe import Recipe
from tmax_trainers.recipes.tasks import TaskBook, task_book
from tmax_trainers.rollout.fleet.player import FleetPlayer
from tmax_trainers.rollout.groups import GroupSource
from tmax_trainers.rollout.play import EpisodePlayer
from tmax_trainers.rollout.process.rollouts import ProcessRollouts
from tmax_trainers.rollout.records import Batch, Episode, Metrics
from tmax_trainers.rollout.streams.token_policy import EngineTokenPolicy, Tokenizer

EVALUATION = 1_000_003
"""Distance of the seeds of an evaluation from those of the run."""
_LEAST = Window().least
"""Tokens of a reply below which a harness ends the episode, where replies may be longer."""


class Agents(Protocol):
    """Makes the agents of episodes."""

    def __call__(self, episode: Episode) -> Agent:
        """Return the agent of an episode."""
        ...

    def close(self) -> None:
        """Answer no more agents."""
        ...


class TokenAgents:
    """Policies in a harness whose conversation has one exact text."""

    def __init__(self, recipe: Recipe, tokenizer: Tokenizer, engine: Engine) -> None:
        self._recipe, self._tokenizer, self._engine = recipe, tokenizer, engine
        self._harness = harness_of(recipe.harness)

    def __call__(self, episode: Episode) -> TokenAgent:
        """Return the agent of an episode."""
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

    def close(self) -> None:
        """Do nothing: these agents ask the engine itself."""


class CapturedAgents:
    """Agents of any harness; the endpoint records what their policy reads and writes.

    Raises `HarnessError` where the package of the harness is not installed.
    """

    def __init__(self, recipe: Recipe, tokenizer: Tokenizer, engine: Engine) -> None:
        own, rollouts = recipe.harness, recipe.rollouts
        length = rollouts.prompt_tokens + rollouts.response_tokens
        reply = rollouts.turn_tokens
        window = Window(tokens=length, reply=reply, least=min(_LEAST, reply))
        self._budget = Budget(window, steps=rollouts.max_steps)
        self._name, self._rollouts = own.name, rollouts
        self._server = CaptureServer(
            engine,
            tokenizer,
            Dialect("hermes" if own.dialect == "hermes" else "qwen3", thinking=own.thinking),
            sizes=Sizes(length, reply, rollouts.temperature),
        )
        self(Episode("", 0, 0, 0, 0, 0))

    def __call__(self, episode: Episode) -> Agent:
        """Return the agent of an episode."""
        return captured(
            self._server,
            self._name,
            budget=self._budget,
            episode=episode.name,
            options={"command_seconds": self._rollouts.command_seconds},
            seconds=self._rollouts.wall_seconds,
        )

    def close(self) -> None:
        """Answer no more agents."""
        self._server.close()


def agents_of(recipe: Recipe, tokenizer: Tokenizer, engine: Engine) -> Agents:
    """Return who plays the episodes of a recipe.

    Args:
        recipe: The run.
        tokenizer: Of the policy.
        engine: Samples from the policy.

    Raises:
        HarnessError: The package of the harness is not installed.
    """
    kind = CapturedAgents if recipe.harness.captured else TokenAgents
    return kind(recipe, tokenizer, engine)


class NodePlayer:
    """Plays the episodes of a recipe on this machine: the trainer's own, or a node of its fleet.

    Args:
        recipe: The run.
        book_of: Returns its tasks.
        tokenizer: Of the policy.
        engine: Samples from the policy.
    """

    def __init__(
        self,
        recipe: Recipe,
        book_of: Callable[[Recipe], TaskBook],
        tokenizer: Tokenizer,
        engine: Engine,
    ) -> None:
        options = recipe.rollouts
        self._agents = agents_of(recipe, tokenizer, engine)
        self._find = book_of(recipe).find
        self._player = EpisodePlayer(
            self._find,
            self._agents,
            play_limits(options),
            backend=backend_named(options.backend),
            image=options.image,
        )

    def __call__(self, episode: Episode) -> Trajectory:
        """Play one episode; raises as `EpisodePlayer` does."""
        return self._player(episode)

    def warm(self, tasks: Sequence[str]) -> None:
        """Make these tasks, whose files then are there for their episodes."""
        for name in tasks:
            self._find(name)

    def metrics(self) -> Metrics:
        """Return how long every part took, for the log of a step."""
        return self._player.gates.metrics()

    def inside(self) -> dict[str, float]:
        """Return how many episodes are in which part at this moment."""
        return {str(part): float(n) for part, n in self._player.gates.inside().items()}

    def close(self) -> None:
        """Answer no more agents."""
        self._agents.close()


class Playing(GroupSource):
    """A `Rollouts` in this process.

    Args:
        recipe: The run.
        book: Its tasks.
        tokenizer: Of the policy.
        engine: Samples from the policy.
        book_of: Returns the tasks on the nodes of a fleet, which import it by name.
    """

    def __init__(
        self,
        recipe: Recipe,
        book: TaskBook,
        *,
        tokenizer: Tokenizer,
        engine: Engine,
        book_of: Callable[[Recipe], TaskBook] = task_book,
    ) -> None:
        options = recipe.rollouts
        self._recipe, self._book, self._engine = recipe, book, engine
        self._player: NodePlayer | FleetPlayer
        if options.fleet:
            setup = partial(NodePlayer, recipe, book_of, tokenizer)
            cluster = open_cluster(options.fleet, room=options.fleet_room, host=options.fleet_host)
            wall = options.wall_seconds
            self._player = FleetPlayer(cluster, setup, engine, wall_seconds=wall)
        else:
            self._player = NodePlayer(recipe, lambda recipe: book, tokenizer, engine)
        super().__init__(self._player, book.practice, group_config(options, seed=recipe.seed))

    def next_batch(self, timeout: float | None = None) -> Batch | None:
        """Return the next batch; its metrics hold how long every part took."""
        batch = super().next_batch(timeout)
        if batch is None:
            return None
        retired = getattr(self._book.practice, "retired", ())
        more = self._player.metrics() | {"tasks/retired": float(len(retired))}
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
        return self._player.inside()

    def stamp(self, version: int) -> None:
        """Do nothing: who hands weights to this engine tells it their version."""

    def close(self) -> None:
        """End the turns in flight, and answer no more agents."""
        self._engine.close()
        self._player.close()


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

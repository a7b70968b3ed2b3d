"""`TerminalRollouts`: play terminal tasks for TRL's `GRPOTrainer` and for `DPPOTrainer`.

Covers TRL 1.16's `rollout_func`, a reward function, a dataset, and the worker and weight transfer
of `DPPOTrainer`.  Episodes that fail because of infrastructure are repeated, then get no reward:
TRL leaves a reward of None out of the group's mean and gives it no advantage.
Does not cover TRL's vLLM: an engine in this process samples, and gets new weights each step.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

from tmax_gym.agents.harness import TokenHarness
from tmax_gym.agents.rollout import fault, retrying
from tmax_gym.agents.token_agent import TokenAgent
from tmax_gym.errors import TrainingError
from tmax_gym.sandboxes import backend as backend_named
from tmax_gym.tasks import catalogue
from tmax_gym.trajectory import Trajectory
from tmax_trainers.dppo.options import DPPOConfig
from tmax_trainers.dppo.weights import fresh_copy, policy_weights
from tmax_trainers.engines.transformers import TransformersEngine
from tmax_trainers.recipes.policy import PublishedTokenizer
from tmax_trainers.rollout.groups import GroupSource
from tmax_trainers.rollout.play import EpisodePlayer, PlayLimits
from tmax_trainers.rollout.records import Episode, GroupConfig
from tmax_trainers.rollout.streams.token_policy import EngineTokenPolicy
from tmax_trainers.rollout.task_order import Shuffled
from tmax_trainers.rollout.worker import EngineWeightTransfer, GroupRolloutWorker


class TerminalRollouts:
    """Plays tasks with the policy that is trained.

    Args:
        tasks: Names in the catalogue, with or without `tmax/`.
        tokenizer: A tokenizer of transformers.
        harness: The harness between policy and terminal.
        max_tokens: Longest token stream of an episode.
        max_turn_tokens: Longest reply.
        limits: Limits of episodes, such as `limits.episode.max_steps` commands.
        backend: Where sandboxes run.
        image: Root file system; the default one if None.
        concurrent: Number of episodes at the same time.
        attempts: Tries for an episode that infrastructure fails.
        seed: Seed of sampling.
    """

    def __init__(
        self,
        tasks: Sequence[str],
        tokenizer: Any,
        *,
        harness: TokenHarness,
        max_tokens: int,
        max_turn_tokens: int,
        limits: PlayLimits | None = None,
        backend: str = "auto",
        image: str | None = None,
        concurrent: int = 32,
        attempts: int = 3,
        seed: int = 0,
    ) -> None:
        self.tasks = [f"tmax/{name.removeprefix('tmax/')}" for name in tasks]
        self._tokenizer = PublishedTokenizer(tokenizer)
        self._harness = harness
        self._tokens = (max_tokens, max_turn_tokens)
        self._concurrent, self._attempts, self._seed = concurrent, attempts, seed
        self._calls = 0
        self._engine: TransformersEngine | None = None
        self._player = EpisodePlayer(
            catalogue.load,
            self._agent,
            limits or PlayLimits(),
            backend=backend_named(backend),
            image=image,
        )

    def dataset(self) -> Any:
        """Return the tasks as a dataset whose prompts are their names."""
        from datasets import Dataset

        return Dataset.from_dict({"prompt": self.tasks})

    def __call__(self, prompts: Sequence[str], trainer: Any) -> dict[str, Any]:
        """Play an episode for every prompt with the trainer's present weights: a `rollout_func`."""
        self._load(trainer.accelerator.unwrap_model(trainer.model))
        self._calls += 1
        with ThreadPoolExecutor(self._concurrent) as pool:
            episodes = list(pool.map(self._play, prompts, range(len(prompts))))
        if all(episode.reward is None for episode in episodes):
            last = episodes[-1]
            raise TrainingError(
                f"all {len(episodes)} episodes were lost, {self._attempts} tries each; the last "
                f"one of {last.task}: {last.ending.value}: {last.message}\nSee: tmax doctor"
            )
        parts = [_cut(episode) for episode in episodes]
        columns = ("prompt_ids", "completion_ids", "logprobs", "env_mask")
        values = {name: [p[i] for p in parts] for i, name in enumerate(columns)}
        return {**values, "terminal_reward": [episode.reward for episode in episodes]}

    def reward(self, *, terminal_reward: Sequence[float | None], **_: Any) -> list[float | None]:
        """Return the verdicts: a reward function for `GRPOTrainer`."""
        return list(terminal_reward)

    def worker(
        self, model: torch.nn.Module, args: DPPOConfig, *, max_staleness: int = 0
    ) -> tuple[GroupRolloutWorker, EngineWeightTransfer]:
        """Return the `rollout_worker` and the `weight_transfer` for `DPPOTrainer`."""
        groups = GroupConfig(
            groups_per_step=args.groups_per_step,
            group_size=args.group_size,
            max_staleness=max_staleness,
            workers=self._concurrent,
            attempts=self._attempts,
            seed=self._seed,
        )
        source = GroupSource(self._player, Shuffled(self.tasks, seed=self._seed), groups)
        return GroupRolloutWorker(source), EngineWeightTransfer(self._load(model))

    def close(self) -> None:
        """Close the engine."""
        if self._engine is not None:
            self._engine.close()

    def __enter__(self) -> TerminalRollouts:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _load(self, model: torch.nn.Module) -> TransformersEngine:
        """Load these weights into the engine."""
        if self._engine is None:
            self._engine = TransformersEngine(fresh_copy(model), slots=self._concurrent)
        else:
            self._engine.update(policy_weights(model), self._engine.version + 1)
        return self._engine

    def _play(self, prompt: str, place: int) -> Trajectory:
        attempts = Episode(prompt, self._calls, place, 0, 0, 0).attempts(self._seed)
        return retrying(
            lambda: self._player(next(attempts)), retries=self._attempts - 1, fault=fault
        )[0]

    def _agent(self, episode: Episode) -> TokenAgent:
        if self._engine is None:
            raise RuntimeError("no engine yet: call the object, or `worker`, first")
        policy = EngineTokenPolicy(
            self._engine, self._tokenizer, stop=self._harness.stop, episode=episode.name
        )
        return TokenAgent(
            policy,
            self._harness,
            max_tokens=self._tokens[0],
            max_turn_tokens=self._tokens[1],
            name="policy",
        )


def _cut(played: Trajectory) -> tuple[list[int], list[int], list[float], list[int]]:
    """Return prompt, rest, log-probabilities and mask; failed episodes have nothing to train."""
    stream = played.tokens
    if stream is None or True not in stream.mask:
        return [0], [0], [0.0], [0]
    start = stream.mask.index(True)
    mask = [int(own and played.reward is not None) for own in stream.mask[start:]]
    return list(stream.ids[:start]), list(stream.ids[start:]), list(stream.logprobs[start:]), mask

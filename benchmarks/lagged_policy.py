"""A policy of two layers that learns from rollouts of exactly so many versions ago.

There is no sandbox and no thread: a task is a word for an operation and six symbols, the reply is
six symbols, the reward the share of right ones.  Sampling, batches, loss and optimizer steps go
through `DPPOTrainer`, with a worker that samples from an old copy of the weights.  So a run is the
same bit for bit, and staleness is a number, not a range.
"""

from __future__ import annotations

import copy
import math
import queue
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import torch
from transformers import PrinterCallback, TrainerCallback

from tmax_gym.trajectory import Tokens
from tmax_trainers.dppo.trainer import DPPOConfig, DPPOTrainer
from tmax_trainers.policies.scratch import PolicyConfig, build_policy
from tmax_trainers.policies.sft import SFTConfig, train_sft
from tmax_trainers.rollout.advantages import AdvantageKind, group_advantages
from tmax_trainers.rollout.worker import Sample

SYMBOLS, LENGTH, FIRST = 16, 6, 8
"""Symbols are the tokens FIRST to FIRST + SYMBOLS − 1; smaller ones name operations."""
OPERATIONS = ("copy", "reverse", "sort", "next")
GROUPS, GROUP = 8, 16
"""Tasks of a batch, and episodes of each (TMax: 8 and 32)."""
TRIES = 8
"""Batches that are sampled at most for one with enough groups whose rewards differ."""
EVERY, HELD_OUT = 25, 256
"""Steps between two evaluations, and their tasks."""
Ints = np.ndarray[Any, np.dtype[np.int64]]


def draw(rng: np.random.Generator, count: int) -> tuple[Ints, Ints]:
    """Return prompts, [count, 1 + LENGTH], and right answers, [count, LENGTH]."""
    operations = rng.integers(0, len(OPERATIONS), count)
    symbols = rng.integers(0, SYMBOLS, (count, LENGTH))
    answers = np.stack([symbols, symbols[:, ::-1], np.sort(symbols, 1), (symbols + 1) % SYMBOLS])
    prompts = np.concatenate([operations[:, None] + 1, symbols + FIRST], 1)
    return prompts, answers[operations, np.arange(count)] + FIRST


@torch.no_grad()
def sample(
    model: torch.nn.Module, prompts: Ints, rng: np.random.Generator
) -> tuple[Ints, np.ndarray[Any, np.dtype[np.float32]]]:
    """Return sampled replies and their log-probabilities, both [count, LENGTH]."""
    ids = torch.as_tensor(prompts)
    logprobs = []
    for _ in range(LENGTH):
        logits = model(input_ids=ids, use_cache=False).logits[:, -1].float()
        logp = logits.log_softmax(-1)
        threshold = torch.as_tensor(rng.random((len(ids), 1)), dtype=torch.float32)
        token = (logp.exp().cumsum(-1) < threshold).sum(-1, keepdim=True)
        token = token.clamp(max=logits.shape[-1] - 1)
        logprobs.append(logp.gather(1, token))
        ids = torch.cat([ids, token], 1)
    return ids[:, -LENGTH:].numpy(), torch.cat(logprobs, 1).numpy()


def warm_policy(seed: int, steps: int) -> torch.nn.Module:
    """Return a policy after some supervised steps on right answers."""
    model = build_policy(
        PolicyConfig(FIRST + SYMBOLS, layers=2, width=64, heads=4, max_length=32), seed=seed
    )
    prompts, answers = draw(np.random.default_rng([seed, 1]), 64 * steps)
    streams = [
        Tokens(
            ids=(*p.tolist(), *a.tolist()),
            mask=(False,) * (1 + LENGTH) + (True,) * LENGTH,
            logprobs=(math.nan,) * (1 + 2 * LENGTH),
            versions=(-1,) * (1 + 2 * LENGTH),
        )
        for p, a in zip(prompts, answers, strict=True)
    ]
    train_sft(model, streams, SFTConfig(steps=steps, tokens_per_batch=64 * 13, seed=seed))
    return model


class LaggedWorker:
    """Samples every batch from the weights of `staleness` versions ago (TRL's worker protocol)."""

    def __init__(
        self, model: torch.nn.Module, *, staleness: int, seed: int, advantage: AdvantageKind
    ) -> None:
        self.rollout_buffer: Any = self
        self.metrics_queue: queue.Queue[dict[str, float]] = queue.Queue()
        self._model = model
        self._past: deque[dict[str, torch.Tensor]] = deque(maxlen=staleness + 1)
        self._rng = np.random.default_rng([seed, 2])
        self._advantage = advantage
        self._ready: deque[Sample] = deque()
        self._groups = 0

    def get(self, timeout: float) -> Sample:
        """Return the next sample, of a new batch if the last one is used up."""
        if not self._ready:
            self._ready.extend(self._batch())
        return self._ready.popleft()

    def _batch(self) -> Iterator[Sample]:
        self._model.load_state_dict(self._past[0])
        rewards: list[float] = []
        kept = 0
        for _ in range(TRIES):
            prompts, answers = draw(self._rng, GROUPS)
            prompts, answers = prompts.repeat(GROUP, 0), answers.repeat(GROUP, 0)
            replies, logprobs = sample(self._model, prompts, self._rng)
            earned = (replies == answers).mean(1)
            rewards += earned.tolist()
            for at in range(0, len(earned), GROUP):
                own = earned[at : at + GROUP]
                if kept < GROUPS and (own != own[0]).any():
                    kept += 1
                    part = slice(at, at + GROUP)
                    yield from self._group(prompts[part], replies[part], logprobs[part], own)
            if kept == GROUPS:
                break
        self.metrics_queue.put({"reward/mean": fmean(rewards), "groups/kept": float(kept)})
        while kept < GROUPS:  # solved: what is missing has no advantage and so no gradient
            kept += 1
            part = slice(0, GROUP)
            yield from self._group(prompts[part], replies[part], logprobs[part], np.ones(GROUP))

    def _group(self, prompts: Ints, replies: Ints, logprobs: Any, rewards: Any) -> Iterator[Sample]:
        self._groups += 1
        advantages = group_advantages(rewards.tolist(), self._advantage)
        for row, advantage in enumerate(advantages):
            yield Sample(
                prompt=[],
                completion=[],
                input_ids=np.concatenate([prompts[row], replies[row]]),
                completion_mask=np.array([0] * (1 + LENGTH) + [1] * LENGTH),
                old_log_probs=np.concatenate([np.zeros(1 + LENGTH), logprobs[row]]),
                advantage=advantage,
                model_version=0,
                group_id=self._groups,
                metrics={},
                group_rows=GROUP,
            )

    def start(self) -> None:
        """Do nothing: batches are sampled when they are asked for."""

    def stop(self) -> None:
        """Do nothing."""

    def update_model_version(self, model_version: int) -> None:
        """Do nothing: `send_weights` counts."""

    def check_health(self, stale_after_s: float) -> None:
        """Do nothing: an error is raised where it happens."""

    def init_weight_transfer(self) -> None:
        """Do nothing (TRL's protocol of weight transfers)."""

    def pause(self) -> None:
        """Do nothing."""

    def resume(self) -> None:
        """Do nothing."""

    def destroy(self) -> None:
        """Do nothing."""

    def send_weights(self, iterator: Iterable[tuple[str, torch.Tensor]]) -> None:
        """Keep a copy of the weights; the oldest is what samples."""
        sent = {name: weight.detach().clone() for name, weight in iterator}
        self._past.append({name: sent.get(name, own) for name, own in self._state()})

    def _state(self) -> Iterator[tuple[str, torch.Tensor]]:
        yield from self._model.state_dict().items()


@dataclass(slots=True)
class Curve:
    """What a run shows, step by step."""

    held_out: list[float] = field(default_factory=list)
    """Mean reward of the present policy on held-out tasks, before training and every 25 steps."""
    log: list[Mapping[str, float]] = field(default_factory=list)
    """The trainer's log of each step."""


def run(
    warm: torch.nn.Module,
    *,
    staleness: int,
    seed: int,
    steps: int,
    out: Path,
    advantage: AdvantageKind = "centred",
    **options: Any,
) -> Curve:
    """Train a copy of `warm`; `options` are those of `DPPOConfig`."""
    model, behind = copy.deepcopy(warm), copy.deepcopy(warm)
    worker = LaggedWorker(behind, staleness=staleness, seed=seed, advantage=advantage)
    curve = Curve([score(model, seed)])
    arguments = DPPOConfig(
        output_dir=str(out), max_steps=steps, seed=seed, use_cpu=True, disable_tqdm=True,
        gradient_accumulation_steps=1, groups_per_step=GROUPS, group_size=GROUP,
        max_token_age=None, report_to="none", longest=LENGTH, **options,
    )  # fmt: skip
    trainer = DPPOTrainer(model, arguments, rollout_worker=worker, weight_transfer=worker,
                          callbacks=[_Scores(curve, seed)])  # fmt: skip
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    curve.log = [row for row in trainer.state.log_history if "reward/mean" in row]
    return curve


class _Scores(TrainerCallback):  # type: ignore[misc]
    def __init__(self, curve: Curve, seed: int) -> None:
        self._curve, self._seed = curve, seed

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Evaluate the present policy."""
        if state.global_step % EVERY == 0:
            self._curve.held_out.append(score(kwargs["model"], self._seed))


def score(model: torch.nn.Module, seed: int) -> float:
    """Return the mean reward on held-out tasks, always with the same random numbers."""
    rng = np.random.default_rng([seed, 3])
    prompts, answers = draw(rng, HELD_OUT)
    replies, _ = sample(model, prompts, rng)
    return float((replies == answers).mean())

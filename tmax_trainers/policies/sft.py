"""Supervised fine-tuning as a warm start: next-token loss on the masked tokens of streams.

Covers length-bucketed batches under a token budget, constant or falling learning rates and early
stopping.  Deterministic for a seed on one machine.  Does not cover several devices or packing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch.nn import functional

from tmax_gym.trajectory import Tokens


@dataclass(frozen=True, slots=True)
class SFTConfig:
    """Options of the training."""

    steps: int = 500
    """Largest number of optimizer steps; streams are repeated and shuffled each time."""
    tokens_per_batch: int = 8192
    """Largest rows × longest row of a batch, unless a single row is longer."""
    learning_rate: float = 2e-3
    """For policies of a few million parameters; published models need 1e-5 to 2e-5."""
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    warmup_steps: int = 20
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0
    dtype: Literal["float32", "bfloat16"] = "float32"
    """Of computation; weights and optimizer are float32."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SFTStep:
    """The figures of one optimizer step, for the callback."""

    step: int
    """Number of steps, with this one."""
    loss: float
    """Mean negative log-likelihood of a masked token, before the step."""
    accuracy: float
    """Share of masked tokens that have the largest logit."""
    learning_rate: float
    seconds: float
    """Seconds since training began."""


def train_sft(
    model: torch.nn.Module,
    streams: Sequence[Tokens],
    config: SFTConfig,
    *,
    on_step: Callable[[SFTStep], bool] | None = None,
) -> list[SFTStep]:
    """Train `model` in place and return the figures of each step.

    Args:
        model: A causal language model.
        streams: Whole token streams; tokens where `mask` is true are learned.
        config: Options.
        on_step: Called after each step; training stops when it returns true.
    """
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay
    )
    history: list[SFTStep] = []
    begun = time.perf_counter()
    device = next(model.parameters()).device
    was_training = model.training
    model.train()
    for step, rows in zip(range(config.steps), batches(streams, config), strict=False):
        rate = learning_rate(step, config)
        for group in optimizer.param_groups:
            group["lr"] = rate
        with torch.autocast(device.type, torch.bfloat16, enabled=config.dtype == "bfloat16"):
            loss, accuracy = _loss(model, [streams[i] for i in rows])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), config.max_grad_norm)
        optimizer.step()
        seconds = time.perf_counter() - begun
        history.append(SFTStep(step + 1, float(loss.detach()), accuracy, rate, seconds))
        if on_step is not None and on_step(history[-1]):
            break
    model.train(was_training)
    return history


def learning_rate(step: int, config: SFTConfig) -> float:
    """Return the learning rate of a step; the first step is 0."""
    if step < config.warmup_steps:
        return config.learning_rate * (step + 1) / config.warmup_steps
    if config.schedule == "constant":
        return config.learning_rate
    share = (step - config.warmup_steps) / max(1, config.steps - config.warmup_steps)
    if config.schedule == "linear":
        return config.learning_rate * (1 - share)
    return config.learning_rate * 0.5 * (1 + math.cos(math.pi * share))


def batches(streams: Sequence[Tokens], config: SFTConfig) -> Iterator[list[int]]:
    """Yield lists of indexes of `streams` without end; each pass has every stream once."""
    if not any(any(s.mask) for s in streams):
        raise ValueError(f"none of the {len(streams)} streams has a token to learn")
    rng = np.random.default_rng(config.seed)
    lengths = np.array([len(s.ids) for s in streams])
    while True:
        # The noise changes which streams share a batch, but keeps their lengths similar.
        order = np.argsort(lengths * rng.uniform(0.94, 1.06, len(lengths)), kind="stable")
        cut: list[list[int]] = [[]]
        longest = 0
        for i in order.tolist():
            longest = max(longest, int(lengths[i]))
            if cut[-1] and longest * (len(cut[-1]) + 1) > config.tokens_per_batch:
                cut.append([])
                longest = int(lengths[i])
            cut[-1].append(i)
        for i in rng.permutation(len(cut)).tolist():
            yield cut[i]


def _loss(model: torch.nn.Module, rows: Sequence[Tokens]) -> tuple[torch.Tensor, float]:
    """Return mean loss and greedy accuracy over the masked tokens of right-padded rows."""
    device = next(model.parameters()).device
    length = max(len(r.ids) for r in rows)
    ids = torch.zeros(len(rows), length, dtype=torch.long)
    mask = torch.zeros(len(rows), length, dtype=torch.bool)
    for i, row in enumerate(rows):
        ids[i, : len(row.ids)] = torch.tensor(row.ids)
        mask[i, : len(row.ids)] = torch.tensor(row.mask)
    ids, mask = ids.to(device), mask.to(device)
    # Padding on the right does not affect a causal model, so no attention mask is needed.
    output: Any = model(input_ids=ids, use_cache=False)
    logits = output.logits[:, :-1][mask[:, 1:]].float()
    targets = ids[:, 1:][mask[:, 1:]]
    loss = functional.cross_entropy(logits, targets)
    return loss, float((logits.detach().argmax(-1) == targets).float().mean())

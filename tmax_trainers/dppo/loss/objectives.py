"""The objectives that people compare, each one function of the trained tokens.

An objective returns the value J of each token; the loss is −(1/Z) Σ J.  It is written with
differentiable log-probabilities, and its gradient is what autograd makes of it.  With μ the
probability of a token when it was sampled, π its present probability, A its advantage:
r = π / μ, or π over what `ratio_to` names.

Covers the objectives of `config.OBJECTIVES`.  Your own is a function like these: register it with
`register_objective`, or name it in a recipe as `package.module:function`.  Does not cover a penalty
on the distance from a reference model.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import torch

from tmax_trainers.dppo.loss.config import OBJECTIVES, Defaults, DPPOLossConfig


@dataclass(frozen=True, slots=True)
class Tokens:
    """Trained tokens; every tensor has the shape [N]."""

    logp: torch.Tensor
    """log π, differentiable."""
    mu_logp: torch.Tensor
    """log μ, finite."""
    log_ratio: torch.Tensor
    """log r, differentiable; 0 in value where `ratio_to` is `proximal`."""
    advantage: torch.Tensor
    """A."""
    distance: torch.Tensor
    """The divergence of π from μ, a constant."""
    sequence: torch.Tensor
    """The number of the sequence that a token belongs to."""
    lengths: torch.Tensor
    """Trained tokens of each sequence, [number of sequences]."""

    @property
    def ratio(self) -> torch.Tensor:
        """r, kept below the type's largest number, where its gradient is 0."""
        return self.log_ratio.clamp(max=largest(self.log_ratio.dtype)).exp()

    def mean(self, values: torch.Tensor) -> torch.Tensor:
        """Return the mean of `values` over each token's sequence, [N]."""
        sums = values.new_zeros(len(self.lengths)).index_add(0, self.sequence, values)
        return (sums / self.lengths.clamp(min=1))[self.sequence]


Objective = Callable[[Tokens, DPPOLossConfig], torch.Tensor]
"""Returns J of each token."""


def largest(dtype: torch.dtype) -> float:
    """Return log r from which a token counts as overflowed: half of the type's range.

    A token with such a ratio is dropped, because one of them would be the whole gradient.
    """
    return math.log(torch.finfo(dtype).max) / 2


def truncated(tokens: Tokens, cap: float | None) -> torch.Tensor:
    """Return min(r, cap) with the gradient min(r, cap)·∇log π (truncated importance sampling)."""
    if cap is None:
        return tokens.ratio
    weight = tokens.ratio.detach().clamp(max=cap)
    return weight * (1 + tokens.logp - tokens.logp.detach())


def by_sign(advantage: torch.Tensor, *, up: float, down: float) -> torch.Tensor:
    """Return `up` where A > 0, else `down`, in the type of A."""
    return torch.where(advantage > 0, advantage.new_tensor(up), advantage.new_tensor(down))


def policy_gradient(tokens: Tokens, config: DPPOLossConfig) -> torch.Tensor:
    """Return r·A, or A·log π without a ratio (REINFORCE, Williams 1992)."""
    if config.ratio_to == "none":
        return tokens.advantage * tokens.logp
    return truncated(tokens, config.cap) * tokens.advantage


def clipped(ratio: torch.Tensor, advantage: torch.Tensor, config: DPPOLossConfig) -> torch.Tensor:
    """Return min(r·A, clip(r, 1 − clip_low, 1 + clip_high)·A)."""
    low, high = config.clip
    return torch.minimum(ratio * advantage, ratio.clamp(1 - low, 1 + high) * advantage)


def ppo(tokens: Tokens, config: DPPOLossConfig) -> torch.Tensor:
    """Return the clipped ratio times A (PPO, arXiv 1707.06347, equation 7).

    GRPO, DAPO and Dr. GRPO have the same value.  They differ in the mean: over sequences, over
    tokens with a wider clip above, and over a constant.
    """
    return clipped(tokens.ratio, tokens.advantage, config)


def gspo(tokens: Tokens, config: DPPOLossConfig) -> torch.Tensor:
    """Return the clipped s·A, s = exp(mean of log r over the sequence) (arXiv 2507.18071)."""
    mean = tokens.mean(tokens.log_ratio).clamp(max=largest(tokens.logp.dtype))
    return clipped(mean.exp(), tokens.advantage, config)


def gmpo(tokens: Tokens, config: DPPOLossConfig) -> torch.Tensor:
    """Return A times the geometric mean of clipped ratios (arXiv 2507.20673, equation 4).

    log r is cut at clip_high where A > 0 and at −clip_low where A < 0, token by token.
    """
    low, high = config.clip
    up = tokens.log_ratio.clamp(max=high)
    down = tokens.log_ratio.clamp(min=-low, max=largest(tokens.logp.dtype))
    return tokens.mean(torch.where(tokens.advantage > 0, up, down)).exp() * tokens.advantage


def cispo(tokens: Tokens, config: DPPOLossConfig) -> torch.Tensor:
    """Return min(r, cap)·A·log π, the first factor constant (arXiv 2506.13585, equation 4)."""
    weight = tokens.ratio.detach().clamp(max=config.cap)
    return weight * tokens.advantage * tokens.logp


def sapo(tokens: Tokens, config: DPPOLossConfig) -> torch.Tensor:
    """Return σ(τ·(r − 1))·(4/τ)·A, a gate without a corner (arXiv 2511.20347, equation 6)."""
    low, high = config.tau
    tau = by_sign(tokens.advantage, up=high, down=low)
    return torch.sigmoid(tau * (tokens.ratio - 1)) * 4 / tau * tokens.advantage


def dppo(tokens: Tokens, config: DPPOLossConfig) -> torch.Tensor:
    """Return M·r·A, M = 0 where π is far from μ and A pushes it further (arXiv 2602.04879)."""
    gap = (tokens.logp - tokens.mu_logp).detach()
    up, down = tokens.advantage > 0, tokens.advantage < 0
    leaving = (up & (gap > 0) & (tokens.distance > config.high)) | (
        down & (gap < 0) & (tokens.distance > config.low)
    )
    return torch.where(leaving, 0.0, truncated(tokens, config.cap) * tokens.advantage)


def drpo(tokens: Tokens, config: DPPOLossConfig) -> torch.Tensor:
    """Return r·A − |A|·μ·(r − 1)²/(2δ): a smooth penalty for a mask (arXiv 2606.09821, section 3).

    Its gradient is r·A·(1 − sign(A)·(π − μ)/δ)·∇log π.
    """
    delta = by_sign(tokens.advantage, up=config.high, down=config.low)
    ratio = tokens.ratio
    penalty = tokens.mu_logp.exp() * (ratio - 1).square() / (2 * delta)
    return ratio * tokens.advantage - tokens.advantage.abs() * penalty


FUNCTIONS: dict[str, Objective] = {
    "cispo": cispo,
    "dapo": ppo,
    "dppo": dppo,
    "dr_grpo": ppo,
    "drpo": drpo,
    "gmpo": gmpo,
    "grpo": ppo,
    "gspo": gspo,
    "policy_gradient": policy_gradient,
    "ppo": ppo,
    "sapo": sapo,
}
"""The function of each name of `config.OBJECTIVES`."""


def register_objective(name: str, objective: Objective, defaults: Defaults | None = None) -> None:
    """Add an objective, so that `DPPOLossConfig(objective=name)` and recipes can name it.

    Args:
        name: A new name.
        objective: The function.
        defaults: Its own values; by default it may look at whole sequences.

    Raises:
        ValueError: The name is taken.
    """
    if name in FUNCTIONS:
        raise ValueError(f"an objective {name!r} exists already; take another name")
    OBJECTIVES[name] = defaults or Defaults(whole_sequences=True)
    FUNCTIONS[name] = objective


def objective_of(config: DPPOLossConfig) -> Objective:
    """Return the function that a configuration names.

    Raises:
        ValueError: It names a module or function that does not exist.
    """
    if config.objective in FUNCTIONS:
        return FUNCTIONS[config.objective]
    module, _, function = config.objective.partition(":")
    try:
        objective: Objective = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"objective {config.objective!r} cannot be imported: {error}") from error
    return objective

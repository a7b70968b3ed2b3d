"""The DPPO loss: a policy gradient without tokens on which the policy has moved too far.

With μ the probability of a token when it was sampled, π its present probability, r = π / μ and A
its advantage, the loss is −(1/Z) Σ M·r·A.  M is 0 where the divergence of π from μ exceeds
δ and the step would push π further from μ.  Method: Divergence Proximal Policy Optimization,
arXiv 2602.04879, equations 11 to 16.

Covers four divergences, separate thresholds for pushing up and down, a cap on r, and two
baselines with the same anchor μ and the same mean over tokens: the clipped ratio of GRPO and
DAPO (arXiv 2503.14476), and CISPO (arXiv 2506.13585).  Does not cover a penalty on the distance
from a reference model.  Functions of tensors without state; all in float32 or better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch

from tmax_trainers.dppo.loss.divergence import Divergence, TopK, divergence

_DELTA: dict[str, float] = {"binary_tv": 0.1, "binary_kl": 0.05, "topk_tv": 0.1, "topk_kl": 0.05}
"""TMax trains with TV 0.1; the paper's KL threshold is 0.05."""
_OBJECTIVES = ("dppo", "grpo", "cispo")
_CISPO_CAP = 5.0
"""CISPO's cap as recommended by ScaleRL (arXiv 2510.13786)."""


@dataclass(frozen=True, slots=True)
class DPPOLossConfig:
    """The objective, and the thresholds of its trust region."""

    divergence: Divergence = "binary_tv"
    """The measure of how far π is from μ; also reported as a metric."""
    delta_low: float | None = None
    """Largest divergence at which a token with A < 0 is still pushed down."""
    delta_high: float | None = None
    """Largest divergence at which a token with A > 0 is still pushed up."""
    is_cap: float | None = None
    """Largest r in the gradient (truncated importance sampling); None for no cap, but for CISPO
    for its own, 5."""
    objective: Literal["dppo", "grpo", "cispo"] = "dppo"
    """`dppo`; or, as baselines, `grpo`: clipped ratios, `cispo`: min(r, cap)·A·log π."""
    clip_low: float = 0.2
    """`grpo` does not push a token further down if r < 1 − clip_low."""
    clip_high: float = 0.272
    """`grpo` does not push a token further up if r > 1 + clip_high (0.272: TMax's ablation)."""

    def __post_init__(self) -> None:
        """Refuse values that define no trust region."""
        if self.divergence not in _DELTA:
            raise ValueError(f"divergence {self.divergence!r} is none of {sorted(_DELTA)}")
        if self.objective not in _OBJECTIVES:
            raise ValueError(f"objective {self.objective!r} is none of {_OBJECTIVES}")
        if not (self.low >= 0 and self.high >= 0 and (self.is_cap is None or self.is_cap > 0)):
            raise ValueError("delta_low and delta_high must be >= 0 and is_cap must be > 0")
        if not (0 <= self.clip_low < 1 and self.clip_high >= 0):
            raise ValueError("clip_low must be in [0, 1) and clip_high must be >= 0")

    @property
    def low(self) -> float:
        """Return delta_low or its default."""
        return _DELTA[self.divergence] if self.delta_low is None else self.delta_low

    @property
    def high(self) -> float:
        """Return delta_high or its default."""
        return _DELTA[self.divergence] if self.delta_high is None else self.delta_high

    @property
    def cap(self) -> float | None:
        """Return is_cap, or CISPO's default."""
        if self.is_cap is None and self.objective == "cispo":
            return _CISPO_CAP
        return self.is_cap


@dataclass(frozen=True, slots=True)
class TokenTerms:
    """The contribution of each token; the loss is −Σ value / Z."""

    coefficient: torch.Tensor
    """c in the gradient −(1/Z) Σ c · ∂ log π; exactly 0 for tokens that are not trained."""
    value: torch.Tensor
    """The objective's own value: M·r·A, its clipped form, or min(r, cap)·A·log π."""
    sums: dict[str, torch.Tensor]
    """Sums over valid tokens for metrics; `ratio_max` and `logp_gap_max` are maxima."""


def dppo_loss(
    logp: torch.Tensor,
    mu_logp: torch.Tensor,
    advantages: torch.Tensor,
    *,
    mask: torch.Tensor,
    denominator: torch.Tensor | float,
    config: DPPOLossConfig | None = None,
    top: TopK | None = None,
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Return this part's share of the loss of an optimizer batch, and sums for its metrics.

    The shares of any split of a batch add up to the batch's loss, and so do their gradients.

    Args:
        logp: log π of the sampled tokens, with gradient; any shape.
        mu_logp: log μ of the same tokens as recorded when they were sampled.
        advantages: A of the same tokens.
        mask: True if the policy sampled the token.
        denominator: Z: the number of trained tokens in the *whole* optimizer batch, on all ranks;
            these are sampled tokens with a finite log μ.
        config: Objective and thresholds.
        top: The top-k tokens, for a top-k divergence.
    """
    valid = mask.bool() & mu_logp.isfinite()
    terms = token_terms(
        logp.detach(),
        mu_logp,
        advantages,
        valid=valid,
        config=config or DPPOLossConfig(),
        top=top,
    )
    # `where` on both factors: 0 · inf and 0 · NaN must not leak into the sum or, through the
    # product rule, into the gradient.
    used = terms.coefficient != 0
    logp = torch.where(used, logp.to(terms.coefficient.dtype), 0.0)
    # The value is the objective's; the gradient comes from log π alone.
    inert = logp - logp.detach()
    loss = -(terms.value + torch.where(used, terms.coefficient, 0.0) * inert).sum() / denominator
    return loss, terms.sums


def token_terms(
    logp: torch.Tensor,
    mu_logp: torch.Tensor,
    advantage: torch.Tensor,
    *,
    valid: torch.Tensor,
    config: DPPOLossConfig,
    top: TopK | None = None,
    log_rest: torch.Tensor | None = None,
) -> TokenTerms:
    """Return the contribution of each token to the loss and to its gradient.

    Args:
        logp: log π, without gradient.
        mu_logp: log μ; any value for tokens that are not valid.
        advantage: A.
        valid: True if a token is trained and its log μ is finite.
        config: Objective and thresholds.
        top: The top-k tokens, for a top-k divergence.
        log_rest: log(1 − π), if it is known more exactly than from log π.
    """
    dtype = torch.promote_types(torch.promote_types(logp.dtype, mu_logp.dtype), torch.float32)
    logp, advantage = logp.to(dtype), torch.where(valid, advantage.to(dtype), 0.0)
    mu = torch.where(valid, mu_logp.to(dtype), 0.0)
    pi = torch.where(valid, logp, 0.0)
    far = divergence(pi, mu, config.divergence, top=top, log_rest=log_rest)
    blocked = valid & _blocked(pi - mu, advantage, far, config)
    kept = valid & ~blocked & (advantage != 0)
    # Select before exp, because the overflow of a blocked token times 0 is not a number.
    log_ratio = torch.where(kept, pi - mu, 0.0)
    if config.cap is not None:
        log_ratio = log_ratio.clamp(max=math.log(config.cap))
    # Without this, the gradient would be infinite: engines report −9999 for log 0.
    overflowed = kept & log_ratio.exp().isinf()
    kept = kept & ~overflowed
    log_ratio = torch.where(kept, log_ratio, 0.0)
    coefficient = torch.where(kept, log_ratio.exp() * advantage, 0.0)
    gap = torch.where(valid, pi - mu, 0.0)
    sums = {
        "tokens": valid.sum(),
        "blocked_high": (blocked & (advantage > 0)).sum(),
        "blocked_low": (blocked & (advantage < 0)).sum(),
        "overflowed": overflowed.sum(),
        "divergence": torch.where(valid, far, 0.0).sum(),
        "logp_gap": gap.abs().sum(),
        "logp_gap_square": gap.square().sum(),
        "logp_gap_max": gap.abs().max() if gap.numel() else gap.sum(),
        "k1": (-gap).sum(),
        "ratio_max": torch.where(kept, log_ratio, -math.inf).max().exp()
        if kept.numel()
        else torch.zeros((), dtype=dtype, device=logp.device),
    }
    return TokenTerms(coefficient, _value(coefficient, pi, blocked, advantage, config), sums)


def _blocked(
    gap: torch.Tensor, advantage: torch.Tensor, far: torch.Tensor, config: DPPOLossConfig
) -> torch.Tensor:
    """Return which tokens would leave the trust region; `gap` is log r."""
    up, down = advantage > 0, advantage < 0
    if config.objective == "cispo":
        return torch.zeros_like(up)
    if config.objective == "grpo":
        over, under = math.log1p(config.clip_high), math.log1p(-config.clip_low)
        return (up & (gap > over)) | (down & (gap < under))
    return (up & (gap > 0) & (far > config.high)) | (down & (gap < 0) & (far > config.low))


def _value(
    coefficient: torch.Tensor,
    pi: torch.Tensor,
    blocked: torch.Tensor,
    advantage: torch.Tensor,
    config: DPPOLossConfig,
) -> torch.Tensor:
    """Return the terms of the objective, which may differ from the factors of its gradient."""
    if config.objective == "cispo":
        return torch.where(coefficient != 0, coefficient * pi, 0.0)
    if config.objective == "grpo":
        # Both sides are tensors, because `where` of two numbers is always float32.
        over, under = advantage * (1 + config.clip_high), advantage * (1 - config.clip_low)
        return torch.where(blocked, torch.where(advantage > 0, over, under), coefficient)
    return coefficient

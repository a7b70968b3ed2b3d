"""The DPPO loss: a policy gradient that stops where the policy has moved far enough.

With μ the probability of a sampled token when it was sampled, π its probability now, r = π / μ
and A its advantage, the loss is −(1/Z) Σ M·r·A.  M is 0 where the divergence of the two
Bernoulli distributions (this token or another) exceeds δ and the step would push π further from
μ.  Method: Divergence Proximal Policy Optimization, arXiv 2602.04879, equations 11 to 14.

Covers binary total variation and binary KL, separate thresholds for pushing up and down, and a
cap on r.  Does not cover top-k divergences.  Pure: no model, no state; all in float32 or better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch

_DELTA = {"binary_tv": 0.1, "binary_kl": 0.05}
"""TMax trains with TV 0.1; the paper's KL threshold is 0.05."""


@dataclass(frozen=True, slots=True)
class DPPOLossConfig:
    """Thresholds of the trust region."""

    divergence: Literal["binary_tv", "binary_kl"] = "binary_tv"
    delta_low: float | None = None
    """Divergence beyond which a token with A < 0 is pushed down no further."""
    delta_high: float | None = None
    """Divergence beyond which a token with A > 0 is pushed up no further."""
    is_cap: float | None = None
    """Largest r that enters the gradient (truncated importance sampling); None for no cap."""

    def __post_init__(self) -> None:
        """Refuse what no trust region means."""
        if self.divergence not in _DELTA:
            raise ValueError(f"divergence {self.divergence!r} is none of {sorted(_DELTA)}")
        if self.low < 0 or self.high < 0 or (self.is_cap is not None and self.is_cap <= 0):
            raise ValueError("delta_low and delta_high must be >= 0 and is_cap must be > 0")

    @property
    def low(self) -> float:
        """Return delta_low or its default."""
        return _DELTA[self.divergence] if self.delta_low is None else self.delta_low

    @property
    def high(self) -> float:
        """Return delta_high or its default."""
        return _DELTA[self.divergence] if self.delta_high is None else self.delta_high


def dppo_loss(
    logp: torch.Tensor,
    mu_logp: torch.Tensor,
    advantages: torch.Tensor,
    *,
    mask: torch.Tensor,
    denominator: torch.Tensor | float,
    config: DPPOLossConfig | None = None,
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Return this part's share of the loss of an optimizer batch, and sums for its metrics.

    Shares of any split of a batch add up to the loss of the batch, and so do their gradients.

    Args:
        logp: log π of the sampled tokens, with gradient; any shape.
        mu_logp: log μ of the same tokens as recorded when they were sampled.
        advantages: A of the same tokens.
        mask: True where the policy sampled the token.
        denominator: Z: `trained_tokens` summed over the *whole* optimizer batch, on all ranks.
        config: Thresholds.
    """
    valid = mask.bool() & mu_logp.isfinite()
    coefficient, metrics = dppo_coefficients(
        logp.detach(), mu_logp, advantages, valid=valid, config=config or DPPOLossConfig()
    )
    # d(−M·r·A)/dθ = −M·r·A · d(log π)/dθ.  `where` on both factors: 0 · inf and 0 · NaN must not
    # leak into the sum or, through the product rule, into the gradient.
    used = coefficient != 0
    logp = torch.where(used, logp.to(coefficient.dtype), 0.0)
    value = -torch.where(used, coefficient, 0.0)
    # The value of the sum is the objective −Σ M·r·A; its gradient flows through log π alone.
    loss = (value + value * (logp - logp.detach())).sum() / denominator
    return loss, metrics


def dppo_coefficients(
    logp: torch.Tensor,
    mu_logp: torch.Tensor,
    advantage: torch.Tensor,
    *,
    valid: torch.Tensor,
    config: DPPOLossConfig,
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Return M·r·A of each token, and sums over valid tokens for metrics.

    Args:
        logp: log π, without gradient.
        mu_logp: log μ; may be anything where not valid.
        advantage: A.
        valid: True where a token is trained and its log μ is finite.
        config: Thresholds.
    """
    dtype = torch.promote_types(torch.promote_types(logp.dtype, mu_logp.dtype), torch.float32)
    logp, advantage = logp.to(dtype), advantage.to(dtype)
    mu = torch.where(valid, mu_logp.to(dtype), 0.0)
    pi = torch.where(valid, logp, 0.0)
    outward = torch.where(advantage > 0, pi > mu, pi < mu) & (advantage != 0)
    divergence = _divergence(pi, mu, config)
    low, high = logp.new_tensor(config.low), logp.new_tensor(config.high)
    delta = torch.where(advantage > 0, high, low)
    blocked = valid & outward & (divergence > delta)
    kept = valid & ~blocked & (advantage != 0)
    # Select before exp: an overflow of a blocked token must never be computed, let alone × 0.
    log_ratio = torch.where(kept, pi - mu, 0.0)
    if config.is_cap is not None:
        log_ratio = log_ratio.clamp(max=math.log(config.is_cap))
    coefficient = torch.where(kept, log_ratio.exp() * advantage, 0.0)
    gap = torch.where(valid, pi - mu, 0.0)
    metrics = {
        "tokens": valid.sum(),
        "blocked_high": (blocked & (advantage > 0)).sum(),
        "blocked_low": (blocked & (advantage < 0)).sum(),
        "divergence": torch.where(valid, divergence, 0.0).sum(),
        "logp_gap": gap.abs().sum(),
        "k1": (-gap).sum(),
        "ratio_max": torch.where(kept, log_ratio, -math.inf).max().exp()
        if kept.numel()
        else torch.zeros((), dtype=dtype),
    }
    return coefficient, metrics


def trained_tokens(mu_logp: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return how many tokens a loss is the mean of: sampled ones with a finite log μ."""
    return (mask.bool() & mu_logp.isfinite()).sum()


def _divergence(pi: torch.Tensor, mu: torch.Tensor, config: DPPOLossConfig) -> torch.Tensor:
    """Return the divergence of two Bernoulli distributions, given log-probabilities."""
    if config.divergence == "binary_tv":
        return (pi.exp() - mu.exp()).abs()
    # (1 − μ)·log((1 − μ)/(1 − π)): 0 at μ = 1, whatever π; infinite only at π = 1 > μ.
    rest_mu, rest_pi = _log1mexp(mu), _log1mexp(pi)
    rest = torch.where(rest_mu == -math.inf, 0.0, rest_mu.exp() * (rest_mu - rest_pi))
    return mu.exp() * (mu - pi) + rest


def _log1mexp(x: torch.Tensor) -> torch.Tensor:
    """Return log(1 − eˣ) for x ≤ 0, precise at both ends (Mächler 2012)."""
    x = x.clamp(max=0.0)
    return torch.where(x > -math.log(2), torch.log(-torch.expm1(x)), torch.log1p(-x.exp()))

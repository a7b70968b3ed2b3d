"""How far the policy has moved on one token: total variation and KL, from log-probabilities.

The rollout's policy is μ, today's π.  Binary divergences compare two Bernoulli distributions:
the sampled token, or any other.  Top-k ones compare distributions over the sampled token, the
rollout's k likeliest tokens and one bucket for all others.  Method: Divergence Proximal Policy
Optimization, arXiv 2602.04879, equations 13 to 16.

Every value is finite where log π and log μ are, also where a probability rounds to 0 or to 1:
what rounding hides is taken to be half of the type's resolution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch

Divergence = Literal["binary_tv", "binary_kl", "topk_tv", "topk_kl"]


@dataclass(frozen=True, slots=True)
class TopK:
    """The rollout's likeliest tokens other than the sampled one; the last dimension is k."""

    mu_logp: torch.Tensor
    """Their log μ; not finite where there is no token."""
    logp: torch.Tensor
    """Their log π, without gradient."""


def divergence(
    pi: torch.Tensor,
    mu: torch.Tensor,
    kind: Divergence,
    *,
    top: TopK | None = None,
    log_rest: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return the divergence of π from μ, token by token.

    >>> said, sampled = torch.tensor([0.3]).log(), torch.tensor([0.5]).log()
    >>> round(float(divergence(said, sampled, "binary_tv")), 6)
    0.2

    Args:
        pi: log π of the sampled tokens.
        mu: log μ of the sampled tokens, finite.
        kind: Which divergence.
        top: What a top-k divergence needs.
        log_rest: log(1 − π), where it is known better than from log π.
    """
    if kind == "binary_tv":
        return (pi.exp() - mu.exp()).abs()
    if kind == "binary_kl":
        rest = log1mexp(pi) if log_rest is None else log_rest
        return (_kl_term(mu, pi) + _kl_term(log1mexp(mu), rest)).clamp(min=0.0)
    if top is None:
        raise ValueError(f"{kind} needs the rollout's top-k log-probabilities; pass `top`")
    p, q = _buckets(pi, mu, top)
    if kind == "topk_tv":
        return 0.5 * (p - q).abs().sum(-1)
    floor = _resolution(pi)
    terms = torch.where(q > 0, q * (q.clamp(min=floor) / p.clamp(min=floor)).log(), 0.0)
    return terms.sum(-1).clamp(min=0.0)


def log1mexp(x: torch.Tensor) -> torch.Tensor:
    """Return log(1 − eˣ) for x ≤ 0, precise at both ends (Mächler 2012).

    At x = 0 it is the logarithm of half of the type's resolution: the most that 1 − eˣ can be
    where x has been rounded to 0.
    """
    x = x.clamp(max=0.0)
    near = torch.log((-torch.expm1(x)).clamp(min=_resolution(x)))
    return torch.where(x > -math.log(2), near, torch.log1p(-x.exp()))


def others(ids: torch.Tensor, mu_logp: torch.Tensor, said: torch.Tensor) -> torch.Tensor:
    """Return the log μ of top-k tokens, −∞ for the sampled one, which has a bucket of its own."""
    return torch.where(ids == said[..., None], -math.inf, mu_logp)


def _resolution(x: torch.Tensor) -> float:
    return torch.finfo(x.dtype).eps / 2


def _kl_term(log_q: torch.Tensor, log_p: torch.Tensor) -> torch.Tensor:
    """Return q·log(q / p), and 0 where q is too small to count, whatever p."""
    q = log_q.exp()
    return torch.where(q > _resolution(q), q * (log_q - log_p), 0.0)


def _buckets(pi: torch.Tensor, mu: torch.Tensor, top: TopK) -> tuple[torch.Tensor, torch.Tensor]:
    """Return π and μ over the sampled token, the others of the top k, and the rest."""
    there = top.mu_logp.isfinite()
    q = torch.where(there, top.mu_logp.to(mu.dtype), -math.inf).exp()
    p = torch.where(there, top.logp.to(pi.dtype), -math.inf).exp()
    p, q = torch.cat([pi.exp()[..., None], p], -1), torch.cat([mu.exp()[..., None], q], -1)
    p_rest, q_rest = ((1.0 - x.sum(-1, keepdim=True)).clamp(min=0.0) for x in (p, q))
    return torch.cat([p, p_rest], -1), torch.cat([q, q_rest], -1)

"""Compute how far the policy has moved on a token: total variation or KL divergence.

The rollout's policy is μ, the present one π.  Binary divergences compare two Bernoulli
distributions: the sampled token, or any other.  Top-k ones compare distributions over the sampled
token, the rollout's k most probable tokens and one bucket for all others.  Method: Divergence
Proximal Policy Optimization, arXiv 2602.04879, equations 13 to 16.

Every value is finite if log π and log μ are, even if a probability rounds to 0 or 1: what rounding
loses is replaced by half of the type's resolution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from tmax_trainers.dppo.loss.config import Divergence


@dataclass(frozen=True, slots=True)
class TopK:
    """The rollout's most probable tokens except the sampled one; the last dimension is k."""

    mu_logp: torch.Tensor
    """Their log μ; not finite if there are fewer than k."""
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

    >>> pi, mu = torch.tensor([0.3]).log(), torch.tensor([0.5]).log()
    >>> round(float(divergence(pi, mu, "binary_tv")), 6)
    0.2

    Args:
        pi: log π of the sampled tokens.
        mu: log μ of the sampled tokens, finite.
        kind: Which divergence.
        top: The top-k tokens, for a top-k divergence.
        log_rest: log(1 − π), if it is known more exactly than from log π.
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

    At x = 0 it is the logarithm of half of the type's resolution, the largest 1 − eˣ for an x that
    rounds to 0.
    """
    x = x.clamp(max=0.0)
    near = torch.log((-torch.expm1(x)).clamp(min=_resolution(x)))
    return torch.where(x > -math.log(2), near, torch.log1p(-x.exp()))


def others(ids: torch.Tensor, mu_logp: torch.Tensor, sampled: torch.Tensor) -> torch.Tensor:
    """Return the log μ of top-k tokens, −∞ for the sampled one, which has its own bucket."""
    return torch.where(ids == sampled[..., None], -math.inf, mu_logp)


def _resolution(x: torch.Tensor) -> float:
    return torch.finfo(x.dtype).eps / 2


def _kl_term(log_q: torch.Tensor, log_p: torch.Tensor) -> torch.Tensor:
    """Return q·log(q / p), or 0 if q is too small to count."""
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

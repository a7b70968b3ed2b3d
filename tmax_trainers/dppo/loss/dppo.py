"""The loss of a batch: an objective's values and the weights of corrections, token by token.

The loss is −(1/Z) Σ u·w·J, with the value J of the objective (`objectives.py`), the constant
weight w of the corrections (`corrections.py`), and u = 1, or 1/n for a mean over sequences of n
trained tokens.  The default is DPPO: a policy gradient without tokens on which the policy has
moved too far (Divergence Proximal Policy Optimization, arXiv 2602.04879, equations 11 to 16).

Functions of tensors without state; all in float32 or better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch

from tmax_trainers.dppo.loss.config import DPPOLossConfig
from tmax_trainers.dppo.loss.corrections import correction
from tmax_trainers.dppo.loss.divergence import TopK, divergence
from tmax_trainers.dppo.loss.objectives import Tokens, largest, objective_of


@dataclass(frozen=True, slots=True)
class Extras:
    """What some objectives need beyond a token's own numbers; all of the shape of log π."""

    sequence: torch.Tensor | None = None
    """The number of each token's sequence, from 0, for objectives on sequences.  If None, tensors
    of the shape [B, T] have a sequence in each row."""
    lengths: torch.Tensor | None = None
    """Trained tokens of each sequence, [number of sequences]; counted here if None, which is
    right if all tokens of a sequence are here."""
    observed: torch.Tensor | None = None
    """Weight of the cross-entropy of tokens that the policy did not sample, 0 elsewhere (ECHO,
    arXiv 2605.24517): the value of such a token is its weight times log π."""
    present: torch.Tensor | None = None
    """True if the present weights sampled a token, where versions are known: adds sums over these
    tokens, whose gap is the difference of engine and trainer alone."""


@dataclass(frozen=True, slots=True)
class TokenTerms:
    """The contribution of each token; the loss is −Σ value / Z."""

    coefficient: torch.Tensor
    """c in the gradient −(1/Z) Σ c · ∂ log π; exactly 0 for tokens that are not trained."""
    value: torch.Tensor
    """u·w·J of each token."""
    sums: dict[str, torch.Tensor]
    """Sums over valid tokens for metrics; those that end in `_max` are maxima."""


def dppo_loss(
    logp: torch.Tensor,
    mu_logp: torch.Tensor,
    advantages: torch.Tensor,
    *,
    mask: torch.Tensor,
    denominator: torch.Tensor | float,
    config: DPPOLossConfig | None = None,
    top: TopK | None = None,
    extras: Extras | None = None,
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Return this part's share of the loss of an optimizer batch, and sums for its metrics.

    The shares of any split of a batch into whole sequences add up to the batch's loss, and so do
    their gradients.

    Args:
        logp: log π of the sampled tokens, with gradient; any shape.
        mu_logp: log μ of the same tokens as recorded when they were sampled.
        advantages: A of the same tokens.
        mask: True if the policy sampled the token.
        denominator: Z of the *whole* optimizer batch, on all ranks: the number of trained tokens,
            which are sampled tokens with a finite log μ; `DPPOLossConfig.denominator` has it for
            other means.
        config: Objective and thresholds.
        top: The top-k tokens, for a top-k divergence.
        extras: Sequences, observed tokens, and tokens of the present weights.
    """
    valid = mask.bool() & mu_logp.isfinite()
    terms = token_terms(
        logp.detach(),
        mu_logp,
        advantages,
        valid=valid,
        config=config or DPPOLossConfig(),
        top=top,
        extras=extras,
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
    extras: Extras | None = None,
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
        extras: Sequences, observed tokens, and tokens of the present weights.
    """
    extras = extras or Extras()
    dtype = torch.promote_types(torch.promote_types(logp.dtype, mu_logp.dtype), torch.float32)
    logp, advantage = logp.to(dtype), torch.where(valid, advantage.to(dtype), 0.0)
    mu = torch.where(valid, mu_logp.to(dtype), 0.0)
    pi = torch.where(valid, logp, 0.0)
    far = divergence(pi, mu, config.divergence, top=top, log_rest=log_rest)
    sequence, lengths = _sequences(extras, valid, config)
    flat = Tokens(pi.flatten(), mu.flatten(), mu.flatten(), advantage.flatten(), far.flatten(),
                  sequence, lengths)  # fmt: skip
    parts = _values(flat, valid.flatten(), config)
    value, weight, coefficient = (x.view_as(pi) for x in parts)
    # The ratio is cut there (`Tokens.ratio`): engines report −9999 for log 0.
    limit = advantage.abs() * math.exp(largest(dtype)) / 2
    overflowed = valid & (advantage != 0) & (value.abs() / weight.clamp(min=1e-30) > limit)
    value = torch.where(overflowed, 0.0, value)
    coefficient = torch.where(overflowed, 0.0, coefficient)
    sums = _sums(pi, mu, valid=valid, far=far, trained=coefficient != 0, present=extras.present)
    stopped = valid & (advantage != 0) & (coefficient == 0) & ~overflowed
    sums |= {
        "blocked_high": (stopped & (weight != 0) & (advantage > 0)).sum(),
        "blocked_low": (stopped & (weight != 0) & (advantage < 0)).sum(),
        "dropped": (stopped & (weight == 0)).sum(),
        "overflowed": overflowed.sum(),
    }
    terms = TokenTerms(coefficient, value, sums)
    return terms if extras.observed is None else _with_observed(terms, logp, extras.observed)


def _values(
    tokens: Tokens, valid: torch.Tensor, config: DPPOLossConfig
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return u·w·J, u·w and the derivative of Σ u·w·J by log π, all [N].

    `tokens` have no gradient yet, and no ratio.
    """
    with torch.enable_grad():
        live = tokens.logp.detach().requires_grad_()
        # Means over a sequence must not reach tokens that are not trained.
        own = torch.where(valid, live, live.detach())
        anchor = tokens.mu_logp if config.ratio_to == "behaviour" else own.detach()
        tokens = replace(tokens, logp=own, log_ratio=own - anchor)
        weight = correction(tokens, config)
        if config.mean_over == "sequences":
            weight = weight / tokens.lengths.clamp(min=1)[tokens.sequence]
        # What has no advantage has no value: 0 · NaN must not leak in from a placeholder.
        value = weight * objective_of(config)(tokens, config)
        value = torch.where(tokens.advantage != 0, value, 0)
        (coefficient,) = torch.autograd.grad(value.sum(), live)
    # A broken policy must not be hidden: where log π is NaN, `clamp` has the gradient 0.
    coefficient = torch.where(live.isnan(), live.detach(), coefficient)
    return value.detach(), weight, coefficient


def _with_observed(terms: TokenTerms, logp: torch.Tensor, observed: torch.Tensor) -> TokenTerms:
    """Add the cross-entropy of tokens that were not sampled."""
    weight = observed.to(logp.dtype)
    seen = torch.where(weight != 0, logp, 0.0)
    sums = {"observed": (weight != 0).sum(), "observed_nll": -seen.sum()}
    return TokenTerms(terms.coefficient + weight, terms.value + weight * seen, terms.sums | sums)


def _sequences(
    extras: Extras, valid: torch.Tensor, config: DPPOLossConfig
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the number of each token's sequence, and the trained tokens of each sequence."""
    if not config.needs_sequences:  # counting them would wait for the device
        return torch.zeros_like(valid, dtype=torch.long).flatten(), valid.sum()[None]
    if extras.sequence is not None:
        sequence = extras.sequence.flatten()
        if extras.lengths is not None:
            return sequence, extras.lengths
        return sequence, trained_lengths(sequence, valid.flatten())
    if valid.dim() == 2:
        rows = torch.arange(len(valid), device=valid.device)
        return rows.repeat_interleave(valid.shape[1]), valid.sum(1)
    raise ValueError(
        f"objective {config.objective!r} with corrections {config.corrections} looks at whole "
        "sequences; pass Extras(sequence=...), the number of each token's sequence"
    )


def trained_lengths(sequence: torch.Tensor, valid: torch.Tensor) -> torch.Tensor:
    """Return the number of valid tokens of each sequence.

    >>> trained_lengths(torch.tensor([0, 0, 1]), torch.tensor([True, True, False])).tolist()
    [2, 0]
    """
    count = int(sequence.max()) + 1 if len(sequence) else 0
    zeros = torch.zeros(count, dtype=torch.long, device=valid.device)
    return zeros.index_add(0, sequence, valid.long())


def _sums(
    pi: torch.Tensor,
    mu: torch.Tensor,
    *,
    valid: torch.Tensor,
    far: torch.Tensor,
    trained: torch.Tensor,
    present: torch.Tensor | None,
) -> dict[str, torch.Tensor]:
    """Return sums over valid tokens."""
    gap = torch.where(valid, pi - mu, 0.0)
    zero = torch.zeros((), dtype=pi.dtype, device=pi.device)
    sums = {
        "tokens": valid.sum(),
        "divergence": torch.where(valid, far, 0.0).sum(),
        "logp_gap": gap.abs().sum(),
        "logp_gap_square": gap.square().sum(),
        "logp_gap_max": gap.abs().max() if gap.numel() else zero,
        "k1": (-gap).sum(),
        "ratio_max": torch.where(trained, gap, -math.inf).max().exp() if gap.numel() else zero,
    }
    if present is None:
        return sums
    own = torch.where(present, gap, 0.0).abs()
    return sums | {
        "present_tokens": (valid & present).sum(),
        "present_gap": own.sum(),
        "present_gap_max": own.max() if own.numel() else zero,
    }

"""Compute head, log-probabilities, loss and gradients in one pass over the tokens.

A token's gradient depends only on its own row of logits.  So rows are processed in chunks: a
chunk's tile of logits becomes, in place, first probabilities, then the gradient of the logits, and
two more products give the gradients of the hidden states and of the head, in the forward pass.
This needs three products and the memory of one tile, whatever the number of tokens.  Rows that
cannot have a gradient (masked, no advantage, no log μ) are dropped before the first product, rows
that the trust region blocks before the other two.  Objectives on whole sequences need a pass for
log π first, and so a fourth product.

Covers every objective of `objectives.py`, any chunk size, frozen heads, bfloat16 operands with
float32 results, and the entropy.  Does not cover heads with a bias or a cap on
logits, a weight that is not in one piece (see `head`), a second backward pass, or gradients of
gradients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from tmax_trainers.dppo.loss.config import DPPOLossConfig
from tmax_trainers.dppo.loss.divergence import TopK, others
from tmax_trainers.dppo.loss.dppo import Extras, TokenTerms, token_terms, trained_lengths
from tmax_trainers.dppo.loss.products import products
from tmax_trainers.dppo.loss.tiles import (
    Softmax,
    concatenated,
    fill_gradient,
    pack_rows,
    select,
    softmax_in_place,
)

TILE_BYTES = 5 << 26
"""Largest bytes of a tile by default: 336 MB, 552 rows of 151,936.  With a width of 896, the
products of 4,096 rows take 39.3, 36.0 and 35.8 CPU-seconds in chunks of 331, 448 and 592."""


@dataclass(frozen=True, slots=True)
class SampledTokens:
    """The token that was sampled after each row of hidden states."""

    ids: torch.Tensor
    """Token ids, [N]."""
    mu_logp: torch.Tensor
    """log μ as recorded when they were sampled, [N]; not finite if it is not known."""
    advantages: torch.Tensor
    """[N]."""
    mask: torch.Tensor
    """True if the policy sampled the token, [N]."""
    top_ids: torch.Tensor | None = None
    """The rollout's most probable tokens, [N, k]; only for top-k divergences."""
    top_mu_logp: torch.Tensor | None = None
    """Their log μ; not finite if there are fewer than k."""
    sequence: torch.Tensor | None = None
    """The number of each token's sequence, [N]; only for objectives on sequences."""
    observed: torch.Tensor | None = None
    """Weight of the cross-entropy of tokens that were not sampled, 0 elsewhere, [N]."""
    present: torch.Tensor | None = None
    """True if the present weights sampled the token, [N]; None where versions are not known."""

    @property
    def trained(self) -> torch.Tensor:
        """Whether the policy sampled a token with a known probability, [N]."""
        return self.mask.bool() & self.mu_logp.isfinite()


@dataclass(frozen=True, slots=True)
class HeadOptions:
    """How the head is computed; only `rows` and `entropy` leave the loss as it is."""

    temperature: float = 1.0
    """Temperature at which tokens were sampled."""
    rows: int | None = None
    """Largest number of rows in a chunk; the default fills a tile of 336 MB."""
    operands: torch.dtype | None = None
    """Type to which factors of products are rounded; None for their own types."""
    logits: torch.dtype | None = None
    """Type to which logits are rounded; None for float32."""
    entropy: bool = False
    """Add the sum of the policy's entropies to the sums."""

    def __post_init__(self) -> None:
        """Refuse impossible values."""
        if not self.temperature > 0 or (self.rows is not None and self.rows < 1):
            raise ValueError("temperature must be > 0 and rows, if given, >= 1")


@dataclass(frozen=True, slots=True)
class _Job:
    tokens: SampledTokens
    denominator: torch.Tensor | float
    config: DPPOLossConfig
    options: HeadOptions
    gradients: bool


def fused_linear_dppo(
    hidden: torch.Tensor,
    weight: torch.Tensor,
    tokens: SampledTokens,
    *,
    denominator: torch.Tensor | float,
    config: DPPOLossConfig | None = None,
    options: HeadOptions | None = None,
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Return the result of `dppo_loss` for softmax(hidden · weightᵀ / temperature).

    Sums for metrics are over tokens with a finite log μ and an advantage other than 0.

    Args:
        hidden: Input of the head, [N, H].
        weight: Weight of the head, [V, H].
        tokens: The token that was sampled after each row.
        denominator: Z of the whole optimizer batch, as for `dppo_loss`.
        config: Objective and thresholds.
        options: Chunks, temperature, precision.
    """
    if hidden.dim() != 2 or weight.dim() != 2 or hidden.shape[1] != weight.shape[1]:
        raise ValueError(f"no head: hidden {tuple(hidden.shape)}, weight {tuple(weight.shape)}")
    job = _Job(
        tokens=tokens,
        denominator=denominator,
        config=config or DPPOLossConfig(),
        options=options or HeadOptions(),
        gradients=torch.is_grad_enabled(),
    )
    loss, sums = FusedLinearDPPO.apply(hidden, weight, job)  # type: ignore[no-untyped-call]
    return loss, sums


class FusedLinearDPPO(torch.autograd.Function):
    """The loss, whose gradients are computed in the forward pass, for `fused_linear_dppo`."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Compute loss, sums and the gradients that are needed."""
        hidden, weight, job = inputs
        wanted = [need and job.gradients for need in ctx.needs_input_grad[:2]]
        # Autocast would round float32 factors of products, which only `operands` should do.
        with torch.autocast(hidden.device.type, enabled=False):
            sweep = _Sweep(hidden, weight, job, wanted=wanted)
            sweep.run()
        ctx.gradients = (sweep.d_hidden, sweep.d_weight)
        ctx.types = (hidden.dtype, weight.dtype)
        return sweep.loss, sweep.sums

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Any) -> tuple[torch.Tensor | None, ...]:
        """Scale the gradients, and keep no reference to them."""
        if ctx.gradients is None:
            raise RuntimeError(
                "a second backward pass found no gradients of the fused head, which keeps them "
                "only for the first one; call fused_linear_dppo again"
            )
        gradients, ctx.gradients = ctx.gradients, None
        return (
            *(
                None if gradient is None else gradient.mul_(grads[0]).to(dtype)
                for gradient, dtype in zip(gradients, ctx.types, strict=True)
            ),
            None,
        )


class _Sweep:
    """One pass over the rows that can have a gradient.

    Args:
        hidden: [N, H].
        weight: [V, H].
        job: Tokens and options.
        wanted: Whether the gradients of `hidden` and of `weight` are needed.
    """

    def __init__(
        self, hidden: torch.Tensor, weight: torch.Tensor, job: _Job, *, wanted: list[bool]
    ) -> None:
        self._hidden, self._tokens, self._job = hidden.detach(), job.tokens, job
        self._products = products(hidden, weight, operands=job.options.operands)
        self._dtype = self._products.dtype
        self._vocabulary = weight.shape[0]
        self._trained = job.tokens.trained
        sequence = job.tokens.sequence if job.config.needs_sequences else None
        self._lengths = None if sequence is None else trained_lengths(sequence, self._trained)
        self.loss = hidden.new_zeros((), dtype=self._dtype)
        self.sums: dict[str, torch.Tensor] = {}
        self.d_hidden, self.d_weight = (
            torch.zeros_like(x, dtype=self._dtype) if want else None
            for x, want in zip((hidden, weight), wanted, strict=True)
        )

    def run(self) -> None:
        """Fill `loss`, `sums` and the gradients."""
        rows = self._live().nonzero()[:, 0]
        most = self._job.options.rows or max(
            1, TILE_BYTES // (self._vocabulary * self._dtype.itemsize)
        )
        # Equal chunks, because a short one is slow.
        most = -(-len(rows) // max(1, -(-len(rows) // most)))
        tile = self._hidden.new_empty(most, self._vocabulary, dtype=self._dtype)
        parts = torch.split(rows, max(1, most))  # without rows there is one empty part
        if not self._job.config.whole_sequences:
            for part in parts:
                soft = self._softmax(part, tile)
                self._fill(part, tile, soft, self._terms(part, soft))
            return
        softs = [self._softmax(part, tile) for part in parts]
        terms = self._terms(rows, concatenated(softs))
        if self.d_hidden is None and self.d_weight is None:
            return
        for part, coefficient in zip(parts, torch.split(terms, max(1, most)), strict=True):
            self._fill(part, tile, self._softmax(part, tile), coefficient)

    def _live(self) -> torch.Tensor:
        """Return which rows can have a gradient, or change that of another row."""
        tokens = self._tokens
        live = self._trained
        if not self._job.config.whole_sequences:
            live = live & (tokens.advantages != 0)
        return live if tokens.observed is None else live | (tokens.observed != 0)

    def _softmax(self, rows: torch.Tensor, tile: torch.Tensor) -> Softmax:
        """Fill the begin of a tile with the powers of a chunk's logits."""
        tokens, options, tile = self._tokens, self._job.options, tile[: len(rows)]
        self._products.logits(self._products.rounded(self._hidden[rows]), out=tile)
        if options.logits is not None:
            tile.copy_(tile.to(options.logits))
        if options.temperature != 1:
            tile.div_(options.temperature)
        top_ids = None if tokens.top_ids is None else tokens.top_ids[rows]
        return softmax_in_place(tile, tokens.ids[rows], top_ids=top_ids, entropy=options.entropy)

    def _fill(
        self, rows: torch.Tensor, tile: torch.Tensor, soft: Softmax, coefficient: torch.Tensor
    ) -> None:
        """Turn a chunk's powers into the gradient of its logits, and add those of the factors."""
        if self.d_hidden is None and self.d_weight is None:
            return
        order = pack_rows(tile[: len(rows)], coefficient != 0)
        tile, own = tile[: len(order)], rows[order]
        scale = coefficient[order] / (self._job.denominator * self._job.options.temperature)
        fill_gradient(tile, self._tokens.ids[own], select(soft, order), scale=scale)
        if self.d_hidden is not None:
            self.d_hidden[own] = self._products.hidden_gradient(tile)
        if self.d_weight is not None:
            hidden = self._products.rounded(self._hidden[own])
            self._products.add_weight_gradient(self.d_weight, tile, hidden)

    def _terms(self, rows: torch.Tensor, soft: Softmax) -> torch.Tensor:
        """Add the loss and sums of rows; return their coefficients."""
        tokens, top = self._tokens, None
        mu_logp = tokens.mu_logp[rows].to(self._dtype)
        if tokens.top_ids is not None and tokens.top_mu_logp is not None:
            known = others(tokens.top_ids[rows], tokens.top_mu_logp[rows], tokens.ids[rows])
            top = TopK(mu_logp=known, logp=soft.top_logp)
        terms = token_terms(
            soft.logp,
            mu_logp,
            tokens.advantages[rows].to(self._dtype),
            valid=self._trained[rows],
            config=self._job.config,
            top=top,
            log_rest=soft.log_rest,
            extras=self._extras(rows),
        )
        self._add(terms, torch.where(self._trained[rows], soft.entropy, 0.0).sum())
        return terms.coefficient

    def _extras(self, rows: torch.Tensor) -> Extras:
        """Return the extras of rows; the lengths of sequences are those of the whole part."""
        tokens = self._tokens

        def own(values: torch.Tensor | None) -> torch.Tensor | None:
            return None if values is None else values[rows]

        return Extras(
            sequence=own(tokens.sequence),
            lengths=self._lengths,
            observed=own(tokens.observed),
            present=own(tokens.present),
        )

    def _add(self, terms: TokenTerms, entropy: torch.Tensor) -> None:
        self.loss = self.loss - terms.value.sum().to(self._dtype) / self._job.denominator
        sums = dict(terms.sums)
        if self._job.options.entropy:
            sums["entropy"] = entropy
        for key, value in sums.items():
            if key not in self.sums:
                self.sums[key] = value
            elif key.endswith("_max"):
                self.sums[key] = torch.maximum(self.sums[key], value)
            else:
                self.sums[key] = self.sums[key] + value

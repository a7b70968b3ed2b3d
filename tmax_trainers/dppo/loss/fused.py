"""Compute head, log-probabilities, loss and gradients in one pass over the tokens.

A token's gradient depends only on its own row of logits.  So rows are processed in chunks: a
chunk's tile of logits becomes, in place, first probabilities, then the gradient of the logits, and
two more products give the gradients of the hidden states and of the head, in the forward pass.
This needs three products and the memory of one tile, whatever the number of tokens.  Rows that
cannot have a gradient (masked, no advantage, no log μ) are dropped before the first product, rows
that the trust region blocks before the other two.

Covers every objective of `tmax_trainers.dppo.loss.dppo`, any chunk size, frozen heads, bfloat16
operands with float32 results, and the entropy.  Does not cover heads with a bias or a cap on
logits, a weight that is not in one piece (see `head`), a second backward pass, or gradients of
gradients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from tmax_trainers.dppo.loss.divergence import TopK, others
from tmax_trainers.dppo.loss.dppo import DPPOLossConfig, TokenTerms, token_terms
from tmax_trainers.dppo.loss.products import products
from tmax_trainers.dppo.loss.tiles import (
    Softmax,
    fill_gradient,
    pack_rows,
    select,
    softmax_in_place,
)

_TILE_BYTES = 5 << 26
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


@dataclass(frozen=True, slots=True)
class HeadOptions:
    """How the head is computed; only `temperature` and `operands` change the loss."""

    temperature: float = 1.0
    """Temperature at which tokens were sampled."""
    rows: int | None = None
    """Largest number of rows in a chunk; the default fills a tile of 336 MB."""
    operands: torch.dtype | None = None
    """Type to which factors of products are rounded; None for their own types."""
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
        self.loss = hidden.new_zeros((), dtype=self._dtype)
        self.sums: dict[str, torch.Tensor] = {}
        self.d_hidden, self.d_weight = (
            torch.zeros_like(x, dtype=self._dtype) if want else None
            for x, want in zip((hidden, weight), wanted, strict=True)
        )

    def run(self) -> None:
        """Fill `loss`, `sums` and the gradients."""
        tokens = self._tokens
        live = tokens.mask.bool() & tokens.mu_logp.isfinite() & (tokens.advantages != 0)
        rows = live.nonzero()[:, 0]
        most = self._job.options.rows or max(
            1, _TILE_BYTES // (self._vocabulary * self._dtype.itemsize)
        )
        # Equal chunks, because a short one is slow.
        most = -(-len(rows) // max(1, -(-len(rows) // most)))
        tile = self._hidden.new_empty(most, self._vocabulary, dtype=self._dtype)
        for part in torch.split(rows, max(1, most)):  # without rows there is one empty part
            self._chunk(part, tile[: len(part)])

    def _chunk(self, rows: torch.Tensor, tile: torch.Tensor) -> None:
        """Process a chunk: `tile` holds logits, then probabilities, then their gradient."""
        tokens, options = self._tokens, self._job.options
        hidden = self._products.rounded(self._hidden[rows])
        self._products.logits(hidden, out=tile)
        if options.temperature != 1:
            tile.div_(options.temperature)
        sampled = tokens.ids[rows]
        top_ids = None if tokens.top_ids is None else tokens.top_ids[rows]
        soft = softmax_in_place(tile, sampled, top_ids=top_ids, entropy=options.entropy)
        terms = self._terms(rows, soft)
        self._add(terms, soft.entropy.sum())
        if self.d_hidden is None and self.d_weight is None:
            return
        order = pack_rows(tile, terms.coefficient != 0)
        tile = tile[: len(order)]
        scale = terms.coefficient[order] / (self._job.denominator * options.temperature)
        fill_gradient(tile, sampled[order], select(soft, order), scale=scale)
        if self.d_hidden is not None:
            self.d_hidden[rows[order]] = self._products.hidden_gradient(tile)
        if self.d_weight is not None:
            self._products.add_weight_gradient(self.d_weight, tile, hidden[order])

    def _terms(self, rows: torch.Tensor, soft: Softmax) -> TokenTerms:
        tokens, top = self._tokens, None
        mu_logp = tokens.mu_logp[rows].to(self._dtype)
        if tokens.top_ids is not None and tokens.top_mu_logp is not None:
            known = others(tokens.top_ids[rows], tokens.top_mu_logp[rows], tokens.ids[rows])
            top = TopK(mu_logp=known, logp=soft.top_logp)
        return token_terms(
            soft.logp,
            mu_logp,
            tokens.advantages[rows].to(self._dtype),
            valid=torch.ones_like(mu_logp, dtype=torch.bool),
            config=self._job.config,
            top=top,
            log_rest=soft.log_rest,
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

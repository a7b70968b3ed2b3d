"""Compute the loss in the place of a model's head, instead of logits.

The loss is computed inside the head's own forward pass, because that is where sharded weights
(FSDP2) are whole.

Covers causal language models whose logits are one linear map without bias, under autocast, data
parallelism and sharded weights.  Does not cover adapters on the head, or models that change their
logits after the head; one row passes through the whole model to detect and refuse them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import torch

from tmax_trainers.dppo.loss.config import DPPOLossConfig
from tmax_trainers.dppo.loss.fused import HeadOptions, SampledTokens, fused_linear_dppo
from tmax_trainers.dppo.packing import model_inputs, next_ids

Loss = tuple[torch.Tensor, dict[str, torch.Tensor]]


def chosen_tokens(inputs: dict[str, torch.Tensor]) -> tuple[torch.Tensor, SampledTokens]:
    """Return the tokens of a micro-batch that have a loss.

    Args:
        inputs: A micro-batch of `tmax_trainers.dppo.batching`, tensors of the shape [B, T].

    Returns:
        Which places of [B, T − 1] predict such a token, and the N tokens.
    """
    mask = inputs["mask"][:, 1:]
    observed = inputs["observed"][:, 1:] if "observed" in inputs else None
    chosen = mask if observed is None else mask | (observed != 0)
    return chosen, SampledTokens(
        ids=next_ids(inputs)[chosen],
        mu_logp=inputs["mu_logp"][:, 1:][chosen],
        advantages=inputs["advantages"][:, 1:][chosen],
        mask=mask[chosen],
        sequence=inputs["sequence"][:, 1:][chosen],
        observed=None if observed is None else observed[chosen],
        present=inputs["present"][:, 1:][chosen] if "present" in inputs else None,
    )


def fused_head_loss(
    model: torch.nn.Module,
    inputs: dict[str, torch.Tensor],
    *,
    head: torch.nn.Module,
    config: DPPOLossConfig,
    options: HeadOptions,
) -> Loss:
    """Return loss and sums of a micro-batch of `tmax_trainers.dppo.batching`, without its logits.

    Args:
        model: The model, which may be wrapped.
        inputs: The micro-batch.
        head: The model's output embeddings.
        config: Objective and thresholds.
        options: Options of the head; under autocast, its type is the default of `operands`,
            because an engine in that type rounds weights and hidden states too.
    """
    if not isinstance(head, torch.nn.Linear) or getattr(head, "bias", None) is not None:
        raise ValueError(
            f"the fused head takes a torch.nn.Linear without bias, not {head}; set fused_head=False"
        )
    chosen, tokens = chosen_tokens(inputs)

    def loss(hidden: torch.Tensor, weight: torch.Tensor) -> Loss:
        kind = hidden.device.type
        rounded = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else None
        return fused_linear_dppo(
            hidden[:, : chosen.shape[1]][chosen],
            weight,
            tokens,
            denominator=inputs["denominator"],
            config=config,
            options=replace(options, operands=options.operands or rounded),
        )

    with _instead_of_logits(head, loss) as seen:
        outputs = model(**model_inputs(inputs), use_cache=False)
    _check(outputs.logits[..., :-1], seen.rows[0])
    (value, sums), returned = seen.losses[0], outputs.logits.view(-1)[-1]
    # The backward pass begins at the model's output, where FSDP2 waits for it.
    return value.detach() + (returned - returned.detach()), sums


@dataclass(slots=True)
class _Seen:
    rows: list[torch.Tensor] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)


@contextmanager
def _instead_of_logits(
    head: torch.nn.Linear, loss: Callable[[torch.Tensor, torch.Tensor], Loss]
) -> Iterator[_Seen]:
    """Let the head compute one row of logits, and the loss of its whole input."""
    seen = _Seen()
    # A forward pass that somebody else has put on this module, not on its class.
    others = head.__dict__.get("forward")
    plain = head.forward

    def forward(hidden: torch.Tensor) -> torch.Tensor:
        row = plain(hidden[:1, :1].detach()).detach()
        seen.rows.append(row)
        seen.losses.append(loss(hidden, head.weight))
        # The loss is returned with the row, because wrappers (DistributedDataParallel, FSDP2) find
        # the parameters of the backward pass through outputs.  Both are float32, so that the scale
        # of the loss is not rounded.
        return torch.cat([row.float(), seen.losses[-1][0].float().view(1, 1, 1)], -1)

    head.__dict__["forward"] = forward
    try:
        yield seen
    finally:
        del head.__dict__["forward"]
        if others is not None:
            head.__dict__["forward"] = others


def _check(returned: torch.Tensor, row: torch.Tensor) -> None:
    """Refuse a model whose logits are not those of its head."""
    returned, row = returned.detach().float(), row.float()
    if not torch.allclose(returned, row, rtol=1e-5, atol=1e-6, equal_nan=True):
        raise ValueError(
            "the model returns other logits than its head computed: one is off by "
            f"{float((returned - row).abs().max()):.2g}; set fused_head=False"
        )

"""The fused head in a model: what the head is given is caught, and the head itself not run.

Covers causal language models whose logits are one linear map without bias, under autocast and
data parallelism.  Does not cover adapters on the head, sharded weights, or models that change
their logits after the head; one row in every pass is computed by the model as well, and what
differs is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import torch

from tmax_trainers.loss.dppo import DPPOLossConfig
from tmax_trainers.loss.fused import HeadOptions, SampledTokens, fused_linear_dppo

_TOLERANCE = 0.05
"""Of the largest logit; rounding to bfloat16 is 0.004 of it."""


@dataclass(slots=True)
class _Caught:
    hidden: list[torch.Tensor] = field(default_factory=list)
    operands: torch.dtype | None = None
    """Type that autocast would have given the head's factors."""


def fused_head_loss(
    model: torch.nn.Module,
    inputs: dict[str, torch.Tensor],
    *,
    head: torch.nn.Module,
    config: DPPOLossConfig,
    options: HeadOptions,
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Return loss and sums of a micro-batch of `tmax_trainers.batching`, without its logits.

    Args:
        model: What is called with `input_ids`; may be wrapped.
        inputs: The micro-batch.
        head: The model's output embeddings.
        config: Objective and thresholds.
        options: Of the head; under autocast, its type is the default of `operands`, because an
            engine in that type has rounded weights and hidden states too.
    """
    if not isinstance(head, torch.nn.Linear) or getattr(head, "bias", None) is not None:
        raise ValueError(
            f"the fused head takes a torch.nn.Linear without bias, not {head}; set fused_head=False"
        )
    with _without_head(head) as caught:
        outputs = model(input_ids=inputs["input_ids"], use_cache=False)
    (hidden,) = caught.hidden
    _check(outputs.logits, hidden, head.weight)
    mask = inputs["mask"][:, 1:]
    tokens = SampledTokens(
        ids=inputs["input_ids"][:, 1:][mask],
        mu_logp=inputs["mu_logp"][:, 1:][mask],
        advantages=inputs["advantages"][:, None].expand_as(mask)[mask],
        mask=mask[mask],
    )
    return fused_linear_dppo(
        hidden[:, :-1][mask],
        head.weight,
        tokens,
        denominator=inputs["denominator"],
        config=config,
        options=replace(options, operands=options.operands or caught.operands),
    )


@contextmanager
def _without_head(head: torch.nn.Linear) -> Iterator[_Caught]:
    """Give the head one row, and catch all that it would have been given."""
    caught = _Caught()

    def catch(_: torch.nn.Module, given: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor]:
        caught.hidden.append(given[0])
        if torch.is_autocast_enabled(given[0].device.type):
            caught.operands = torch.get_autocast_dtype(given[0].device.type)
        return (given[0][:1, :1].detach(),)

    hook = head.register_forward_pre_hook(catch)
    try:
        yield caught
    finally:
        hook.remove()


@torch.no_grad()
def _check(logits: torch.Tensor, hidden: torch.Tensor, weight: torch.Tensor) -> None:
    """Refuse a model that does more to its logits than the head."""
    with torch.autocast(hidden.device.type, enabled=False):
        plain = torch.nn.functional.linear(hidden[0, 0].to(weight.dtype), weight).float()
    seen = logits[0, 0].float()
    off = (seen - plain).abs().max() / plain.abs().max().clamp(min=1e-6)
    if off > _TOLERANCE:  # False for NaN, which the loss reports
        raise ValueError(
            f"the model's logits differ from its head's product by {float(off):.0%} of the largest "
            "one, so it changes them afterwards; set fused_head=False"
        )

"""Compute the loss in the place of a model's head, instead of logits.

Covers causal language models whose logits are one linear map without bias, under autocast and
data parallelism.  Does not cover adapters on the head, sharded weights, or models that change
their logits after the head; one row passes through the whole model to detect and refuse them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import torch

from tmax_trainers.dppo.loss.dppo import DPPOLossConfig
from tmax_trainers.dppo.loss.fused import HeadOptions, SampledTokens, fused_linear_dppo
from tmax_trainers.dppo.packing import model_inputs

Loss = tuple[torch.Tensor, dict[str, torch.Tensor]]


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
    weight, mask = head.weight, inputs["mask"][:, 1:]
    tokens = SampledTokens(
        ids=inputs["input_ids"][:, 1:][mask],
        mu_logp=inputs["mu_logp"][:, 1:][mask],
        advantages=inputs["advantages"][:, 1:][mask],
        mask=mask[mask],
    )

    def loss(hidden: torch.Tensor) -> Loss:
        kind = hidden.device.type
        rounded = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else None
        return fused_linear_dppo(
            hidden[:, :-1][mask],
            weight,
            tokens,
            denominator=inputs["denominator"],
            config=config,
            options=replace(options, operands=options.operands or rounded),
        )

    with _instead_of_logits(head, loss) as seen:
        outputs = model(**model_inputs(inputs), use_cache=False)
    _check(outputs.logits[..., :-1], seen.rows[0])
    return seen.losses[0]


@dataclass(slots=True)
class _Seen:
    hidden: list[torch.Tensor] = field(default_factory=list)
    rows: list[torch.Tensor] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)


@contextmanager
def _instead_of_logits(
    head: torch.nn.Linear, loss: Callable[[torch.Tensor], Loss]
) -> Iterator[_Seen]:
    """Pass one row through the head, and compute the loss of its whole input."""
    seen = _Seen()

    def before(_: torch.nn.Module, args: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor]:
        seen.hidden.append(args[0])
        return (args[0][:1, :1].detach(),)

    def after(_: torch.nn.Module, __: tuple[torch.Tensor, ...], row: torch.Tensor) -> torch.Tensor:
        seen.rows.append(row.detach())
        seen.losses.append(loss(seen.hidden[-1]))
        # The loss is returned with the row, because DistributedDataParallel finds the parameters
        # of the backward pass through the model's output.
        return torch.cat([row.detach(), seen.losses[-1][0].to(row.dtype).view(1, 1, 1)], -1)

    hooks = head.register_forward_pre_hook(before), head.register_forward_hook(after)
    try:
        yield seen
    finally:
        for hook in hooks:
            hook.remove()


def _check(returned: torch.Tensor, row: torch.Tensor) -> None:
    """Refuse a model whose logits are not those of its head."""
    returned, row = returned.detach().float(), row.float()
    if not torch.allclose(returned, row, rtol=1e-5, atol=1e-6, equal_nan=True):
        raise ValueError(
            "the model returns other logits than its head computed: one is off by "
            f"{float((returned - row).abs().max()):.2g}; set fused_head=False"
        )

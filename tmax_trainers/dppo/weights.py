"""The policy's weights as an engine wants them: whole, merged, under their plain names.

Covers full models, LoRA adapters (added to a copy; the base is never touched, so nothing drifts)
and FSDP2 (`DTensor`).  Gathering is collective: every rank must consume the iterator.
Does not cover FSDP1 or DeepSpeed.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Protocol

import torch

_PREFIX = "base_model.model."
_CHECKPOINTED = "_checkpoint_wrapped_module."
"""Activation checkpointing of FSDP puts it before the names inside a layer."""


class TransferLike(Protocol):
    """The methods that are used of TRL's `WeightTransferProtocol`."""

    def init_weight_transfer(self) -> None:
        """Set up the transfer."""

    def pause(self) -> None:
        """Pause sampling before weights are swapped."""

    def send_weights(self, iterator: Iterator[tuple[str, torch.Tensor]]) -> None:
        """Hand over names and weights."""

    def resume(self) -> None:
        """Resume sampling."""

    def destroy(self) -> None:
        """Release the transfer's resources."""


def policy_weights(model: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield every weight with its name in the model without adapters."""
    deltas = _adapted(model)
    for name, parameter in model.named_parameters():
        if "lora_" in name:
            continue
        weight = _whole(parameter.detach())
        delta = deltas.get(name)
        if delta is not None:
            weight = weight + _whole(delta()).to(weight.dtype)
        yield plain_name(name), weight


def fresh_copy(model: Any) -> torch.nn.Module:
    """Return a model of the same class with the same weights, without adapters and patches.

    `copy.deepcopy` does not work: TRL replaces `forward` on the model itself, and a copy would call
    the original model.
    """
    plain = model.get_base_model() if adapter_names(model) else model
    copied: Any = type(plain)(copy.deepcopy(plain.config)).to(plain.dtype).to(plain.device)
    own = dict(copied.named_parameters())
    with torch.no_grad():
        for name, weight in policy_weights(model):
            own[name].copy_(weight)
    whole: torch.nn.Module = copied.eval()
    return whole


def plain_name(name: str) -> str:
    """Return a weight's name without the prefixes of wrappers.

    >>> plain_name("base_model.model.model.layers.0.self_attn.q_proj.base_layer.weight")
    'model.layers.0.self_attn.q_proj.weight'
    >>> plain_name("model.layers.0._checkpoint_wrapped_module.mlp.up_proj.weight")
    'model.layers.0.mlp.up_proj.weight'
    """
    name = name.removeprefix("module.").replace(_CHECKPOINTED, "").removeprefix(_PREFIX)
    return name.replace(".base_layer.", ".")


def _adapted(model: torch.nn.Module) -> dict[str, Any]:
    """Return, for each adapted weight, a function that computes its change."""
    if not adapter_names(model):
        return {}
    from peft.tuners.lora import LoraLayer

    deltas: dict[str, Any] = {}
    for name, module in model.named_modules():
        if isinstance(module, LoraLayer):

            def delta(layer: Any = module) -> torch.Tensor:
                with torch.no_grad():
                    parts = [layer.get_delta_weight(a) for a in layer.active_adapters]
                    return torch.stack(parts).sum(0)

            deltas[f"{name}.base_layer.weight"] = delta
    return deltas


def adapter_names(model: torch.nn.Module) -> tuple[str, ...]:
    """Return the names of a model's LoRA parameters."""
    return tuple(name for name, _ in model.named_parameters() if "lora_" in name)


def _whole(weight: torch.Tensor) -> torch.Tensor:
    """Return a weight in one piece; FSDP2 gathers it from all ranks."""
    gather = getattr(weight, "full_tensor", None)
    return weight if gather is None else gather()

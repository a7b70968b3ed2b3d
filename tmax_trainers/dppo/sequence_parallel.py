"""Sequence parallelism: several ranks hold one micro-batch, each a part of every sequence.

It divides the memory of activations.  Attention exchanges parts of sequences for heads and back
(Ulysses, arXiv 2309.14509).  The recurrent layers of Qwen3.5 read the whole sequence, each rank
with its share of their heads.  All other layers, the head and the loss see a rank's own tokens.

Covers models whose layers all have full attention, and Qwen3.5 without adapters on its recurrent
layers, under data parallelism and FSDP2.  Does not cover packed rows, sliding windows, DeepSpeed,
objectives on whole sequences, or more ranks than heads of keys.
"""

from __future__ import annotations

import copy
from typing import Any

import torch
import torch.distributed as dist
from torch.func import functional_call
from torch.nn.functional import pad
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from tmax_gym.errors import TrainingError

_NAME = "tmax_sequence_parallel"
_KINDS = {"full_attention", "linear_attention"}


class SequenceParallel:
    """The ranks that hold one micro-batch: neighbours, `ranks` of them.

    Args:
        model: The policy, changed in place; plain, so not yet sharded or wrapped.
        ranks: Number of ranks that share a sequence; 1 changes nothing.

    Raises:
        TrainingError: The model or the number of processes does not allow it.
    """

    def __init__(self, model: Any, ranks: int) -> None:
        self._ranks = ranks
        if ranks == 1:
            return
        plain = model.get_base_model() if hasattr(model, "get_base_model") else model
        recurrent = {n: m for n, m in plain.named_modules() if n.endswith(".linear_attn")}
        _check_layers(plain.config.get_text_config(), ranks)
        _check_recurrent(recurrent, plain.config.get_text_config())
        world = dist.get_world_size() if dist.is_initialized() else 1
        if world % ranks:
            raise TrainingError(
                f"sequence_parallel={ranks} does not divide the number of processes, {world}; "
                "choose a divisor"
            )
        self._group, _ = dist.new_subgroups(group_size=ranks)  # type: ignore[no-untyped-call]
        self._place = dist.get_rank(self._group)
        AttentionInterface.register(_NAME, self._attention)
        plain.set_attn_implementation(_NAME)
        for module in recurrent.values():
            self._divide_heads(module)

    def part(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Return this rank's part of a micro-batch: tokens, and one more that follows them."""
        if self._ranks == 1:
            return batch
        count, length = batch["input_ids"].shape
        size = -(-length // self._ranks)
        start, padding = self._place * size, self._ranks * size + 1 - length
        own = {
            name: pad(values, (0, padding))[:, start : start + size + 1]
            for name, values in batch.items()
            if values.shape == (count, length)
        }
        ids = own["input_ids"]
        places = torch.arange(start, start + size).expand(count, size)
        own |= {"input_ids": ids[:, :-1], "next_ids": ids[:, 1:], "position_ids": places}
        return batch | own

    def total(self, sums: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Return sums and maxima (`_max`) over all parts of a micro-batch."""
        if self._ranks == 1:
            return sums
        for name, value in sums.items():
            is_max = name.endswith("_max")
            dist.all_reduce(
                value, dist.ReduceOp.MAX if is_max else dist.ReduceOp.SUM, group=self._group
            )
        return sums

    def _exchange(self, parts: torch.Tensor) -> torch.Tensor:
        """Send `parts[i]` to rank i; return what came from rank i as `[i]`."""
        received: torch.Tensor = _Exchange.apply(parts, self._group)  # type: ignore[no-untyped-call]
        return received

    def _attention(
        self, module: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor,
        mask: torch.Tensor | None, **kwargs: Any,
    ) -> tuple[torch.Tensor, None]:  # fmt: skip
        """Attend to the whole sequence with this rank's heads.

        Args:
            module: The layer.
            query: [batch, heads, own tokens, width], as `key` and `value`.
            key: As above.
            value: As above.
            mask: None; rows are padded on the right, so a causal mask suffices.
            kwargs: Of the implementation.

        Returns:
            [batch, own tokens, heads, width].
        """
        if mask is not None or kwargs.get("sliding_window") is not None:
            raise TrainingError(
                f"{type(module).__name__} has a mask or a sliding window, which sequence_parallel "
                "cannot divide; set sequence_parallel=1"
            )

        def whole(states: torch.Tensor) -> torch.Tensor:
            # [ranks, batch, heads of a rank, own tokens, width] -> tokens of all ranks in order
            return torch.cat([*self._exchange(torch.stack(states.chunk(self._ranks, 1)))], 2)

        mixed, _ = sdpa_attention_forward(
            module, whole(query), whole(key), whole(value), None, **kwargs
        )
        return torch.cat([*self._exchange(torch.stack(mixed.chunk(self._ranks, 1)))], 2), None

    def _divide_heads(self, module: Any) -> None:
        """Let a recurrent layer compute this rank's heads of the whole sequence."""
        layer: Any = copy.copy(module)  # shares parameters and submodules
        layer.num_k_heads, layer.num_v_heads = (
            n // self._ranks for n in (module.num_k_heads, module.num_v_heads)
        )
        layer.key_dim, layer.value_dim = (
            n // self._ranks for n in (module.key_dim, module.value_dim)
        )

        def forward(hidden_states: torch.Tensor, **kwargs: Any) -> torch.Tensor:
            copies = hidden_states.expand(self._ranks, *hidden_states.shape)
            whole = torch.cat([*self._exchange(copies)], 1)
            mixed = functional_call(layer, self._own_heads(module), (whole,), kwargs)
            # Each rank has the sum over its own heads.
            return self._exchange(torch.stack(mixed.chunk(self._ranks, 1))).sum(0)

        module.__dict__["forward"] = forward

    def _own_heads(self, module: Any) -> dict[str, torch.Tensor]:
        """Return this rank's share of a recurrent layer's weights."""

        def own(weight: torch.Tensor, axis: int = 0) -> torch.Tensor:
            return weight.chunk(self._ranks, axis)[self._place]

        def mixed(weight: torch.Tensor) -> torch.Tensor:
            parts = torch.split(weight, [module.key_dim, module.key_dim, module.value_dim])
            return torch.cat([own(part) for part in parts])

        weights = dict(module.named_parameters())
        shares = {n: own(weights[n]) for n in ("A_log", "dt_bias")}
        shares |= {f"in_proj_{n}.weight": own(weights[f"in_proj_{n}.weight"]) for n in "zba"}
        shares |= {n: mixed(weights[n]) for n in ("in_proj_qkv.weight", "conv1d.weight")}
        return shares | {"out_proj.weight": own(weights["out_proj.weight"], 1)}


class _Exchange(torch.autograd.Function):
    """An all-to-all, whose gradient is an all-to-all."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> torch.Tensor:
        """Exchange the first axis."""
        parts, ctx.group = inputs
        received = torch.empty_like(parts, memory_format=torch.contiguous_format)
        dist.all_to_all_single(received, parts.contiguous(), group=ctx.group)
        return received

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[torch.Tensor, None]:
        """Send every gradient back to where its part came from."""
        back: torch.Tensor = _Exchange.apply(grads[0], ctx.group)  # type: ignore[no-untyped-call]
        return back, None


def _check_layers(config: Any, ranks: int) -> None:
    """Refuse a model whose attention or heads cannot be divided."""
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    if kinds - _KINDS:
        raise TrainingError(
            f"sequence_parallel cannot divide layers of {', '.join(sorted(kinds - _KINDS))}, which "
            "need a mask of their own; set sequence_parallel=1"
        )
    names = ["num_attention_heads", "num_key_value_heads"]
    if "linear_attention" in kinds:
        names += ["linear_num_key_heads", "linear_num_value_heads"]
    heads = {name: getattr(config, name, ranks) for name in names}
    if any(count % ranks for count in heads.values()):
        raise TrainingError(
            f"sequence_parallel={ranks} does not divide every number of heads of the model, "
            f"{heads}; choose a divisor of all"
        )


def _check_recurrent(layers: dict[str, torch.nn.Module], config: Any) -> None:
    """Refuse recurrent layers whose weights are not laid out as those of Qwen3.5."""
    from transformers.models.qwen3_5.modeling_qwen3_5 import Qwen3_5GatedDeltaNet

    kinds = list(getattr(config, "layer_types", None) or [])
    if kinds.count("linear_attention") != len(layers):
        raise TrainingError(
            f"sequence_parallel divides recurrent layers that are called linear_attn, and the "
            f"model has {len(layers)} of {kinds.count('linear_attention')}; set sequence_parallel=1"
        )
    for name, layer in layers.items():
        adapted = any("lora_" in weight for weight, _ in layer.named_parameters())
        if type(layer) is not Qwen3_5GatedDeltaNet or adapted:
            raise TrainingError(
                f"sequence_parallel divides the heads of recurrent layers of Qwen3.5 without "
                f"adapters, and {name} is {type(layer).__name__}{' with adapters' * adapted}; set "
                "sequence_parallel=1"
            )

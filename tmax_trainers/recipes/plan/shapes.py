"""The shape of a recipe's model: what an estimate of its memory needs to know.

Covers the models of the packaged recipes, models from scratch, and any checkpoint whose
`config.json` is on this machine.  Does not ask the hub: a model that is neither packaged nor here
has no shape.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from tmax_trainers.recipes.recipe import Model

Attention = Literal["full", "hybrid"]


@dataclass(frozen=True, slots=True)
class ModelShape:
    """Sizes of a causal language model; each is a number of values, not of bytes."""

    parameters: int
    """All parameters of the language model; a tied head counts once."""
    hidden: int
    layers: int
    vocabulary: int
    intermediate: int
    """Width of the feed-forward part."""
    mixer: int
    """Width of the widest attention or recurrent layer: its heads times their size."""
    cached: int
    """Values of one token in all caches of full attention: keys and values of every layer."""
    heads: int
    """Greatest common divisor of all numbers of heads: as many ranks can share a sequence."""
    tied: bool
    """Head and input embedding share one weight."""
    attention: Attention = "full"
    """`hybrid`: some layers are recurrent, such as the gated-delta layers of Qwen3.5."""
    positions: int | None = None
    """Longest sequence that the model was made for; None if its configuration has no limit."""
    head_problem: str = ""
    """Why the fused head cannot take the model's head; empty if it can."""


# From public model cards, and for Qwen3.5-9B from the defaults of transformers.  The feed-forward
# width and the heads of the 2B are from memory: no configuration was at hand.  The parameters are
# those of the text model alone, counted by transformers; tests/trainers/recipes/test_memory.py
# does it again.
_QWEN3_5_2B = ModelShape(
    1_881_825_088, 2048, 24, 248_320, 6144, mixer=2048, cached=2 * 2 * 256 * 6, heads=2,
    tied=True, attention="hybrid", positions=262_144,
)  # fmt: skip
_QWEN3_5_4B = ModelShape(
    4_205_751_296, 2560, 32, 248_320, 9216, mixer=4096, cached=2 * 4 * 256 * 8, heads=4,
    tied=True, attention="hybrid", positions=262_144,
)  # fmt: skip
_QWEN3_5_9B = ModelShape(
    8_953_803_264, 4096, 32, 248_320, 12_288, mixer=4096, cached=2 * 4 * 256 * 8, heads=4,
    tied=False, attention="hybrid", positions=262_144,
)  # fmt: skip
_QWEN3_6_27B = ModelShape(
    26_895_998_464, 5120, 64, 248_320, 17_408, mixer=6144, cached=2 * 4 * 256 * 16, heads=4,
    tied=False, attention="hybrid", positions=262_144,
)  # fmt: skip
_QWEN3_8B = ModelShape(
    8_190_735_360, 4096, 36, 151_936, 12_288, mixer=4096, cached=2 * 8 * 128 * 36, heads=8,
    tied=False, positions=40_960,
)  # fmt: skip
_SMOLLM2_135M = ModelShape(
    134_515_008, 576, 30, 49_152, 1536, mixer=576, cached=2 * 3 * 64 * 30, heads=3,
    tied=True, positions=8192,
)  # fmt: skip

_WORDS = 4096
"""Vocabulary of a policy from scratch in an estimate.  Its real one is that of its lessons, which
have not been played: 311 words in the lessons of `cpu_tiny`."""
KNOWN = {
    "hamishivi/Qwen3.5-2B": _QWEN3_5_2B,
    "hamishivi/Qwen3.5-4B": _QWEN3_5_4B,
    "hamishivi/Qwen3.5-9B": _QWEN3_5_9B,
    "Qwen/Qwen3.5-2B": _QWEN3_5_2B,
    "Qwen/Qwen3.5-4B": _QWEN3_5_4B,
    "Qwen/Qwen3.5-9B": _QWEN3_5_9B,
    "Qwen/Qwen3.6-27B": _QWEN3_6_27B,
    "Qwen/Qwen3-8B": _QWEN3_8B,
    "hamishivi/sft_qwen3_8b_our_sft_cleaned_func": _QWEN3_8B,
    "HuggingFaceTB/SmolLM2-135M-Instruct": _SMOLLM2_135M,
}
"""Shapes by `model.init`."""


def shape_of(model: Model, *, length: int) -> ModelShape | None:
    """Return the shape of a recipe's model, or None if it is not known without a network.

    Args:
        model: Of the recipe.
        length: Longest sequence, in tokens, for a policy from scratch.
    """
    from tmax_trainers.recipes.policy import SCRATCH, load_policy

    if model.init in SCRATCH:
        import torch

        with torch.device("meta"):
            policy = load_policy(model, vocabulary=_WORDS, max_length=length, seed=0)
        return shape_of_policy(policy)
    return KNOWN.get(model.init) or _on_this_machine(model.init)


def shape_of_policy(policy: Any) -> ModelShape:
    """Return the shape of a model of transformers, which may be on the `meta` device."""
    config = policy.config.get_text_config()
    kinds = list(getattr(config, "layer_types", None) or [])
    hybrid = "linear_attention" in kinds
    heads: int = config.num_attention_heads
    size = getattr(config, "head_dim", None) or config.hidden_size // heads
    keys = getattr(config, "num_key_value_heads", None) or heads
    mixer, shareable = heads * size, math.gcd(heads, keys)
    full: int = kinds.count("full_attention") if hybrid else config.num_hidden_layers
    if hybrid:
        values = config.linear_num_value_heads
        mixer = max(mixer, values * config.linear_value_head_dim)
        shareable = math.gcd(shareable, config.linear_num_key_heads, values)
    head = policy.get_output_embeddings()
    problem = ""
    if getattr(head, "bias", None) is not None:
        problem = "its head has a bias"
    elif getattr(config, "final_logit_softcapping", None):
        problem = "it caps its logits after the head"
    return ModelShape(
        parameters=sum(p.numel() for p in policy.parameters()),
        hidden=config.hidden_size,
        layers=config.num_hidden_layers,
        vocabulary=config.vocab_size,
        intermediate=getattr(config, "intermediate_size", None) or 4 * config.hidden_size,
        mixer=mixer,
        cached=2 * keys * size * full,
        heads=shareable,
        tied=head.weight is policy.get_input_embeddings().weight,
        attention="hybrid" if hybrid else "full",
        positions=getattr(config, "max_position_embeddings", None),
        head_problem=problem,
    )


def _on_this_machine(init: str) -> ModelShape | None:
    """Return the shape of a checkpoint in a directory or in the hub's cache, without weights."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    try:
        config = AutoConfig.from_pretrained(init, local_files_only=True)
    except (OSError, ValueError):
        return None
    with torch.device("meta"):
        policy = AutoModelForCausalLM.from_config(config)
    return shape_of_policy(policy)

"""Tiny Llama policies, made from scratch.

Covers a configuration, seeded initialisation and a parameter count.  Does not cover loading a
published checkpoint: `transformers.AutoModelForCausalLM` does that, and everything else in this
package takes any causal language model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM


@dataclass(frozen=True, slots=True)
class PolicyConfig:
    """Shape of a policy."""

    vocab_size: int
    layers: int = 4
    width: int = 192
    heads: int = 4
    mlp_width: int | None = None
    """Hidden width of the gated MLP; 3 × width by default."""
    max_length: int = 2048
    """Longest stream of tokens that it will be given."""
    tie_embeddings: bool = True
    """Share input and output embeddings: what is copied is found and said with one vector."""
    rope_theta: float = 10_000.0
    pad_id: int = 0

    def __post_init__(self) -> None:
        """Refuse shapes that rotary attention cannot have."""
        if self.width % self.heads or (self.width // self.heads) % 2:
            raise ValueError(f"width {self.width} must be an even multiple of heads {self.heads}")


def build_policy(config: PolicyConfig, *, seed: int) -> LlamaForCausalLM:
    """Return a float32 Llama on the CPU; the same seed gives the same weights."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    shape = LlamaConfig(
        vocab_size=config.vocab_size,
        hidden_size=config.width,
        intermediate_size=config.mlp_width or 3 * config.width,
        num_hidden_layers=config.layers,
        num_attention_heads=config.heads,
        num_key_value_heads=config.heads,
        max_position_embeddings=config.max_length,
        tie_word_embeddings=config.tie_embeddings,
        rope_parameters={"rope_type": "default", "rope_theta": config.rope_theta},
        pad_token_id=config.pad_id,
        bos_token_id=None,
        eos_token_id=None,
        attn_implementation="sdpa",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model: LlamaForCausalLM = LlamaForCausalLM(shape)
    return model.eval()

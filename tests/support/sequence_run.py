"""Gradients of sequences that two gloo ranks share: OUT/RANK.pt has `shared_gradient` by case.

`tests.support.trainer_ranks` starts the ranks.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import torch
import transformers

from tests.trainers.dppo.test_fused_head import tiny_hybrid
from tests.trainers.dppo.test_trainer import VOCABULARY, gradient, policy, recorded
from tmax_trainers.recipes.processes import processes

Model = torch.nn.Module
PARTS = 3
"""Micro-batches of a step."""


def llama() -> Model:
    """Return a model with as many heads of keys as of queries."""
    return policy(1)


def grouped() -> Model:
    """Return a model whose heads of queries share those of keys."""
    config = transformers.Qwen3Config(
        vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, head_dim=8, max_position_embeddings=128,
    )  # fmt: skip
    return _seeded(transformers.Qwen3ForCausalLM, config)


def hybrid() -> Model:
    """Return three recurrent layers, whose heads of values share those of keys, and attention."""
    config = tiny_hybrid().config
    config.num_attention_heads, config.num_key_value_heads = 4, 2
    config.linear_num_key_heads, config.linear_num_value_heads = 2, 4
    return _seeded(transformers.Qwen3_5ForCausalLM, config)


def _seeded(kind: type, config: object) -> Model:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model: Model = kind(config).eval()
        return model


CASES: dict[str, tuple[Callable[[], Model], bool, bool]] = {
    "hybrid, sharded": (hybrid, True, True),  # first, as the state of FSDP is set up once
    "hybrid": (hybrid, True, False),
    "grouped": (grouped, True, False),
    "llama, all logits": (llama, False, False),
}
"""Name of a case: its model, whether its head is fused, and whether its weights are sharded."""


def metrics(trainer: transformers.Trainer) -> dict[str, float]:
    """Return what a trainer logged about the trained tokens."""
    row = trainer.state.log_history[0]
    return {key: value for key, value in row.items() if key.startswith("policy/")}


def shared_gradient(case: str, rank: int, path: Path) -> tuple[torch.Tensor, int, dict[str, float]]:
    """Return the gradient of a step, the most tokens that a layer saw, and the metrics."""
    make, fused, sharded = CASES[case]
    model, lengths = make(), []
    os.environ["ACCELERATE_USE_FSDP"] = str(sharded).lower()
    if sharded:
        processes()

    def note(module: Model, inputs: tuple[torch.Tensor, ...]) -> None:
        lengths.append(inputs[0].shape[1])

    model.gradient_checkpointing_enable()
    model.model.layers[0].mlp.register_forward_pre_hook(note)
    result, trainer = gradient(
        model, [] if rank else recorded(), PARTS, path,
        fused_head=fused, sequence_parallel=2,
        accelerator_config={"use_configured_state": sharded},
    )  # fmt: skip
    return result, max(lengths), metrics(trainer)


def work(out: Path, rank: int) -> None:
    """Run all cases as a rank."""
    os.environ.update(FSDP_VERSION="2", FSDP_TRANSFORMER_CLS_TO_WRAP="Qwen3_5DecoderLayer")
    os.environ.update(FSDP_AUTO_WRAP_POLICY="TRANSFORMER_BASED_WRAP")
    torch.save({case: shared_gradient(case, rank, out) for case in CASES}, out / f"{rank}.pt")

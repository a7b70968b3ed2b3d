"""Optimizer steps with the fused head on sharded weights, in one process or in two ranks.

`tests.support.trainer_ranks` starts the ranks; the first one writes OUT/CASE.pt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import fully_shard

from tests.trainers.dppo.test_fused_head import tiny_hybrid
from tests.trainers.dppo.test_trainer import policy, recorded
from tmax_trainers.dppo.batching import micro_batches
from tmax_trainers.dppo.loss.config import DPPOLossConfig
from tmax_trainers.dppo.loss.fused import HeadOptions
from tmax_trainers.dppo.loss.head import fused_head_loss
from tmax_trainers.dppo.weights import policy_weights

STEPS = 3
CUT = 0.05
"""Largest norm of a gradient, so that every step is clipped."""


def untied() -> torch.nn.Module:
    """Return a model with a head of its own."""
    return policy(1)


def tied() -> torch.nn.Module:
    """Return a model whose head is its input embedding."""
    model = policy(1)
    model.config.tie_word_embeddings = True
    model.get_output_embeddings().weight = model.get_input_embeddings().weight
    return model


def adapted() -> torch.nn.Module:
    """Return a model with LoRA on its attention."""
    from peft import LoraConfig, get_peft_model

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        names = ["q_proj", "v_proj"]
        lora = LoraConfig(r=2, target_modules=names, init_lora_weights=False)
        return get_peft_model(untied(), lora)


CASES: dict[str, tuple[Callable[[], torch.nn.Module], dict[str, Any]]] = {
    "untied": (untied, {}),
    "tied": (tied, {}),
    "hybrid": (tiny_hybrid, {}),
    "lora": (adapted, {}),
    "kept": (untied, {"reshard_after_forward": False}),
    "packed": (untied, {"packed": True}),
}
"""Name of a case: its model, and how it is sharded or fed."""


def sharded(model: torch.nn.Module, *, reshard_after_forward: bool = True) -> torch.nn.Module:
    """Shard every layer, the head if it has its own weight, and the rest."""
    plain = model.get_base_model() if hasattr(model, "get_base_model") else model
    for layer in plain.model.layers:
        fully_shard(layer, reshard_after_forward=reshard_after_forward)
    head = plain.get_output_embeddings()
    if head.weight is not plain.get_input_embeddings().weight:
        fully_shard(head, reshard_after_forward=reshard_after_forward)
    fully_shard(model, reshard_after_forward=reshard_after_forward)
    return model


class Run:
    """A model, its optimizer and its share of a batch."""

    def __init__(self, case: str, *, rank: int = 0, ranks: int = 1) -> None:
        make, options = CASES[case]
        options = dict(options)
        packed = options.pop("packed", False)
        self.model, self.ranks = make(), ranks
        if ranks > 1:
            sharded(self.model, **options)
        trained = [p for p in self.model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(trained, lr=1e-2)
        self.parts = micro_batches(recorded(), count=2, packed=packed)[rank::ranks]

    def step(self) -> tuple[float, dict[str, torch.Tensor]]:
        """Take a step; return the loss of the batch, and its gradient before it is clipped."""
        self.optimizer.zero_grad()
        total = torch.zeros(())
        for part in self.parts:
            loss, _ = fused_head_loss(
                self.model,
                part,
                head=self.model.get_output_embeddings(),
                config=DPPOLossConfig(),
                options=HeadOptions(rows=11),
            )
            # Ranks average their gradients, and the loss of a batch is the sum of its parts.
            (loss * self.ranks).backward()
            total += loss.detach().float()
        if self.ranks > 1:
            dist.all_reduce(total)
        named = self.model.named_parameters()
        gradient = {n: whole(p.grad).clone() for n, p in named if p.grad is not None}
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), CUT)
        self.optimizer.step()
        return float(total), gradient

    def steps(self, count: int) -> Iterator[tuple[float, dict[str, torch.Tensor]]]:
        """Yield the results of steps."""
        for _ in range(count):
            yield self.step()

    def weights(self) -> dict[str, torch.Tensor]:
        """Return what an engine would be sent."""
        return {name: weight.clone() for name, weight in policy_weights(self.model)}

    def save(self, path: Path) -> None:
        """Write weights and optimizer, each rank its own part."""
        model, optimizer = get_state_dict(self.model, self.optimizer)
        dcp.save({"model": model, "optimizer": optimizer}, checkpoint_id=path)

    def load(self, path: Path) -> None:
        """Read what `save` wrote."""
        model, optimizer = get_state_dict(self.model, self.optimizer)
        state = {"model": model, "optimizer": optimizer}
        dcp.load(state, checkpoint_id=path)
        set_state_dict(
            self.model,
            self.optimizer,
            model_state_dict=state["model"],
            optim_state_dict=state["optimizer"],
        )


def whole(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor in one piece."""
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


def play(case: str, out: Path) -> None:
    """Run a case as a rank; the first rank writes what came out."""
    rank, ranks = dist.get_rank(), dist.get_world_size()
    run = Run(case, rank=rank, ranks=ranks)
    results = list(run.steps(STEPS - 1))
    run.save(out / f"checkpoint-{case}")
    results += run.steps(1)
    weights = run.weights()
    resumed = Run(case, rank=rank, ranks=ranks)
    resumed.load(out / f"checkpoint-{case}")
    again = list(resumed.steps(1))
    last = resumed.weights()
    if rank == 0:
        torch.save((results, weights, again, last), out / f"{case}.pt")
    dist.barrier()


def work(out: Path, rank: int) -> None:
    """Run all cases as a rank."""
    dist.init_process_group("gloo")
    for case in CASES:
        play(case, out)

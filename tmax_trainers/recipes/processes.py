"""The trainer processes of a run, as accelerate's state.

Covers what `accelerate launch` or `torchrun` started on GPUs and, with gloo, on CPUs: data
parallelism and FSDP2.  Does not cover FSDP1 or DeepSpeed.
"""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import timedelta

import torch
from accelerate import Accelerator, PartialState
from accelerate.utils import DistributedType
from transformers.modeling_layers import GradientCheckpointingLayer

from tmax_gym.errors import RecipeError

WAIT = timedelta(days=1)
"""How long trainer processes wait for the main one, which waits for episodes; NCCL's own limit of
ten minutes is less than one batch may take."""


def processes() -> PartialState:
    """Return the state of all processes, on CPUs where there is no GPU.

    Where FSDP is asked for, CPUs are declared GPUs: accelerate looks at this type alone before it
    shards weights (`AcceleratorState`), and FSDP itself works on both.
    """
    state = PartialState(cpu=not torch.cuda.is_available(), timeout=WAIT)
    if sharded_on_cpus() and state.distributed_type == DistributedType.MULTI_CPU:
        state.distributed_type = DistributedType.MULTI_GPU
    return state


def sharded_on_cpus() -> bool:
    """Return whether FSDP is asked for on a machine without a GPU."""
    return splits_weights() and not torch.cuda.is_available()


def splits_weights() -> bool:
    """Return whether `accelerate launch` started this process with split weights (FSDP)."""
    return os.environ.get("ACCELERATE_USE_FSDP", "false").lower() == "true"


def suit_sharding(accelerator: Accelerator, model: torch.nn.Module, *, taught: bool) -> None:
    """Complete the options of FSDP for a model; do nothing where weights are not sharded by it.

    Args:
        accelerator: Of the trainer, before it prepares the model.
        model: The policy.
        taught: Whether the main process alone has had a warm start.

    Raises:
        RecipeError: The other processes would keep their weights of before the warm start.
    """
    plugin = getattr(accelerator.state, "fsdp_plugin", None)
    if plugin is None:
        return
    if taught and not plugin.cpu_ram_efficient_loading:
        raise RecipeError(
            "the warm start is in the weights of the main process alone, and FSDP would shard each "
            "process's own; set fsdp_cpu_ram_efficient_loading: true, which sends them to all"
        )
    if plugin.transformer_cls_names_to_wrap is None:
        # By default accelerate wants all layers that the class of model can have, and the
        # language model of Qwen3.5 has no vision layers.
        layers = (m for m in model.modules() if isinstance(m, GradientCheckpointingLayer))
        plugin.transformer_cls_names_to_wrap = sorted({type(layer).__name__ for layer in layers})
    if plugin.mixed_precision_policy is not None:
        # By default accelerate sums gradients over processes in bfloat16, which rounds away small
        # ones; the sums are float32 on one process.
        plugin.mixed_precision_policy = replace(
            plugin.mixed_precision_policy, reduce_dtype=torch.float32
        )

"""Weights over NCCL: TRL's own client, told about our model.

Covers building the description that the server sizes its buffers by.  Needs CUDA on both sides
and vLLM in the trainer's environment, as TRL does; on one machine `files.py` needs neither.
"""

from __future__ import annotations

from typing import Any

import torch

from tmax_gym.errors import EngineError


def update_info(model: torch.nn.Module) -> dict[str, list[Any]]:
    """Return names, data types and shapes of what `named_parameters` yields, in its order."""
    named = list(model.named_parameters())
    return {
        "names": [name for name, _ in named],
        "dtype_names": [str(one.dtype).removeprefix("torch.") for _, one in named],
        "shapes": [list(one.shape) for _, one in named],
    }


def nccl_transfer(url: str, model: torch.nn.Module, *, timeout: int = 1800) -> Any:
    """Return TRL's `WeightTransferClient` for a server that was started with `nccl`.

    Raises:
        EngineError: CUDA, TRL or vLLM is absent.
    """
    if not torch.cuda.is_available():
        raise EngineError("NCCL needs CUDA; on one machine use the transfer `tmax_files`")
    try:
        from trl.experimental.async_grpo.vllm_client import VLLMClient
        from trl.experimental.async_grpo.weight_transfer import WeightTransferClient

        return WeightTransferClient(VLLMClient(url), update_info(model), timeout)
    except ImportError as error:
        raise EngineError(f"weights over NCCL need TRL and vLLM here: {error}") from error

"""A weight transfer engine for vLLM that reads a safetensors file.

Runs in the server's processes, where this package may be absent: it imports only vLLM, torch and
safetensors.  vLLM calls `register` by an entry point of `vllm.general_plugins`.
Draft models and partial updates are not supported.
"""

from __future__ import annotations

from typing import Any

NAME = "tmax_files"


def register() -> None:
    """Register the engine with vLLM, once for each process."""
    from vllm.distributed.weight_transfer.factory import WeightTransferEngineFactory

    try:
        WeightTransferEngineFactory.register_engine(NAME, engine())
    except ValueError:  # registered by this package's own entry point as well
        return


def engine() -> Any:
    """Return the engine's class; made here because vLLM may be absent when this is imported."""
    from vllm.distributed.weight_transfer.base import WeightTransferEngine

    init, update = infos()
    steps = {"init_info_cls": init, "update_info_cls": update, **_STEPS}
    return type("FileEngine", (WeightTransferEngine,), {"__doc__": __doc__, **steps})


def infos() -> tuple[Any, Any]:
    """Return the classes of the two messages that vLLM passes on: nothing, and a path."""
    from dataclasses import make_dataclass

    from vllm.distributed.weight_transfer.base import (
        WeightTransferInitInfo,
        WeightTransferUpdateInfo,
    )

    init = make_dataclass("InitInfo", (), bases=(WeightTransferInitInfo,))
    return init, make_dataclass("UpdateInfo", [("path", str)], bases=(WeightTransferUpdateInfo,))


def _start(self: Any) -> None:
    """Prepare the model for weights in the layout of a checkpoint."""
    from vllm.model_executor.model_loader.reload import initialize_layerwise_reload

    initialize_layerwise_reload(self.model)


def _update(self: Any, update_info: dict[str, Any]) -> None:
    """Load the file; on a GPU, wait until it is loaded."""
    import torch

    self.receive_weights(self.parse_update_info(update_info))
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def _receive(self: Any, update_info: Any) -> None:
    """Load the file, tensor by tensor."""
    from safetensors import safe_open

    with safe_open(update_info.path, framework="pt") as file:
        self.model.load_weights((key, file.get_tensor(key)) for key in file.keys())  # noqa: SIM118


def _finish(self: Any) -> None:
    """Convert the weights to the layout of the kernels."""
    from vllm.model_executor.model_loader.reload import finalize_layerwise_reload

    finalize_layerwise_reload(self.model, self.model_config)
    if getattr(self.model_config.hf_text_config, "tie_word_embeddings", False):
        _pack_heads(self.model)


def _pack_heads(model: Any) -> None:
    """Update heads that share the embeddings' weights.

    On a CPU they compute with a packed copy, which a reload does not change, because no weight of
    the checkpoint has their name.
    """
    from vllm.model_executor.layers.vocab_parallel_embedding import ParallelLMHead

    for layer in model.modules():
        if isinstance(layer, ParallelLMHead):
            layer.quant_method.process_weights_after_loading(layer)


def _nothing(self: Any, *arguments: Any) -> None:
    """Do nothing: there is no connection to open or close."""


_STEPS = {
    "init_transfer_engine": _nothing,
    "start_weight_update": _start,
    "update_weights": _update,
    "receive_weights": _receive,
    "finish_weight_update": _finish,
    "shutdown": _nothing,
}

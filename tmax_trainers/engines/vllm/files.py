"""Hand weights to a server on the same machine through a safetensors file in shared memory.

The weights must have the names of the model's checkpoint.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tmax_gym.errors import EngineError

if TYPE_CHECKING:
    import torch

MEMORY = Path("/dev/shm")


@contextmanager
def written(
    weights: Iterable[tuple[str, torch.Tensor]],
    *,
    directory: Path | None = None,
    dtype: torch.dtype | None = None,
) -> Iterator[Path]:
    """Yield a file with the weights, which is deleted afterwards.

    Args:
        weights: Names of the checkpoint, and tensors on any device.
        directory: Directory of the file; shared memory by default.
        dtype: Type of stored floating-point tensors; their own by default.

    Raises:
        EngineError: The file cannot be written, for example if shared memory is too small.
    """
    from safetensors.torch import save_file

    place = directory or (MEMORY if MEMORY.is_dir() else Path(tempfile.gettempdir()))
    handle, name = tempfile.mkstemp(prefix="tmax-weights-", suffix=".safetensors", dir=place)
    os.close(handle)
    file = Path(name)
    try:
        try:
            save_file({key: _plain(tensor, dtype) for key, tensor in weights}, file)
        except (OSError, RuntimeError) as error:
            raise EngineError(
                f"the weights do not fit into {place}: {error}; name a larger directory"
            ) from error
        yield file
    finally:
        file.unlink(missing_ok=True)


def _plain(tensor: torch.Tensor, dtype: torch.dtype | None) -> torch.Tensor:
    """Return the tensor on the CPU, with its own storage, as safetensors needs it."""
    import torch

    moved = tensor.detach().cpu()
    if dtype is not None and moved.is_floating_point():
        moved = moved.to(dtype)
    return moved.clone(memory_format=torch.contiguous_format)

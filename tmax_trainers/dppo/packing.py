"""Pack the samples of a micro-batch into one row, without padding.

Covers which samples share a row, the boundaries between them in every form that attention and
recurrent layers of transformers read, and a check that the model respects them.  Models that do
not are refused before training; recurrent layers need the kernels of `flash-linear-attention` and
`causal-conv1d`.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from transformers import DataCollatorWithFlattening

from tmax_gym.errors import TrainingError

_FORWARD = (
    "input_ids",
    "position_ids",
    "seq_idx",
    "cu_seq_lens_q",
    "cu_seq_lens_k",
    "max_length_q",
    "max_length_k",
)
"""The arguments of a model in a micro-batch; only packed ones have the last six."""
PROBE = (24, 16)
"""Lengths of the two samples of the check; longer than the window of a convolution."""


def bins(lengths: Sequence[int], count: int) -> list[list[int]]:
    """Distribute ascending lengths over `count` rows of about equal sums; return indexes by row.

    >>> bins([1, 2, 3, 5, 7], 2)
    [[0, 2, 3], [1, 4]]
    """
    rows: list[list[int]] = [[] for _ in range(count)]
    sums = [(0, row) for row in range(count)]
    for index in range(len(lengths) - 1, -1, -1):
        total, row = heapq.heappop(sums)
        rows[row].append(index)
        heapq.heappush(sums, (total + lengths[index], row))
    return [sorted(row) for row in rows]


def boundaries(lengths: Sequence[int]) -> dict[str, Any]:
    """Return positions, sequence numbers and cumulative lengths of samples in one row."""
    collate = DataCollatorWithFlattening(return_flash_attn_kwargs=True, return_seq_idx=True)
    packed = collate([{"input_ids": [0] * length} for length in lengths])
    return {key: packed[key] for key in _FORWARD if key != "input_ids"}


def model_inputs(batch: Mapping[str, Any]) -> dict[str, Any]:
    """Return the model's arguments in a micro-batch."""
    return {key: batch[key] for key in _FORWARD if key in batch}


def next_ids(batch: Mapping[str, Any]) -> torch.Tensor:
    """Return the tokens after those of a micro-batch; for whole sequences, none after the last."""
    following: torch.Tensor = batch.get("next_ids", batch["input_ids"][:, 1:])
    return following


def check_kept_apart(model: torch.nn.Module, *, vocabulary: int) -> None:
    """Check that a packed sample has the same logits after two different neighbours.

    Raises:
        TrainingError: It has not, or the model does not accept packed samples.
    """
    device = next(model.parameters()).device
    steps = torch.arange(sum(PROBE), device=device)
    ids = torch.stack([steps * 7 + 3, steps * 7 + 3]) % vocabulary
    ids[1, : PROBE[0]] = (steps[: PROBE[0]] * 5 + 1) % vocabulary
    shared = {
        key: value.to(device) if isinstance(value, torch.Tensor) else value
        for key, value in boundaries(PROBE).items()
    }
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            first, second = (
                model(input_ids=row[None], use_cache=False, **shared).logits[0, PROBE[0] :].float()
                for row in ids
            )
    except (TypeError, ValueError) as error:
        raise TrainingError(f"the model takes no packed samples: {error}; set packing=False") from (
            error
        )
    finally:
        model.train(training)
    leak = float((first - second).abs().max())
    if not leak <= 1e-5 * float(first.abs().max()):
        raise TrainingError(
            f"a packed sample attends to its neighbour: its logits changed by {leak:.2g} with the "
            "sample before it; set packing=False"
        )

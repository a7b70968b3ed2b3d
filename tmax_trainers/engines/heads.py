"""Compute logits in float32 where an engine's model has a lower precision.

Logits in bfloat16 change log-probabilities by up to 0.04 (`tmax_trainers/dppo/loss/products.py`),
and the trainer's own head computes in float32.  Covers heads that are one linear map without bias;
others are left as they are.
"""

from __future__ import annotations

from typing import Any

import torch

GRAIN = 16
"""Rows and columns of a batch are padded to multiples of this: then matrix products round alike."""


class WholeRows(torch.nn.Linear):
    """A linear map without bias that computes in a type of its own, all rows in one product.

    The rows come from the last place of every sequence and lie apart in memory.  For such rows
    PyTorch multiplies one at a time, which in bfloat16 on a CPU takes many times as long.

    Args:
        head: The map, whose weight is shared.
        dtype: Type of the product and its result; with another type than the weight's, a copy of
            the weight is kept.
    """

    def __init__(self, head: torch.nn.Linear, dtype: torch.dtype) -> None:
        super().__init__(head.in_features, head.out_features, bias=False, device="meta")
        self.weight = head.weight
        self._factor = head.weight.detach().to(dtype)

    def refresh(self) -> None:
        """Compute with the weight's present values."""
        self._factor.copy_(self.weight.detach())

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return the logits of hidden states [..., width]."""
        rows = hidden.reshape(-1, hidden.shape[-1]).to(self._factor.dtype)
        whole = torch.nn.functional.pad(rows, (0, 0, 0, padded(len(rows)) - len(rows)))
        logits = torch.nn.functional.linear(whole, self._factor)[: len(rows)]
        return logits.view(*hidden.shape[:-1], -1)


def with_whole_rows(model: Any, *, fp32: bool) -> WholeRows | None:
    """Put such a head in the place of the model's own, and return it; None if nothing changes.

    Args:
        model: A causal language model of transformers; changed in place.
        fp32: Whether to compute in float32, or in the type of the weight.
    """
    own = model.get_output_embeddings()
    if type(own) is not torch.nn.Linear or getattr(own, "bias", None) is not None:
        return None  # a subclass may compute something else, for example with packed weights
    lowest = torch.float32 if fp32 else own.weight.dtype
    head = WholeRows(own, torch.promote_types(own.weight.dtype, lowest))
    model.set_output_embeddings(head)
    return head


def padded(count: int, grain: int = GRAIN) -> int:
    """Return the next multiple of the grain."""
    return -(-count // grain) * grain

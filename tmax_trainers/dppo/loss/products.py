"""Compute the three matrix products of a head: logits, and gradients of its input and weight.

All results are float32: rounding logits to bfloat16 changes probabilities by up to 0.04, while the
trust region is 0.1 wide, and a bfloat16 sum over chunks loses small gradients.  Products of
bfloat16 operands are exact in float32, so that operands may stay in bfloat16.

On any device, low-precision operands are converted slice by slice; on CUDA, products of
low-precision operands have float32 results directly.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

SLICE = 8192
"""Rows of the weight that are converted in one step: 29 MB at a width of 896."""


class Products:
    """Products with one weight.

    Args:
        weight: [V, H].
        operands: Type to which factors are rounded; None for their own types.
    """

    def __init__(self, weight: torch.Tensor, *, operands: torch.dtype | None) -> None:
        self._weight = weight.detach()
        self._operands = operands
        self.dtype = torch.promote_types(weight.dtype, torch.float32)
        """Type of every result."""

    def rounded(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return hidden states in the type for the other methods."""
        return self._round(hidden.detach()).to(self.dtype)

    def logits(self, hidden: torch.Tensor, *, out: torch.Tensor) -> None:
        """Write hidden · weightᵀ."""
        for start, end, rows in self._slices():
            torch.mm(hidden, rows.t(), out=out[:, start:end])

    def hidden_gradient(self, tile: torch.Tensor) -> torch.Tensor:
        """Return tile · weight."""
        result = tile.new_zeros(tile.shape[0], self._weight.shape[1])
        for start, end, rows in self._slices():
            result.addmm_(tile[:, start:end], rows)
        return result

    def add_weight_gradient(
        self, result: torch.Tensor, tile: torch.Tensor, hidden: torch.Tensor
    ) -> None:
        """Add tileᵀ · hidden to `result`."""
        result.addmm_(tile.t(), hidden)

    def _round(self, factor: torch.Tensor) -> torch.Tensor:
        return factor if self._operands is None else factor.to(self._operands)

    def _slices(self) -> Iterator[tuple[int, int, torch.Tensor]]:
        """Yield the weight in the type of the results; as a whole if that needs no copy."""
        count = self._weight.shape[0]
        whole = self._weight.dtype == self.dtype and self._operands in (None, self.dtype)
        step = count if whole else SLICE
        for start in range(0, count, step):
            end = min(start + step, count)
            yield start, end, self._round(self._weight[start:end]).to(self.dtype)


class TensorCoreProducts(Products):
    """The products of low-precision operands on CUDA, where float32 results have no extra cost.

    The tile is rounded to the operands' type before a product, as gradients of logits are under
    autocast.
    """

    def __init__(self, weight: torch.Tensor, *, operands: torch.dtype) -> None:
        super().__init__(weight, operands=operands)
        self._low = self._round(self._weight)

    def rounded(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return hidden states in the type for the other methods."""
        return self._round(hidden.detach())

    def logits(self, hidden: torch.Tensor, *, out: torch.Tensor) -> None:
        """Write hidden · weightᵀ."""
        torch.mm(hidden, self._low.t(), out_dtype=self.dtype, out=out)

    def hidden_gradient(self, tile: torch.Tensor) -> torch.Tensor:
        """Return tile · weight."""
        return torch.mm(self._round(tile), self._low, out_dtype=self.dtype)

    def add_weight_gradient(
        self, result: torch.Tensor, tile: torch.Tensor, hidden: torch.Tensor
    ) -> None:
        """Add tileᵀ · hidden to `result`."""
        torch.addmm(result, self._round(tile).t(), hidden, out_dtype=self.dtype, out=result)


def products(
    hidden: torch.Tensor, weight: torch.Tensor, *, operands: torch.dtype | None
) -> Products:
    """Return the products for a device and the type of operands."""
    low = operands or (weight.dtype if weight.dtype == hidden.dtype else None)
    if weight.device.type == "cuda" and low in (torch.bfloat16, torch.float16):
        return TensorCoreProducts(weight, operands=low)
    return Products(weight, operands=operands)

"""A key-value cache with a slot for every episode, whose lengths differ.

All layers must have full attention; sliding windows and recurrent layers are not supported.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from transformers.cache_utils import Cache, CacheLayerMixin

_GRAIN = 128
"""Capacity grows by multiples of this many positions."""


@dataclass(slots=True)
class Plan:
    """The cells that the next forward pass writes and reads."""

    rows: torch.Tensor | int
    """Slots of the batch: an index per row, or n for the first n slots (read without a copy)."""
    positions: torch.Tensor
    """Cell of each new token, [rows, new]; padding goes into the cell `capacity`."""
    length: int
    """Number of cells that are read."""


class SlotLayer(CacheLayerMixin):  # type: ignore[misc]
    """Keys and values of one layer, [slots, heads, capacity + 1, width]."""

    def __init__(self, cache: SlotCache) -> None:
        super().__init__()
        self._cache = cache

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        """Allocate on the first tokens, whose shapes tell heads and widths."""
        slots, cells = self._cache.slots, self._cache.capacity + 1
        self.keys = key_states.new_zeros(slots, key_states.shape[1], cells, key_states.shape[-1])
        self.values = value_states.new_zeros(
            slots, value_states.shape[1], cells, value_states.shape[-1]
        )
        self.is_initialized = True

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: object, **kwargs: object
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write the new tokens as planned; return all keys and values to attend to."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        self.grow()
        plan = self._cache.plan
        rows = plan.rows
        index = (torch.arange(rows) if isinstance(rows, int) else rows)[:, None]
        self.keys[index, :, plan.positions] = key_states.transpose(1, 2)
        self.values[index, :, plan.positions] = value_states.transpose(1, 2)
        if isinstance(rows, int):
            return self.keys[:rows, :, : plan.length], self.values[:rows, :, : plan.length]
        return self.keys[rows, :, : plan.length], self.values[rows, :, : plan.length]

    def grow(self) -> None:
        """Grow to the present capacity of the cache."""
        missing = self._cache.capacity + 1 - self.keys.shape[2]
        if missing > 0:
            pad = (0, 0, 0, missing)
            self.keys = torch.nn.functional.pad(self.keys, pad)
            self.values = torch.nn.functional.pad(self.values, pad)

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Return the number of cells that are read, and the first."""
        return self._cache.plan.length, 0

    def get_seq_length(self) -> int:
        """Return 0: lengths differ by row, so positions are always passed explicitly."""
        return 0

    def get_max_length(self) -> int:
        """Return -1: no limit."""
        return -1


class SlotCache(Cache):  # type: ignore[misc]
    """The cache that a model is called with."""

    def __init__(self, *, layers: int, slots: int) -> None:
        self.slots = slots
        self.capacity = _GRAIN
        self.plan = Plan(0, torch.zeros(0, 0, dtype=torch.long), 0)
        super().__init__(layers=[SlotLayer(self) for _ in range(layers)])

    def reserve(self, length: int) -> None:
        """Make sure that slots can hold `length` tokens."""
        self.capacity = max(self.capacity, -(-length // _GRAIN) * _GRAIN)

    def copy(self, source: int, target: int, count: int) -> None:
        """Copy the first `count` keys and values of one slot into another."""
        for layer in self.layers:
            layer.keys[target, :, :count] = layer.keys[source, :, :count]
            layer.values[target, :, :count] = layer.values[source, :, :count]

"""Turn a tile of logits, [rows, V], in place into a softmax and then into a gradient.

On a CPU, blocks of a few rows pass through all steps while they are in the cache, because a pass
over a whole tile is a pass over main memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

_BLOCK_BYTES = 1 << 22
"""Bytes of a block on a CPU: 6 rows of 151,936 in float32."""


_LEAST = -80.0
"""Smaller exponents count as this one: e^−80 is 2e−35 of the largest power.  Powers below e^−87 are
denormal in float32, and arithmetic with denormal numbers is ten times slower."""


@dataclass(frozen=True, slots=True)
class Softmax:
    """The softmax of each row of a tile, which holds e^(z − max z), and 0 for the sampled token."""

    logp: torch.Tensor
    """log π of the sampled token."""
    log_rest: torch.Tensor
    """log(1 − π), from the sum over all other tokens: exact even if π is almost 1."""
    total: torch.Tensor
    """Σ e^(z − max z), with the sampled token."""
    rest: torch.Tensor
    """The same sum without the sampled token."""
    entropy: torch.Tensor
    """Entropy of the row, or 0 if it is not computed."""
    top_logp: torch.Tensor
    """log π of the tokens `top_ids`, [rows, k]."""


def softmax_in_place(
    tile: torch.Tensor,
    sampled: torch.Tensor,
    *,
    top_ids: torch.Tensor | None = None,
    entropy: bool = False,
) -> Softmax:
    """Compute the softmax of logits; `Softmax` says what the tile holds afterwards."""
    count, width = tile.shape
    step = max(1, _BLOCK_BYTES // (width * tile.itemsize))
    if tile.device.type != "cpu":
        step = max(1, count)  # each operation is a launch
    if top_ids is None:
        top_ids = sampled.new_zeros(count, 0)
    # Allocated once, because page faults of a new block cost more than its exp.
    spare = tile.new_empty(min(step, count), width) if entropy else None
    blocks = [
        _softmax(tile[a : a + step], sampled[a : a + step], top_ids[a : a + step], spare=spare)
        for a in range(0, max(1, count), step)
    ]
    return concatenated(blocks)


def concatenated(parts: Sequence[Softmax]) -> Softmax:
    """Return the softmax of the rows of all parts."""
    if len(parts) == 1:
        return parts[0]
    return Softmax(*(torch.cat([getattr(p, name) for p in parts]) for name in Softmax.__slots__))


def pack_rows(tile: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    """Move rows to keep to the front; return their old indexes in the new order.

    >>> tile = torch.tensor([[0.0], [1.0], [2.0], [3.0]])
    >>> pack_rows(tile, torch.tensor([False, True, False, True])).tolist(), tile[:2, 0].tolist()
    ([3, 1], [3.0, 1.0])
    """
    count = int(keep.sum())
    order = torch.arange(count, device=keep.device)
    holes = (~keep[:count]).nonzero()[:, 0]
    movers = keep[count:].nonzero()[:, 0] + count
    # One by one, because indexing would make another copy of the rows.
    for hole, mover in zip(holes.tolist(), movers.tolist(), strict=True):
        tile[hole].copy_(tile[mover])
    order[holes] = movers
    return order


def fill_gradient(
    tile: torch.Tensor, sampled: torch.Tensor, soft: Softmax, *, scale: torch.Tensor
) -> None:
    """Turn rows of `softmax_in_place` into scale · (π − 1[sampled]).

    The sampled token's π − 1 is −rest / total, which has no cancellation if π is almost 1.
    """
    tile.mul_((scale / soft.total)[:, None])
    tile.scatter_(1, sampled[:, None], (-scale * soft.rest / soft.total)[:, None])


def select(soft: Softmax, rows: torch.Tensor) -> Softmax:
    """Return the softmax of these rows."""
    return Softmax(*(getattr(soft, name)[rows] for name in Softmax.__slots__))


def _softmax(
    block: torch.Tensor, sampled: torch.Tensor, top_ids: torch.Tensor, *, spare: torch.Tensor | None
) -> Softmax:
    largest = block.amax(1, keepdim=True)
    own = sampled[:, None]
    shifted = block.sub_(largest).gather(1, own)[:, 0]
    top = block.gather(1, top_ids)
    block.clamp_(min=_LEAST)
    if spare is None:
        mixed = torch.zeros_like(shifted)
        block.exp_()
    else:
        powers = torch.exp(block, out=spare[: len(block)])
        mixed = block.mul_(powers).sum(1)  # Σ e^x · x
        block.copy_(powers)
    block.scatter_(1, own, 0.0)
    rest = block.sum(1)
    total = rest + shifted.exp()
    # If the sampled token has the largest logit, its power is exactly 1 and log1p is exact.
    log_total = torch.where(shifted == 0, torch.log1p(rest), total.log())
    return Softmax(
        logp=shifted - log_total,
        log_rest=rest.log() - log_total,
        total=total,
        rest=rest,
        entropy=mixed if spare is None else log_total - mixed / total,
        top_logp=top - log_total[:, None],
    )

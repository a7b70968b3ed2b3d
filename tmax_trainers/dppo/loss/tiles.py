"""A tile of logits, [rows, V], and what is made of it in place: a softmax, then a gradient.

Blocks of a few rows are taken through all steps while they are in the cache: on a CPU a pass
over a whole tile is a pass over main memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

_BLOCK_BYTES = 1 << 22
"""Of a block on a CPU: 6 rows of 151,936 in float32."""


_LEAST = -80.0
"""Powers of less than this count as e^−80, 2e−35 of the largest: those below e^−87 are denormal
in float32, and arithmetic with denormal numbers is ten times slower."""


@dataclass(frozen=True, slots=True)
class Softmax:
    """Of each row of a tile, which holds e^(z − max z), and 0 for the sampled token."""

    logp: torch.Tensor
    """log π of the sampled token."""
    log_rest: torch.Tensor
    """log(1 − π), from the sum over all other tokens: exact also where π is almost 1."""
    total: torch.Tensor
    """Σ e^(z − max z), with the sampled token."""
    rest: torch.Tensor
    """The same without it."""
    entropy: torch.Tensor
    """Of the whole row, or 0 where it was not asked for."""
    top_logp: torch.Tensor
    """log π of the tokens that were asked for, [rows, k]."""


def softmax_in_place(
    tile: torch.Tensor,
    said: torch.Tensor,
    *,
    top_ids: torch.Tensor | None = None,
    entropy: bool = False,
) -> Softmax:
    """Turn logits into `Softmax`, which says what is left in the tile."""
    count, width = tile.shape
    step = max(1, _BLOCK_BYTES // (width * tile.itemsize))
    if tile.device.type != "cpu":
        step = max(1, count)  # each operation is a launch
    if top_ids is None:
        top_ids = said.new_zeros(count, 0)
    # Allocated once: a fresh block of some megabytes costs more in page faults than its exp.
    spare = tile.new_empty(min(step, count), width) if entropy else None
    blocks = [
        _softmax(tile[a : a + step], said[a : a + step], top_ids[a : a + step], spare=spare)
        for a in range(0, max(1, count), step)
    ]
    if len(blocks) == 1:
        return blocks[0]
    return Softmax(*(torch.cat([getattr(b, name) for b in blocks]) for name in Softmax.__slots__))


def pack_rows(tile: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    """Move rows to keep to the front, over rows to drop, and return which row is where now.

    >>> tile = torch.tensor([[0.0], [1.0], [2.0], [3.0]])
    >>> pack_rows(tile, torch.tensor([False, True, False, True])).tolist(), tile[:2, 0].tolist()
    ([3, 1], [3.0, 1.0])
    """
    count = int(keep.sum())
    order = torch.arange(count, device=keep.device)
    holes = (~keep[:count]).nonzero()[:, 0]
    movers = keep[count:].nonzero()[:, 0] + count
    # One by one, because indexing would copy the rows to a third place.
    for hole, mover in zip(holes.tolist(), movers.tolist(), strict=True):
        tile[hole].copy_(tile[mover])
    order[holes] = movers
    return order


def fill_gradient(
    tile: torch.Tensor, said: torch.Tensor, soft: Softmax, *, scale: torch.Tensor
) -> None:
    """Turn rows of `softmax_in_place` into scale · (π − 1[sampled]).

    The sampled token's π − 1 is −rest / total: without cancellation where π is almost 1.
    """
    tile.mul_((scale / soft.total)[:, None])
    tile.scatter_(1, said[:, None], (-scale * soft.rest / soft.total)[:, None])


def select(soft: Softmax, rows: torch.Tensor) -> Softmax:
    """Return the same of these rows."""
    return Softmax(*(getattr(soft, name)[rows] for name in Softmax.__slots__))


def _softmax(
    block: torch.Tensor, said: torch.Tensor, top_ids: torch.Tensor, *, spare: torch.Tensor | None
) -> Softmax:
    largest = block.amax(1, keepdim=True)
    own = said[:, None]
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
    # Where the sampled token is the largest, its power is exactly 1 and log1p loses nothing.
    log_total = torch.where(shifted == 0, torch.log1p(rest), total.log())
    return Softmax(
        logp=shifted - log_total,
        log_rest=rest.log() - log_total,
        total=total,
        rest=rest,
        entropy=mixed if spare is None else log_total - mixed / total,
        top_logp=top - log_total[:, None],
    )

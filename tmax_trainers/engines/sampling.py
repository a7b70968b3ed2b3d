"""Sample a token by inverting its distribution function at a given uniform number.

There is no truncation (top-k, top-p), because DPPO's ratio needs probabilities of the whole
distribution.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch


def draw(
    logits: torch.Tensor, uniforms: Sequence[float], temperatures: Sequence[float]
) -> tuple[list[int], list[float]]:
    """Return a token for every row, and its log-probability after temperature.

    A temperature of 0 takes the most probable token, whose probability is then 1.

    Args:
        logits: [rows, vocabulary].
        uniforms: A number in [0, 1) per row; equal numbers give equal tokens.
        temperatures: One per row.
    """
    heat = torch.tensor(temperatures, device=logits.device)
    greedy = heat <= 0
    logp = torch.log_softmax(logits.float() / torch.where(greedy, 1.0, heat)[:, None], -1)
    steps = logp.double().exp().cumsum(-1)
    goal = torch.tensor(uniforms, dtype=torch.float64, device=logits.device) * steps[:, -1]
    # The first step beyond the goal; a token of probability 0 has no step and is never taken.
    token = torch.searchsorted(steps, goal[:, None], right=True)[:, 0]
    token = torch.where(greedy, logits.argmax(-1), token.clamp(max=logits.shape[-1] - 1))
    sampled = logp.gather(1, token[:, None])[:, 0].masked_fill(greedy, 0.0)
    return token.tolist(), sampled.tolist()

"""Engines: token ids in, sampled token ids and their log-probabilities out.

Covers the seam that every engine implements.  Does not cover text: callers encode and decode,
so nothing that was sampled is ever tokenised again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:  # who only samples, as a rollout process does, needs no torch
    import torch


@dataclass(frozen=True, slots=True)
class Request:
    """One turn to be sampled."""

    ids: tuple[int, ...]
    """Everything that the policy reads: prompt, earlier turns, observations."""
    max_tokens: int
    seed: int
    """Fixes the uniform numbers that are spent, one a token."""
    temperature: float = 1.0
    """0 takes the likeliest token."""
    stop_ids: tuple[int, ...] = ()
    """Sampling one of these ends the turn; it is the last token of the completion."""
    episode: str = ""
    """Requests of one episode share a name, so that an engine may keep what it has read."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What was sampled."""

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    """Of each sampled token under the distribution that it was drawn from (after temperature)."""
    versions: tuple[int, ...]
    """Policy version that each token was sampled from."""
    finish_reason: Literal["stop", "length"]
    """`length` also where the context was full; `ids` may then be empty."""


class Engine(Protocol):
    """Anything that samples from the policy; safe to call from many threads."""

    @property
    def version(self) -> int:
        """Return the version that is sampled from now."""
        ...

    def generate(self, requests: Sequence[Request]) -> Sequence[Completion]:
        """Sample every request, in order; blocks until all are done."""
        ...

    def update(self, weights: Iterable[tuple[str, torch.Tensor]], version: int) -> None:
        """Replace weights between two tokens; turns in flight go on under the new ones."""
        ...

    def close(self) -> None:
        """Stop sampling; requests in flight fail."""
        ...

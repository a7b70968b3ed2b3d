"""The protocol of engines: token ids in, sampled token ids and their log-probabilities out.

Engines do not see text.  Callers encode and decode, so that sampled tokens are never tokenised
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:  # a process that only samples, such as a rollout process, needs no torch
    import torch


@dataclass(frozen=True, slots=True)
class Request:
    """One turn to sample."""

    ids: tuple[int, ...]
    """The whole input of the policy: prompt, earlier turns, observations."""
    max_tokens: int
    seed: int
    """Fixes the uniform random numbers, of which every token takes one."""
    temperature: float = 1.0
    """0 takes the most probable token."""
    stop_ids: tuple[int, ...] = ()
    """Sampling one of these ends the turn; it is the last token of the completion."""
    episode: str = ""
    """Requests of one episode have the same name, so that an engine can reuse its cache."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The sampled turn."""

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    """Log-probability of each token in the distribution it was sampled from (after temperature)."""
    versions: tuple[int, ...]
    """Policy version that sampled each token."""
    finish_reason: Literal["stop", "length"]
    """`length` also if the context was full; `ids` may then be empty."""


class Engine(Protocol):
    """Samples from the policy; can be called from many threads."""

    @property
    def version(self) -> int:
        """Return the present policy version."""
        ...

    def generate(self, requests: Sequence[Request]) -> Sequence[Completion]:
        """Sample every request, in order; block until all are done."""
        ...

    def update(self, weights: Iterable[tuple[str, torch.Tensor]], version: int) -> None:
        """Replace weights between two tokens; turns in flight continue with the new ones."""
        ...

    def close(self) -> None:
        """Stop sampling; requests in flight fail."""
        ...

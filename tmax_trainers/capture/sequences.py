"""The recorded sequences of a session: spans of token ids, each trained or with a reason why not.

A sequence is what the policy read and wrote, in order, exactly as ids went into the engine and came
out of it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from tmax_gym.agents.token_agent import TokenStream
from tmax_gym.trajectory import Tokens
from tmax_trainers.engines import Completion

TRAINED = "trained"
"""The name of tokens without a reason in counts."""


class Reason(StrEnum):
    """Why tokens are not trained."""

    PROMPT = "prompt"
    """The harness wrote them: instructions, tools, observations."""
    REPEATED = "repeated"
    """The context of a branch: the ids of an earlier sequence, which trains what was sampled."""
    RETOLD = "retold"
    """A reply of the policy that was tokenised anew, because text before it has changed."""
    FOREIGN = "foreign"
    """A reply that the policy never gave: the harness altered it, or wrote it."""
    NO_LOGPROB = "no_logprob"
    """Sampled, but the engine gave no finite log-probability."""
    UNHEARD = "unheard"
    """Sampled, but the harness left before the reply reached it."""


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive tokens with one fate."""

    ids: tuple[int, ...]
    reason: Reason | None = None
    """None if the tokens are trained: then the engine sampled them after all ids before them."""
    logprobs: tuple[float, ...] = ()
    """Of sampled tokens, as the engine reported them."""
    versions: tuple[int, ...] = ()
    """Of sampled tokens, as the engine reported them."""

    def __post_init__(self) -> None:
        """Refuse trained tokens without a log-probability or a version each."""
        lengths = {len(self.ids), len(self.logprobs), len(self.versions)}
        if self.reason is None and len(lengths) != 1:
            raise ValueError("trained tokens need one log-probability and one version each")


def sampled_spans(completion: Completion) -> tuple[Span, ...]:
    """Return the spans of a sampled turn; tokens without a finite log-probability are not trained.

    Log-probabilities or versions in another number than tokens belong to no token for certain, so
    then nothing of the turn is trained.
    """
    ids, logprobs, versions = completion.ids, completion.logprobs, completion.versions
    if not len(ids) == len(logprobs) == len(versions):
        return (Span(ids, Reason.NO_LOGPROB),)
    spans = []
    for finite, places in groupby(range(len(ids)), lambda place: math.isfinite(logprobs[place])):
        first, *rest = places
        own = slice(first, first + 1 + len(rest))
        reason = None if finite else Reason.NO_LOGPROB
        spans.append(Span(ids[own], reason, logprobs[own], versions[own]))
    return tuple(spans)


def context(spans: Iterable[Span]) -> list[Span]:
    """Return spans as the context of a branch: what they train is trained where it was sampled."""
    return [replace(span, reason=span.reason or Reason.REPEATED) for span in spans]


def ids_of(spans: Iterable[Span]) -> tuple[int, ...]:
    """Return the ids of spans, one after the other."""
    return tuple(token for span in spans for token in span.ids)


def tokens_of(sequences: Iterable[Sequence[Span]]) -> Tokens:
    """Return sequences as one record for the trainer, in their order.

    Those without a trained token are left out, unless there are no others: then the first one
    stands for the session.
    """
    every = [list(spans) for spans in sequences]
    chosen = [spans for spans in every if any(span.reason is None for span in spans)] or every[:1]
    stream, starts = TokenStream(), []
    for spans in chosen:
        starts.append(len(stream))
        for span in spans:
            if span.reason is None:
                stream.sampled(Completion(span.ids, span.logprobs, span.versions, "stop"))
            else:
                stream.observe(span.ids)
    return replace(stream.tokens(), starts=tuple(starts) or (0,))


def counts(sequences: Iterable[Sequence[Span]]) -> Counter[str]:
    """Return the number of tokens by reason, and of `trained` ones."""
    numbers: Counter[str] = Counter()
    for spans in sequences:
        for span in spans:
            numbers[str(span.reason or TRAINED)] += len(span.ids)
    return numbers

"""A session: one episode of a harness, recorded as sequences of exactly the engine's tokens.

A request whose messages begin with a history that the session knows goes on from the recorded ids,
so that nothing that was sampled is tokenised again.  Every other request is a new prompt, and
begins a new sequence.  Each sampled token is trained in one sequence at most.
"""

from __future__ import annotations

import hashlib
import threading
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from tmax_gym.agents.harness import Segment
from tmax_gym.agents.model_agent import turn_seed
from tmax_gym.trajectory import Tokens
from tmax_trainers.capture import sequences
from tmax_trainers.capture.dialects import Dialect, Reply
from tmax_trainers.capture.requests import Asked, Message, after
from tmax_trainers.capture.sequences import Reason, Span, context, ids_of, sampled_spans
from tmax_trainers.engines import Completion
from tmax_trainers.rollout.streams.token_policy import Tokenizer, encode


@dataclass(frozen=True, slots=True)
class Place:
    """The end of a sampled turn in a sequence."""

    sequence: int
    spans: int
    """Number of spans up to the end of the turn."""
    cut: bool
    """Whether the turn was cut off, so that its stop token is missing."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the engine reads for one request."""

    ids: tuple[int, ...]
    seed: int
    history: bytes
    """Name of the history that the request told."""
    known: Place | None
    """Where the recorded ids that it goes on from end; None for a new prompt."""
    new: tuple[Span, ...]
    """What follows the recorded ids."""
    asked: Asked


@dataclass(frozen=True, slots=True)
class Answered:
    """A recorded turn."""

    turn: int
    """Number of the turn in its session."""
    reply: Reply
    finish_reason: Literal["stop", "length"]


class Session:
    """Records the requests of one episode; can be called from many threads.

    Args:
        name: Names the episode, under which an engine can reuse its cache.
        dialect: The text between chat requests and the policy.
        tokenizer: Tokenizer of the policy.
        seed: With the ids of a prompt, it fixes the sampled tokens.
    """

    def __init__(self, name: str, dialect: Dialect, tokenizer: Tokenizer, *, seed: int) -> None:
        self.name = name
        self._dialect, self._tokenizer, self._seed = dialect, tokenizer, seed
        self._sequences: list[list[Span]] = []
        self._known: dict[bytes, Place] = {}
        """Ends of sampled turns, by the name of the history up to there."""
        self._turns: list[tuple[int, int, int]] = []
        """Sequence, first span and last span (exclusive) of every sampled turn."""
        self._replies: set[Message] = set()
        self._prompts: Counter[bytes] = Counter()
        self._lock = threading.Lock()

    def prompt(self, asked: Asked) -> Prompt:
        """Return what the engine reads for a request: recorded ids as far as they go."""
        histories = asked.histories()
        with self._lock:
            count, known = self._longest(histories)
            recorded = (
                ids_of(self._sequences[known.sequence][: known.spans]) if known is not None else ()
            )
            new = tuple(self._new(asked, count, known))
            ids = recorded + ids_of(new)
            digest = hashlib.blake2b(array("q", ids).tobytes(), digest_size=16).digest()
            # A prompt that is sent again has another reply; the order of other requests, which
            # may come at the same time, does not matter.
            turn = int.from_bytes(digest, "big") + self._prompts[digest]
            self._prompts[digest] += 1
        return Prompt(ids, turn_seed(self._seed, turn), histories[-1], known, new, asked)

    def record(self, prompt: Prompt, completion: Completion) -> Answered:
        """Record a sampled turn, and return the reply that it gives.

        The turn extends its sequence, or begins a new one where the sequence has gone on meanwhile.

        Args:
            prompt: What the engine has read.
            completion: What it has sampled, at least one token.
        """
        cut = completion.finish_reason == "length"
        text = self._tokenizer.decode(completion.ids)
        reply = self._dialect.read(text, tools=prompt.asked.tools, cut=cut)
        message = reply.message()
        with self._lock:
            index = self._opened(prompt.known)
            spans = self._sequences[index]
            spans += prompt.new
            begin = len(spans)
            spans += sampled_spans(completion)
            self._turns.append((index, begin, len(spans)))
            self._known[after(prompt.history, message)] = Place(index, len(spans), cut)
            self._replies.add(message.same())
            return Answered(len(self._turns) - 1, reply, completion.finish_reason)

    def unheard(self, turn: int) -> None:
        """Mark a turn whose reply did not reach the harness: no reward is due to it."""
        with self._lock:
            index, begin, end = self._turns[turn]
            spans = self._sequences[index]
            spans[begin:end] = [
                replace(span, reason=span.reason or Reason.UNHEARD) for span in spans[begin:end]
            ]

    def sequences(self) -> tuple[tuple[Span, ...], ...]:
        """Return everything that was recorded, in the order in which sequences began."""
        with self._lock:
            return tuple(map(tuple, self._sequences))

    def tokens(self) -> Tokens:
        """Return the record for the trainer, with one sequence for each new prompt or branch."""
        return sequences.tokens_of(self.sequences())

    def counts(self) -> Counter[str]:
        """Return the number of trained tokens, and of others by reason."""
        return sequences.counts(self.sequences())

    def _longest(self, histories: list[bytes]) -> tuple[int, Place | None]:
        """Return how many messages are recorded, and where their ids end."""
        for count in range(len(histories) - 1, 0, -1):
            if (place := self._known.get(histories[count])) is not None:
                return count, place
        return 0, None

    def _opened(self, known: Place | None) -> int:
        """Return the sequence that a turn extends; begin one if it extends none."""
        if known is not None and len(self._sequences[known.sequence]) == known.spans:
            return known.sequence
        spans = self._sequences[known.sequence][: known.spans] if known is not None else []
        self._sequences.append(context(spans))
        return len(self._sequences) - 1

    def _new(self, asked: Asked, count: int, known: Place | None) -> Iterable[Span]:
        """Yield the spans that follow the recorded ids, the opening of the reply at last."""
        written: Iterable[tuple[Message | None, tuple[Segment, ...]]]
        if known is None:
            written = self._dialect.whole(asked.messages, asked.tools)
        else:
            written = self._dialect.more(asked.messages[count:], cut=known.cut)
        for message, segments in written:
            yield Span(self._encoded(segments), self._reason(message))
        yield Span(self._encoded(self._dialect.opening), Reason.PROMPT)

    def _reason(self, message: Message | None) -> Reason:
        if message is None or message.role != "assistant":
            return Reason.PROMPT
        return Reason.RETOLD if message.same() in self._replies else Reason.FOREIGN

    def _encoded(self, segments: Iterable[Segment]) -> tuple[int, ...]:
        return tuple(token for s in segments for token in encode(self._tokenizer, s))

"""An engine and a tokenizer as the policy that `tmax_gym`'s token agents follow.

Covers sampling through a harness and the same episodes written down for a warm start, token for
token.  Does not cover tokenizers of published models: anything with these four members will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tmax_gym.agents.harness import Segment, TokenHarness, transcript
from tmax_gym.agents.token_agent import TokenStream
from tmax_gym.trajectory import Tokens
from tmax_trainers.engines import Completion, Engine, Request


class Tokenizer(Protocol):
    """What is used of a tokenizer; `WordTokenizer` has it."""

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, none of them special."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids without special tokens."""
        ...

    def special(self, name: str) -> int:
        """Return the id of a special token."""
        ...


class EngineTokenPolicy:
    """A `tmax_gym.agents.token_agent.TokenPolicy`; one for each episode.

    Args:
        engine: Samples.
        tokenizer: Text to ids and back.
        stop: What ends a reply: `harness.stop`.
        temperature: 0 takes the likeliest token.
        episode: A name of its own lets the engine keep what this episode has read.
    """

    def __init__(
        self,
        engine: Engine,
        tokenizer: Tokenizer,
        *,
        stop: Segment,
        temperature: float = 1.0,
        episode: str = "",
    ) -> None:
        self._engine = engine
        self._tokenizer = tokenizer
        (self._stop,) = encode(tokenizer, stop)
        self._temperature = temperature
        self._episode = episode

    def encode(self, segment: Segment) -> list[int]:
        """Return the ids of a segment; special tokens come from control segments only."""
        return encode(self._tokenizer, segment)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of sampled ids, without what ends the turn."""
        return self._tokenizer.decode(ids)

    def generate(self, ids: Sequence[int], *, max_tokens: int, seed: int) -> Completion:
        """Sample one turn after `ids`; blocks until it is done."""
        asked = Request(
            tuple(ids), max_tokens, seed, self._temperature, (self._stop,), self._episode
        )
        return self._engine.generate([asked])[0]


def encode(tokenizer: Tokenizer, segment: Segment) -> list[int]:
    """Return the ids of a segment."""
    return [tokenizer.special(segment.text)] if segment.control else tokenizer.encode(segment.text)


def lesson(
    tokenizer: Tokenizer,
    harness: TokenHarness,
    *,
    instruction: str,
    turns: Sequence[tuple[str, str]],
) -> Tokens:
    """Return the stream that an agent would have made by saying these commands.

    Args:
        tokenizer: Text to ids.
        harness: The dialect.
        instruction: The task.
        turns: (command, observation) in order.
    """
    stream = TokenStream()
    for segment, said in transcript(harness, instruction, turns):
        ids = encode(tokenizer, segment)
        if said:
            stream.teach(ids)
        else:
            stream.observe(ids)
    return stream.tokens()

"""`EngineTokenPolicy`: an engine and a tokenizer as the policy of a token agent.

`lesson` writes the same token streams for a warm start, without an engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tmax_gym.agents.harness import Segment, TokenHarness, transcript
from tmax_gym.agents.token_agent import TokenStream
from tmax_gym.trajectory import Tokens
from tmax_trainers.engines import Completion, Engine, Request


class Tokenizer(Protocol):
    """The methods that are used of a tokenizer; `WordTokenizer` is one."""

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
    """A `TokenPolicy` of `tmax_gym.agents.token_agent`; each episode has its own.

    Args:
        engine: The engine that samples.
        tokenizer: Tokenizer of the policy.
        stop: The segment that ends a reply: `harness.stop`.
        temperature: Sampling temperature; 0 takes the most probable token.
        episode: Name of the episode, under which an engine can reuse its cache.
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
        """Return the text of sampled ids, without the stop token."""
        return self._tokenizer.decode(ids)

    def generate(self, ids: Sequence[int], *, max_tokens: int, seed: int) -> Completion:
        """Sample one turn after `ids`; blocks until it is done."""
        request = Request(
            tuple(ids), max_tokens, seed, self._temperature, (self._stop,), self._episode
        )
        return self._engine.generate([request])[0]


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
    """Return the token stream of an agent that gives these commands.

    Args:
        tokenizer: Tokenizer of the policy.
        harness: The harness, which sets the format of the conversation.
        instruction: Instruction of the task.
        turns: Pairs of command and observation, in order.
    """
    stream = TokenStream()
    for segment, sampled in transcript(harness, instruction, turns):
        ids = encode(tokenizer, segment)
        if sampled:
            stream.teach(ids)
        else:
            stream.observe(ids)
    return stream.tokens()

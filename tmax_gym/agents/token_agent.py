"""`TokenAgent`: a policy that reads and writes token ids, as an agent.

Its stream of tokens only grows, and has the log-probability and the policy version of every sampled
token.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from tmax_gym.agents.agent import Turn
from tmax_gym.agents.harness import Segment, TokenHarness
from tmax_gym.agents.model_agent import ModelAgent, turn_seed
from tmax_gym.errors import NoRoom
from tmax_gym.trajectory import Ending, Tokens


class Sampled(Protocol):
    """The tokens that a policy sampled in one turn."""

    @property
    def ids(self) -> Sequence[int]:
        """Return the tokens; the last one ends the turn if `finish_reason` is `stop`."""

    @property
    def logprobs(self) -> Sequence[float]:
        """Return the log-probability of each token when it was sampled."""

    @property
    def versions(self) -> Sequence[int]:
        """Return the policy version that sampled each token."""

    @property
    def finish_reason(self) -> Literal["stop", "length"]:
        """Return whether the turn ended by itself."""


class TokenPolicy(Protocol):
    """A model that reads and writes token ids."""

    def encode(self, segment: Segment) -> Sequence[int]:
        """Return the ids of a segment.  Special tokens come from control segments only."""

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of sampled ids, without the end of the turn."""

    def generate(self, ids: Sequence[int], *, max_tokens: int, seed: int) -> Sampled:
        """Sample one turn after `ids`; blocks until it is done."""


class TokenStream:
    """The token stream of an episode: appended to, never tokenised again.

    >>> stream = TokenStream([5, 6])
    >>> stream.observe([7])
    >>> stream.tokens().mask
    (False, False, False)
    """

    def __init__(self, prompt: Sequence[int] = ()) -> None:
        self._ids: list[int] = []
        self._mask: list[bool] = []
        self._logprobs: list[float] = []
        self._versions: list[int] = []
        self.observe(prompt)

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> tuple[int, ...]:
        """Return all tokens so far, from which the next turn is sampled."""
        return tuple(self._ids)

    def observe(self, ids: Sequence[int]) -> None:
        """Append tokens that the policy reads and is not trained on."""
        self._append(ids, mine=False)

    def sampled(self, turn: Sampled) -> None:
        """Append a turn exactly as it was sampled."""
        self._append(turn.ids, turn.logprobs, turn.versions, mine=True)

    def teach(self, ids: Sequence[int]) -> None:
        """Append tokens of an oracle's turns, for supervised training.

        Their log-probability is 0.0 and their version -1, so they must not reach DPPO.
        """
        self._append(ids, mine=True)

    def tokens(self) -> Tokens:
        """Return the frozen stream."""
        return Tokens(self.ids, tuple(self._mask), tuple(self._logprobs), tuple(self._versions))

    def _append(
        self,
        ids: Sequence[int],
        logprobs: Sequence[float] | None = None,
        versions: Sequence[int] | None = None,
        *,
        mine: bool,
    ) -> None:
        self._ids.extend(ids)
        self._mask.extend([mine] * len(ids))
        self._logprobs.extend([0.0] * len(ids) if logprobs is None else logprobs)
        self._versions.extend([-1] * len(ids) if versions is None else versions)


class TokenAgent(ModelAgent):
    """A policy in a harness, with its exact token stream.

    Sampled tokens are never encoded again; the text of the harness is encoded once.  `max_tokens`
    limits the stream with prompt and observations, `max_turn_tokens` one reply.
    """

    observed_as = "tool"

    def __init__(
        self,
        policy: TokenPolicy,
        harness: TokenHarness,
        *,
        max_tokens: int,
        max_turn_tokens: int,
        name: str = "model",
    ) -> None:
        self._policy = policy
        self._render = harness.render
        self._max_tokens = max_tokens
        self._max_turn_tokens = max_turn_tokens
        super().__init__(harness, name=name)

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin a new stream with the opening messages."""
        super().reset(instruction, seed=seed)
        self._stream = TokenStream()
        self._cut = False

    @property
    def tokens(self) -> Tokens:
        """Return the stream so far."""
        return self._stream.tokens()

    def _ask(self) -> Turn:
        """Sample the next reply; stop if the stream has no room for one.

        Raises:
            NoRoom: There is none after the prompt.
        """
        # The messages hold only what the policy has not read yet.
        segments = self._render(self._messages, cut=self._cut)
        unread = [token for segment in segments for token in self._policy.encode(segment)]
        room = self._max_tokens - len(self._stream) - len(unread)
        if room <= 0 and not self._asked:
            raise NoRoom(
                f"the prompt has {len(unread):,} tokens and max_tokens is {self._max_tokens:,}: no "
                "room is left for a reply. Raise max_tokens (in a recipe: rollouts.prompt_tokens), "
                "or choose tasks with shorter instructions"
            )
        if room <= 0:
            return Turn(ending=Ending.CONTEXT_LIMIT)
        self._stream.observe(unread)
        self._messages.clear()
        sampled = self._policy.generate(
            self._stream.ids,
            max_tokens=min(self._max_turn_tokens, room),
            seed=turn_seed(self._seed, self._asked),
        )
        if not sampled.ids and not self._asked:
            raise NoRoom(
                f"the engine sampled no token after a prompt of {len(self._stream):,}: the model "
                "or its server takes no more. Choose a model with more positions "
                "(max_position_embeddings; tmax serve --max-model-len), or tasks with shorter "
                "instructions"
            )
        self._asked += 1
        self._stream.sampled(sampled)
        self._cut = sampled.finish_reason != "stop"
        text = self._policy.decode(sampled.ids)
        if self._cut and len(self._stream) >= self._max_tokens:
            return Turn(reply=text, ending=Ending.CONTEXT_LIMIT)
        reply = {"role": "assistant", "content": text}
        return self._read(reply, text, cut="The reply was too long." if self._cut else "")

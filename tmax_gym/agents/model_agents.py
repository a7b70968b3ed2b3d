"""Agents around a model: by messages (`ChatAgent`) or token by token (`TokenAgent`).

Covers the conversation, format errors and the exact token stream.  The model is passed in:
nothing here samples, and nothing here talks to a network.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from tmax_gym.agents.agent import Turn
from tmax_gym.agents.harness import FormatError, Harness, Message, Reply, Segment, content_text
from tmax_gym.trajectory import Ending, Tokens


def turn_seed(seed: int, turn: int) -> int:
    """Return the sampling seed of one turn: 63 bits, unrelated between turns and episodes."""
    digest = hashlib.blake2b(f"{seed}/{turn}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


class Completer(Protocol):
    """A model behind a chat interface."""

    def __call__(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]],
        seed: int,
    ) -> Reply | None:
        """Return the next assistant message (text or OpenAI message).

        None says that the conversation has become too long.  Raises what it likes where the
        model cannot be reached.
        """


class Sampled(Protocol):
    """What a token policy said in one turn."""

    @property
    def ids(self) -> Sequence[int]:
        """Return the tokens; the last one ends the turn where `finish_reason` is `stop`."""

    @property
    def logprobs(self) -> Sequence[float]:
        """Return the log-probability of each token where it was drawn."""

    @property
    def versions(self) -> Sequence[int]:
        """Return the policy version that drew each token."""

    @property
    def finish_reason(self) -> Literal["stop", "length"]:
        """Return whether the turn ended by itself."""


class TokenPolicy(Protocol):
    """A model that reads and writes token ids."""

    def encode(self, segment: Segment) -> Sequence[int]:
        """Return the ids of a segment.  Special tokens come from control segments only."""

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of sampled ids, without what ends the turn."""

    def generate(self, ids: Sequence[int], *, max_tokens: int, seed: int) -> Sampled:
        """Sample one turn after `ids`; blocks until it is done."""


class _Conversation:
    """What both model agents share: reading replies and counting those without a command."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.errors = 0

    def understand(
        self, reply: Reply, text: str, *, cut: bool = False
    ) -> tuple[Turn, Message | None]:
        """Return the turn of a reply, and what answers it where it holds no command.

        A reply that was cut off holds none: half a command must not run.
        """
        found = FormatError("The reply was too long.") if cut else self.harness.parse(reply)
        if not isinstance(found, FormatError):
            self.errors = 0
            return Turn(found.command, text), None
        self.errors += 1
        answer = self.harness.feedback(found)
        if self.errors >= self.harness.max_format_errors:
            return Turn(reply=text, feedback=answer.text, ending=Ending.FORMAT_ERROR), answer
        return Turn(reply=text, feedback=answer.text), answer


class ChatAgent:
    """A model behind a chat interface, by way of a harness."""

    def __init__(self, complete: Completer, harness: Harness, *, name: str = "model") -> None:
        self.name = name
        self._complete = complete
        self._talk = _Conversation(harness)
        self._messages: list[Mapping[str, Any]] = []
        self._call_id: str | None = None
        self._seed = 0
        self._turns = 0

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin with the opening messages."""
        self._talk.errors = 0
        opening = self._talk.harness.opening(instruction)
        self._messages = [{"role": m.role, "content": m.text} for m in opening]
        self._call_id = None
        self._seed, self._turns = seed, 0

    def act(self, observation: str) -> Turn:
        """Return the model's next turn."""
        if self._turns and observation:
            self._hear(self._talk.harness.observe(observation))
        tools: Sequence[Mapping[str, Any]] = getattr(self._talk.harness, "tools", ())
        reply = self._complete(
            tuple(self._messages), tools=tools, seed=turn_seed(self._seed, self._turns)
        )
        self._turns += 1
        if reply is None:
            return Turn(ending=Ending.CONTEXT_LIMIT)
        text = reply if isinstance(reply, str) else content_text(reply.get("content"))
        turn, answer = self._talk.understand(reply, text)
        self._said(reply, answered=answer is None)
        if answer is not None:
            self._hear(answer)
        return turn

    @property
    def tokens(self) -> None:
        """Return None: a chat interface hides its tokens."""
        return None

    def _said(self, reply: Reply, *, answered: bool) -> None:
        """Record a reply; a chat interface wants an answer to every call that is on record."""
        if isinstance(reply, str):
            self._call_id = None
            self._messages.append({"role": "assistant", "content": reply})
            return
        calls = list(reply.get("tool_calls") or ())[:1]
        self._call_id = str(calls[0].get("id", "call")) if calls and answered else None
        # What else a model's reply came with is not sent back: strict endpoints refuse it.
        message: dict[str, Any] = {
            "role": "assistant",
            "content": content_text(reply.get("content")),
        }
        if self._call_id is not None:
            message["content"] = message["content"] or None
            message["tool_calls"] = calls
        self._messages.append(message)

    def _hear(self, message: Message) -> None:
        if message.role == "tool" and self._call_id is not None:
            row = {"role": "tool", "tool_call_id": self._call_id, "content": message.text}
        else:
            role = "user" if message.role == "tool" else message.role
            row = {"role": role, "content": message.text}
        self._messages.append(row)


class TokenAgent:
    """A policy that is followed token by token: its stream only ever grows.

    What was sampled stays as it was sampled; only what a harness adds is encoded, once.
    """

    def __init__(
        self,
        policy: TokenPolicy,
        harness: Harness,
        *,
        max_tokens: int,
        max_turn_tokens: int,
        name: str = "model",
    ) -> None:
        """Choose a policy.

        Args:
            policy: Samples.
            harness: The dialect.
            max_tokens: Longest stream, prompt and observations included.
            max_turn_tokens: Most tokens of one reply.
            name: Recorded in trajectories.
        """
        self.name = name
        self._policy = policy
        self._talk = _Conversation(harness)
        self._max_tokens = max_tokens
        self._max_turn_tokens = max_turn_tokens
        self._pending: list[Message] = []
        self._cut = False
        self._seed, self._turns = 0, 0
        self._ids: list[int] = []
        self._mask: list[bool] = []
        self._logprobs: list[float] = []
        self._versions: list[int] = []

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin with the opening messages."""
        self._talk.errors = 0
        self._pending = list(self._talk.harness.opening(instruction))
        self._cut = False
        self._seed, self._turns = seed, 0
        for column in (self._ids, self._mask, self._logprobs, self._versions):
            column.clear()

    def act(self, observation: str) -> Turn:
        """Sample the next turn; stop where the stream has no room for one."""
        if self._turns and observation:
            self._pending.append(self._talk.harness.observe(observation))
        if not self._append_pending():
            return Turn(ending=Ending.CONTEXT_LIMIT)
        room = min(self._max_turn_tokens, self._max_tokens - len(self._ids))
        said = self._policy.generate(
            tuple(self._ids), max_tokens=room, seed=turn_seed(self._seed, self._turns)
        )
        self._turns += 1
        self._append(said.ids, said.logprobs, said.versions, sampled=True)
        self._cut = said.finish_reason != "stop"
        text = self._policy.decode(said.ids)
        if self._cut and len(self._ids) >= self._max_tokens:
            return Turn(reply=text, ending=Ending.CONTEXT_LIMIT)
        turn, answer = self._talk.understand(text, text, cut=self._cut)
        if answer is not None:
            self._pending.append(answer)
        return turn

    @property
    def tokens(self) -> Tokens:
        """Return the stream so far."""
        return Tokens(
            tuple(self._ids), tuple(self._mask), tuple(self._logprobs), tuple(self._versions)
        )

    def _append_pending(self) -> bool:
        """Append what the policy has not read yet; False where no room is left to reply."""
        segments = self._talk.harness.render(self._pending, cut=self._cut)
        ids = [token for segment in segments for token in self._policy.encode(segment)]
        if len(self._ids) + len(ids) >= self._max_tokens:
            return False
        self._append(ids, [0.0] * len(ids), [-1] * len(ids), sampled=False)
        self._pending, self._cut = [], False
        return True

    def _append(
        self,
        ids: Sequence[int],
        logprobs: Sequence[float],
        versions: Sequence[int],
        *,
        sampled: bool,
    ) -> None:
        self._ids.extend(ids)
        self._mask.extend([sampled] * len(ids))
        self._logprobs.extend(logprobs)
        self._versions.extend(versions)

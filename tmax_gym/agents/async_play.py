"""`AsyncPlayer`: play tasks for a trainer whose sampling is a coroutine.

For trainers that own an event loop and a tokenizer of transformers.  Tokens that were sampled are
never encoded again.  Covers the harness `bash`, whose only chat template is ChatML.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from tmax_gym.agents.harness import Segment
from tmax_gym.agents.harnesses.bash import BashHarness
from tmax_gym.agents.rollout import rollout
from tmax_gym.agents.token_agent import TokenAgent
from tmax_gym.errors import HarnessError, TrainingError
from tmax_gym.tasks import catalogue
from tmax_gym.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply as it was sampled; the three have one length."""

    ids: Sequence[int]
    logprobs: Sequence[float]
    versions: Sequence[int]
    """The policy version that sampled each token."""


Sample = Callable[[list[int], dict[str, Any]], Coroutine[Any, Any, Reply]]
"""Samples one reply after all tokens so far, with `max_tokens` and `stop_token_ids`."""


@dataclass(frozen=True, slots=True)
class AsyncPlayer:
    """Plays episodes in threads of its own: the default ones of asyncio are few.

    Its arguments can all come from a configuration file.
    """

    tokenizer: Any
    """Of transformers; a copy of it is used, because settings of the original may change."""
    prompt_tokens: int
    """Longest prompt; for a longer one, `play` raises `TrainingError`."""
    response_tokens: int
    """Most tokens of all replies and observations together."""
    turn_tokens: int = 1 << 20
    """Most tokens of one reply."""
    backend: str = "auto"
    image: str | None = None
    retries: int = 2
    """Times that an episode is repeated if infrastructure fails."""
    concurrent: int = 64
    """Episodes at the same time, of all players of this process that have the same number."""
    harness: Mapping[str, Any] = field(default_factory=dict)
    """Options of `BashHarness`."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `EpisodeLimits`."""

    async def play(self, task: str, sample: Sample) -> Trajectory:
        """Return a graded episode with its tokens, the prompt first.

        Raises:
            TrainingError: It has no reward, because infrastructure failed or the prompt is too
                long.
            HarnessError: The tokenizer does not know ChatML.
            BackendUnavailable: No sandbox can run here.
        """
        loop = asyncio.get_running_loop()
        policy = _LoopPolicy(sample, _own(self.tokenizer), loop)
        return await loop.run_in_executor(_threads(self.concurrent), self._play, task, policy)

    def _play(self, name: str, policy: _LoopPolicy) -> Trajectory:
        task = catalogue.load(name)
        limits = task.limits(**self.limits)
        harness = BashHarness(**{"command_seconds": limits.command_timeout, **self.harness})
        opening = harness.render(harness.opening(task.instruction))
        prompt = sum(len(policy.encode(segment)) for segment in opening)
        if prompt > self.prompt_tokens:
            raise TrainingError(
                f"the prompt of {name} has {prompt:,} tokens, and the trainer takes "
                f"{self.prompt_tokens:,}: raise its longest prompt"
            )
        agent = TokenAgent(
            policy,
            harness,
            max_tokens=prompt + self.response_tokens,
            max_turn_tokens=self.turn_tokens,
        )
        seen = rollout(
            task,
            agent,
            backend=self.backend,
            image=self.image,
            limits=limits,
            retries=self.retries,
        )
        if seen.reward is None:
            raise TrainingError(
                f"{name} has no reward after {seen.attempts} tries: {seen.ending}: {seen.message}"
                "\nSee: tmax doctor"
            )
        return seen


@dataclass(frozen=True, slots=True)
class _Sampled(Reply):
    finish_reason: Literal["stop", "length"]


@dataclass(frozen=True, slots=True)
class _LoopPolicy:
    """A coroutine as a policy; only threads may wait for it, never its event loop."""

    sample: Sample
    tokenizer: Any
    loop: asyncio.AbstractEventLoop

    def encode(self, segment: Segment) -> list[int]:
        if not segment.control:
            plain = {"add_special_tokens": False, "split_special_tokens": True}
            return [int(i) for i in self.tokenizer.encode(segment.text, **plain)]
        token = self.tokenizer.convert_tokens_to_ids(segment.text)
        if token is None or token == self.tokenizer.unk_token_id:
            raise HarnessError(
                f"the tokenizer has no token {segment.text!r}: choose a model that speaks ChatML"
            )
        return [int(token)]

    def decode(self, ids: Sequence[int]) -> str:
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True))

    def generate(self, ids: Sequence[int], *, max_tokens: int, seed: int) -> _Sampled:
        stop = self.encode(BashHarness.stop)
        limits = {"max_tokens": max_tokens, "stop_token_ids": stop}
        turn = self.sample(list(ids), limits)
        reply = asyncio.run_coroutine_threadsafe(turn, self.loop).result()
        ended = list(reply.ids[-1:]) == stop
        return _Sampled(reply.ids, reply.logprobs, reply.versions, "stop" if ended else "length")


@cache
def _threads(number: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(number, thread_name_prefix="tmax")


@cache
def _own(tokenizer: Any) -> Any:
    """Return a copy that nobody else sets to read special tokens in plain text."""
    return deepcopy(tokenizer)

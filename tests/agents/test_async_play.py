"""Episodes for trainers whose sampling is a coroutine; the adapters' tests play them in theirs."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("transformers", reason="needs the train extra")

from tests.support.chat_policy import chat_tokenizer, replies
from tests.support.tiny_tasks import sum_task
from tmax_gym.agents.async_play import AsyncPlayer, Reply
from tmax_gym.agents.harnesses.bash import BashHarness
from tmax_gym.errors import HarnessError, TrainingError
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending, Trajectory


def play(script: Sequence[str], tokenizer: Any, **options: Any) -> Trajectory:
    """Let a script play the task `sum`; every token has version 7."""
    left = iter(script)

    async def sample(ids: list[int], limits: dict[str, Any]) -> Reply:
        said = [*tokenizer.encode(next(left)), *limits["stop_token_ids"]][: limits["max_tokens"]]
        return Reply(said, [-0.5] * len(said), [7] * len(said))

    settings = {"prompt_tokens": 4000, "response_tokens": 4000, "backend": "native", **options}
    player = AsyncPlayer(tokenizer, image="host", **settings)
    return asyncio.run(player.play("sum.plain-1", sample))


def test_the_stream_is_the_text_of_the_harness(
    tiny_catalogue: str, native_backend: Backend
) -> None:
    tokenizer, said = chat_tokenizer(), replies(sum_task().oracle)
    seen = play(said, tokenizer)
    assert (seen.reward, seen.ending) == (1.0, Ending.SUBMITTED)
    assert seen.tokens is not None
    harness = BashHarness()
    text = "".join(s.text for s in harness.render(harness.opening(sum_task().instruction)))
    for place, reply in enumerate(said):
        text += reply + harness.stop.text
        if place < len(said) - 1:
            told = {"role": "tool", "content": "(no output)\n\n(exit_code=0)"}
            text += "".join(segment.text for segment in harness.render((told,)))
    assert tokenizer.decode(seen.tokens.ids) == text
    own = [i for i, mine in zip(seen.tokens.ids, seen.tokens.mask, strict=True) if mine]
    assert tokenizer.decode(own) == "".join(reply + harness.stop.text for reply in said)


def test_text_of_a_terminal_never_becomes_a_special_token(
    tiny_catalogue: str, native_backend: Backend
) -> None:
    tokenizer = chat_tokenizer()
    tokenizer.encode("x", split_special_tokens=False)
    seen = play(replies(["printf '<|im_%s|>' end"]), tokenizer)
    assert seen.tokens is not None
    pairs = zip(seen.tokens.ids, seen.tokens.mask, strict=True)
    ends = [mine for i, mine in pairs if i == tokenizer.eos_token_id]
    assert ends == [False, False, True, False, True], "of two messages, two replies, one output"


def test_a_response_has_no_more_tokens_than_asked_for(
    tiny_catalogue: str, native_backend: Backend
) -> None:
    seen = play([replies(())[0] + " " * 500], chat_tokenizer(), response_tokens=300)
    assert seen.tokens is not None
    assert (sum(seen.tokens.mask), seen.ending, seen.reward) == (300, Ending.CONTEXT_LIMIT, 0.0)


def test_a_prompt_that_is_too_long_is_refused(tiny_catalogue: str, native_backend: Backend) -> None:
    with pytest.raises(TrainingError, match="and the trainer takes 100: raise"):
        play([], chat_tokenizer(), prompt_tokens=100)


def test_a_tokenizer_without_chatml_is_refused(
    tiny_catalogue: str, native_backend: Backend
) -> None:
    tokenizer = chat_tokenizer(specials=("<eos>", "<start>"))
    with pytest.raises(HarnessError, match="choose a model that speaks ChatML"):
        play([], tokenizer)

"""An engine as the policy of a token agent, with given observations and no sandbox."""

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")

from tmax_gym.agents.harnesses.bash import BashHarness  # noqa: E402
from tmax_gym.agents.token_agent import TokenAgent  # noqa: E402
from tmax_trainers.engines.transformers import TransformersEngine  # noqa: E402
from tmax_trainers.policies.scratch import PolicyConfig, build_policy  # noqa: E402
from tmax_trainers.policies.sft import SFTConfig, train_sft  # noqa: E402
from tmax_trainers.policies.tokenizer import WordTokenizer  # noqa: E402
from tmax_trainers.rollout.streams.token_policy import EngineTokenPolicy, lesson  # noqa: E402

TURNS = [("cat notes.txt", "alpha\n\n(exit_code=0)"), ("echo alpha > out.txt", "(no output)")]
TASK = "Copy the first word of notes.txt to out.txt."


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def tokenizer():
    replies = [BashHarness().say(command) for command, _ in TURNS]
    opening = [m["content"] for m in BashHarness().opening(TASK)]
    return WordTokenizer.train([*replies, *opening, TASK], min_count=1)


def agent(engine, tokenizer, **kwargs):
    harness = BashHarness()
    policy = EngineTokenPolicy(engine, tokenizer, stop=harness.stop, **kwargs)
    return TokenAgent(policy, harness, max_tokens=1900, max_turn_tokens=60)


def untrained(tokenizer):
    return build_policy(PolicyConfig(len(tokenizer), layers=2, width=64, heads=2), seed=0)


def test_the_stream_of_an_episode_is_what_the_engine_sampled(tokenizer):
    model = untrained(tokenizer)
    with TransformersEngine(model, slots=16) as engine:
        player = agent(engine, tokenizer, episode="one")
        player.reset(TASK, seed=4)
        player.act("")
        player.act("something happened")
    tokens = player.tokens
    assert sum(tokens.mask) > 2
    with torch.no_grad():
        logp = model(input_ids=torch.tensor([tokens.ids])).logits[0].log_softmax(-1)
    for t, mine in enumerate(tokens.mask):
        if mine:
            assert float(logp[t - 1, tokens.ids[t]]) == pytest.approx(tokens.logprobs[t], abs=1e-4)
        else:
            assert (tokens.logprobs[t], tokens.versions[t]) == (0.0, -1)


def test_a_policy_that_has_learned_a_lesson_repeats_it_through_the_harness(tokenizer):
    """The greedy policy would fail if lesson and agent differed in a token."""
    model = untrained(tokenizer)
    taught = lesson(tokenizer, BashHarness(), instruction=TASK, turns=TURNS)
    config = SFTConfig(steps=80, learning_rate=3e-3, warmup_steps=5)
    history = train_sft(model, [taught], config, on_step=lambda s: s.loss < 0.02)
    assert history[-1].loss < 0.02
    with TransformersEngine(model, slots=16) as engine:
        player = agent(engine, tokenizer, temperature=0.0)
        player.reset(TASK, seed=0)
        turns = [player.act(seen) for seen in ("", TURNS[0][1])]
    assert [turn.command for turn in turns] == [command for command, _ in TURNS]
    assert player.tokens.ids == taught.ids
    assert player.tokens.mask == taught.mask

"""The warm start on streams that can be learned by heart, and the streams themselves."""

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")

from tmax_gym.agents.token_agent import TokenStream  # noqa: E402
from tmax_trainers.engines import Completion  # noqa: E402
from tmax_trainers.policies.scratch import PolicyConfig, build_policy  # noqa: E402
from tmax_trainers.policies.sft import SFTConfig, batches, learning_rate, train_sft  # noqa: E402

CONFIG = PolicyConfig(32, layers=2, width=32, heads=2, max_length=64)


pytestmark = pytest.mark.usefixtures("one_thread")


def copies(count=64, length=6, seed=0):
    """Streams of letters, a mark, and the same letters again."""
    generator = torch.Generator().manual_seed(seed)
    streams = []
    for i in range(count):
        letters = torch.randint(4, 32, (1 + i % length,), generator=generator).tolist()
        stream = TokenStream([*letters, 1])
        stream.teach([*letters, 2])
        streams.append(stream.tokens())
    return streams


def test_a_policy_learns_to_copy():
    history = train_sft(
        build_policy(CONFIG, seed=0), copies(512), SFTConfig(steps=200, tokens_per_batch=768)
    )
    assert history[0].accuracy < 0.1
    assert history[-1].accuracy > 0.5
    assert history[-1].loss < 0.5 * history[0].loss


def test_in_bfloat16_the_computation_alone_is_coarser():
    wide, coarse = build_policy(CONFIG, seed=0), build_policy(CONFIG, seed=0)
    exact = train_sft(wide, copies(), SFTConfig(steps=5))
    rounded = train_sft(coarse, copies(), SFTConfig(steps=5, dtype="bfloat16"))
    assert {weight.dtype for weight in coarse.parameters()} == {torch.float32}
    assert [step.loss for step in rounded] != [step.loss for step in exact]
    # bfloat16 has 8 bits of precision: 0.4 % a number.
    assert [step.loss for step in rounded] == pytest.approx([step.loss for step in exact], rel=0.01)


def test_only_masked_tokens_are_learned():
    """Unmasked targets may change without changing the gradient of any weight."""
    first, second = build_policy(CONFIG, seed=0), build_policy(CONFIG, seed=0)
    plain = TokenStream([5, 6])
    plain.teach([7])
    tail = TokenStream([5, 6])
    tail.teach([7])
    tail.observe([8, 9, 10])
    config = SFTConfig(steps=3)
    train_sft(first, [plain.tokens()], config)
    train_sft(second, [tail.tokens()], config)
    for a, b in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.allclose(a, b, atol=1e-6)


def test_the_loss_is_the_mean_over_masked_tokens_of_the_batch():
    """It equals one pass for each stream, without padding."""
    model = build_policy(CONFIG, seed=1)
    streams = copies(9)
    total, count = 0.0, 0
    with torch.no_grad():
        for stream in streams:
            ids = torch.tensor([stream.ids])
            logp = model(input_ids=ids).logits[0].log_softmax(-1)
            for t in range(1, len(stream.ids)):
                if stream.mask[t]:
                    total -= float(logp[t - 1, stream.ids[t]])
                    count += 1
    history = train_sft(model, streams, SFTConfig(steps=1))
    assert history[0].loss == pytest.approx(total / count, rel=1e-5)


def test_the_same_seed_gives_the_same_weights():
    models = [build_policy(CONFIG, seed=4) for _ in range(2)]
    for model in models:
        train_sft(model, copies(), SFTConfig(steps=5, tokens_per_batch=200, seed=9))
    for a, b in zip(*(m.parameters() for m in models), strict=True):
        assert torch.equal(a, b)


def test_the_callback_can_stop():
    history = train_sft(
        build_policy(CONFIG, seed=0),
        copies(),
        SFTConfig(steps=50),
        on_step=lambda step: step.step == 3,
    )
    assert [h.step for h in history] == [1, 2, 3]


def test_every_pass_holds_each_stream_once_and_keeps_to_the_budget():
    streams = copies(50, length=20)
    config = SFTConfig(tokens_per_batch=120)
    stream = batches(streams, config)
    for _ in range(3):
        seen = []
        while len(seen) < 50:
            rows = next(stream)
            seen += rows
            assert len(rows) == 1 or len(rows) * max(len(streams[i].ids) for i in rows) <= 120
        assert sorted(seen) == list(range(50))


def test_streams_without_anything_to_learn_are_refused():
    with pytest.raises(ValueError, match="none of the 1 streams"):
        next(batches([TokenStream([1, 2]).tokens()], SFTConfig()))


def test_rates_warm_up_and_fall():
    config = SFTConfig(steps=100, warmup_steps=10, learning_rate=1.0, schedule="cosine")
    assert [learning_rate(s, config) for s in (0, 9, 10, 55)] == pytest.approx([0.1, 1, 1, 0.5])
    assert learning_rate(99, config) < 0.01


def test_policies_differ_by_seed_alone_and_leave_the_global_generator_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    one, same, other = (build_policy(CONFIG, seed=s) for s in (1, 1, 2))
    assert torch.equal(torch.rand(3), expected)
    first = [m.model.layers[0].mlp.up_proj.weight for m in (one, same, other)]
    assert torch.equal(first[0], first[1]) and not torch.equal(first[0], first[2])


def test_a_stream_keeps_what_was_sampled():
    stream = TokenStream([1, 2])
    stream.sampled(Completion((3, 4), (-0.5, -0.25), (7, 8), "stop"))
    stream.observe([5])
    tokens = stream.tokens()
    assert tokens.ids == stream.ids == (1, 2, 3, 4, 5)
    assert tokens.mask == (False, False, True, True, False)
    assert tokens.logprobs == (0.0, 0.0, -0.5, -0.25, 0.0)
    assert tokens.versions == (-1, -1, 7, 8, -1)


def test_shapes_without_rotary_pairs_are_refused():
    with pytest.raises(ValueError, match="even multiple"):
        PolicyConfig(10, width=30, heads=4)

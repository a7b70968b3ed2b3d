"""Sampling, checked against full teacher-forced passes of the same weights."""

import copy
import threading
import time

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
transformers = pytest.importorskip("transformers", reason="needs the train extra")

from tmax_trainers.engines import Request  # noqa: E402
from tmax_trainers.engines.transformers import TransformersEngine  # noqa: E402
from tmax_trainers.policies.scratch import PolicyConfig, build_policy  # noqa: E402

VOCABULARY = 61


@pytest.fixture(scope="module")
def model():
    return sharp_policy(seed=3)


def sharp_policy(*, seed):
    """Sharper than a new policy, so that wrong sampling is visible."""
    config = PolicyConfig(
        VOCABULARY, layers=2, width=32, heads=4, max_length=256, tie_embeddings=False
    )
    policy = build_policy(config, seed=seed)
    with torch.no_grad():
        policy.lm_head.weight.mul_(20)
        policy.model.embed_tokens.weight.mul_(50)
        for layer in policy.model.layers:
            for parameter in layer.self_attn.parameters():
                parameter.mul_(5)
    return policy


@pytest.fixture
def engine(model):
    with TransformersEngine(model, slots=16) as opened:
        yield opened


def request(seed, *, length=9, **kwargs):
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, VOCABULARY, (length,), generator=generator).tolist()
    return Request(tuple(ids), **({"max_tokens": 12, "seed": seed} | kwargs))


def teacher_forced(model, asked, completion, temperature=1.0):
    ids = torch.tensor([asked.ids + completion.ids])
    with torch.no_grad():
        logp = (model(input_ids=ids).logits[0, :-1].double() / temperature).log_softmax(-1)
    return logp.gather(1, ids[0, 1:, None])[len(asked.ids) - 1 :, 0]


@pytest.mark.parametrize("temperature", [0.7, 1.0])
def test_logprobs_agree_with_a_full_pass(model, engine, temperature):
    asked = [request(i, length=3 + 5 * i, temperature=temperature) for i in range(8)]
    for one, completion in zip(asked, engine.generate(asked), strict=True):
        assert len(completion.ids) == 12 and completion.finish_reason == "length"
        expected = teacher_forced(model, one, completion, temperature)
        assert (expected - torch.tensor(completion.logprobs)).abs().max() < 1e-4


@pytest.mark.parametrize(("width", "heads"), [(32, 4), (96, 2)])
def test_the_rest_of_the_batch_changes_nothing(width, heads):
    """Bit for bit, also at lengths where matrix products split their sums in another way."""
    shape = PolicyConfig(301, layers=2, width=width, heads=heads, max_length=512)
    asked = [request(i, length=2 + 9 * i, max_tokens=8) for i in range(40)]
    policy = build_policy(shape, seed=1)
    with TransformersEngine(policy, slots=48) as engine:
        alone = [engine.generate([one])[0] for one in asked]
        together = engine.generate(asked[::-1])[::-1]
    assert alone == together


def test_a_seed_fixes_the_turn_and_another_seed_changes_it(engine):
    first, again, other = engine.generate(
        [request(1), request(1), Request(request(1).ids, max_tokens=12, seed=2)]
    )
    assert first == again
    assert first.ids != other.ids


def test_tokens_are_sampled_with_their_probabilities(model, engine):
    """The frequencies of 2,000 first tokens are close to the softmax, by total variation."""
    ids = request(5).ids
    count = 2000
    completions = engine.generate([Request(ids, max_tokens=1, seed=s) for s in range(count)])
    seen = (
        torch.bincount(torch.tensor([s.ids[0] for s in completions]), minlength=VOCABULARY) / count
    )
    with torch.no_grad():
        expected = model(input_ids=torch.tensor([ids])).logits[0, -1].softmax(-1)
    # E|p̂ - p| <= sqrt(p / n), summed over 61 outcomes: the distance is at most 0.087 on average.
    assert 0.5 * (seen - expected).abs().sum() < 0.087


def test_zero_temperature_takes_the_likeliest_token(model, engine):
    asked = request(6, temperature=0.0)
    completion = engine.generate([asked])[0]
    ids = torch.tensor([asked.ids + completion.ids])
    with torch.no_grad():
        best = model(input_ids=ids).logits[0].argmax(-1)
    assert tuple(best[len(asked.ids) - 1 : -1].tolist()) == completion.ids


def test_a_stop_token_ends_the_turn_and_belongs_to_it(engine):
    free = engine.generate([request(7)])[0]
    stop = free.ids[4]
    cut = engine.generate([request(7, stop_ids=(stop,))])[0]
    assert cut.finish_reason == "stop"
    assert cut.ids == free.ids[: free.ids.index(stop) + 1]


def test_a_full_context_ends_the_turn(engine):
    completions = engine.generate([request(8, length=250), request(9, length=256)])
    assert [len(s.ids) for s in completions] == [6, 0]
    assert {s.finish_reason for s in completions} == {"length"}


def test_the_cache_of_an_episode_is_kept_and_changes_nothing(model, engine):
    history = request(10).ids
    for turn in range(3):
        asked = Request(history, max_tokens=10, seed=turn, episode="one")
        completion = engine.generate([asked])[0]
        expected = teacher_forced(model, asked, completion)
        assert (expected - torch.tensor(completion.logprobs)).abs().max() < 1e-4
        assert engine._assignment.kept("one") == list((asked.ids + completion.ids)[:-1])
        history = asked.ids + completion.ids + (turn, turn + 1)


def test_a_group_reads_its_prompt_once(model, monkeypatch):
    """Eight episodes of one prompt read 40 tokens, then two for each of the other seven."""
    read = []
    with TransformersEngine(model, slots=16) as engine:
        prefill = engine._prefill
        monkeypatch.setattr(
            engine,
            "_prefill",
            lambda jobs, length: (
                [read.append(len(j.ids) - j.cached) for j in jobs] and prefill(jobs, length)
            ),
        )
        prompt = request(1, length=40).ids
        asked = [Request(prompt, max_tokens=9, seed=s, episode=f"g{s}") for s in range(8)]
        together = engine.generate(asked)
    assert sorted(read) == [2] * 7 + [40]
    with TransformersEngine(model, slots=16) as engine:
        alone = [engine.generate([Request(one.ids, 9, one.seed)])[0] for one in asked[::-1]]
    assert together == alone[::-1]


def test_an_edited_history_is_read_again_from_the_edit(model, engine):
    first = Request(request(11, length=20).ids, max_tokens=8, seed=0, episode="edited")
    engine.generate([first])
    edited = Request(first.ids[:5] + request(12).ids, max_tokens=8, seed=1, episode="edited")
    completion = engine.generate([edited])[0]
    expected = teacher_forced(model, edited, completion)
    assert (expected - torch.tensor(completion.logprobs)).abs().max() < 1e-4


def test_more_episodes_than_slots_are_served(model, engine):
    asked = [request(i, episode=f"e{i}", length=4 + i % 7) for i in range(50)]
    for _ in range(2):
        for one, completion in zip(asked, engine.generate(asked), strict=True):
            expected = teacher_forced(model, one, completion)
            assert (expected - torch.tensor(completion.logprobs)).abs().max() < 1e-4


def test_many_threads_get_their_own_answers(engine):
    asked = [request(i, episode=f"t{i}") for i in range(24)]
    expected = [engine.generate([one])[0] for one in asked]
    got = [None] * len(asked)

    def ask(i):
        got[i] = engine.generate([asked[i]])[0]

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(asked))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert got == expected


def test_new_weights_change_versions_in_the_middle_of_a_turn(model):
    """The log-probability of each token is that of its version."""
    other = sharp_policy(seed=99)
    with TransformersEngine(model, slots=16) as engine:
        asked = request(13, max_tokens=200)
        completions = []
        thread = threading.Thread(target=lambda: completions.extend(engine.generate([asked])))
        thread.start()
        while not engine._active or len(engine._active[0].logprobs) < 5:
            time.sleep(0.001)
        engine.update(other.named_parameters(), 7)
        thread.join(60)
        assert engine.version == 7
    old = completions[0].versions.count(0)
    assert completions[0].versions == (0,) * old + (7,) * (200 - old) and 5 <= old < 200
    logprobs = torch.tensor(completions[0].logprobs)
    assert (teacher_forced(model, asked, completions[0])[:old] - logprobs[:old]).abs().max() < 1e-4
    assert (teacher_forced(other, asked, completions[0])[old:] - logprobs[old:]).abs().max() < 1e-4


def test_weights_that_do_not_fit_are_refused_and_the_engine_goes_on(engine):
    with pytest.raises(ValueError, match="do not fit"):
        engine.update([("no.such.weight", torch.zeros(1))], 1)
    assert len(engine.generate([request(14)])[0].ids) == 12


def test_training_the_model_does_not_change_the_engine(model):
    mine = copy.deepcopy(model)
    with TransformersEngine(mine, slots=16) as engine:
        before = engine.generate([request(15)])
        with torch.no_grad():
            for parameter in mine.parameters():
                parameter.zero_()
        assert engine.generate([request(15)]) == before


def test_a_closed_engine_refuses(model):
    engine = TransformersEngine(model, slots=16)
    engine.close()
    with pytest.raises(RuntimeError, match="closed"):
        engine.generate([request(0)])


def test_a_model_with_recurrent_layers_is_sampled_correctly():
    """A tiny Qwen3.5: three gated-delta layers, one of full attention."""
    config = transformers.Qwen3_5TextConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=4,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        linear_num_key_heads=2,
        linear_num_value_heads=2,
        linear_key_head_dim=8,
        linear_value_head_dim=8,
        max_position_embeddings=128,
    )
    torch.manual_seed(0)
    hybrid = transformers.Qwen3_5ForCausalLM(config).eval()
    with TransformersEngine(hybrid, slots=4) as engine:
        asked = [request(i, length=5 + i, max_tokens=6) for i in range(3)]
        for one, completion in zip(asked, engine.generate(asked), strict=True):
            expected = teacher_forced(hybrid, one, completion)
            assert (expected - torch.tensor(completion.logprobs)).abs().max() < 1e-4

"""Logits of engines whose weights are bfloat16, against products in float64."""

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
transformers = pytest.importorskip("transformers", reason="needs the train extra")

from tmax_trainers.engines import Request  # noqa: E402
from tmax_trainers.engines.heads import WholeRows  # noqa: E402
from tmax_trainers.engines.transformers import TransformersEngine  # noqa: E402
from tmax_trainers.policies.scratch import PolicyConfig, build_policy  # noqa: E402

WIDTH, VOCABULARY = 32, 61


def linear(seed, dtype):
    torch.manual_seed(seed)
    return torch.nn.Linear(WIDTH, VOCABULARY, bias=False, dtype=dtype).requires_grad_(False)


def last_places(dtype, sequences=5):
    """Return hidden states that lie apart in memory, as an engine's do."""
    torch.manual_seed(9)
    return torch.randn(sequences, 7, WIDTH).to(dtype)[:, -1:]


def product(hidden, head):
    return hidden.double() @ head.weight.double().t()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_logits_are_float32_products_of_the_rounded_weights(dtype):
    head, hidden = linear(1, dtype), last_places(dtype)
    logits = WholeRows(head, torch.float32)(hidden)
    assert logits.dtype == torch.float32 and logits.shape == (5, 1, VOCABULARY)
    torch.testing.assert_close(logits.double(), product(hidden, head), rtol=1e-5, atol=1e-5)


def test_a_row_does_not_depend_on_the_number_of_rows():
    head, hidden = linear(1, torch.float32), last_places(torch.float32, sequences=40)
    rows = WholeRows(head, torch.float32)
    alone = torch.cat([rows(hidden[i : i + 1]) for i in range(40)])
    assert torch.equal(rows(hidden), alone)


@pytest.mark.parametrize("tied", [False, True])
def test_new_weights_reach_the_logits_of_a_bfloat16_engine(tied):
    shape = PolicyConfig(
        VOCABULARY, layers=2, width=WIDTH, heads=4, max_length=64, tie_embeddings=tied
    )
    old, new = (build_policy(shape, seed=seed).to(torch.bfloat16) for seed in (1, 2))
    asked = Request(tuple(range(9)), max_tokens=4, seed=3)
    with TransformersEngine(old, slots=16) as engine:
        engine.update(list(new.named_parameters()), 1)
        completion = engine.generate([asked])[0]
    for model, near in ((new, True), (old, False)):
        ids = torch.tensor([asked.ids + completion.ids])
        hidden = model.model(input_ids=ids).last_hidden_state[0, :-1]
        logp = product(hidden, model.get_output_embeddings()).log_softmax(-1)
        expected = logp.gather(1, ids[0, 1:, None])[len(asked.ids) - 1 :, 0]
        gap = (expected - torch.tensor(completion.logprobs)).abs().max().item()
        assert (gap < 0.005) is near


def test_the_float32_head_can_be_turned_off():
    policy = build_policy(PolicyConfig(VOCABULARY, layers=2, width=WIDTH, heads=4, max_length=64),
                          seed=1).to(torch.bfloat16)  # fmt: skip
    asked = [Request((1, 2, 3), max_tokens=1, seed=seed) for seed in range(8)]
    with (
        TransformersEngine(policy, slots=16, fp32_head=False) as low,
        TransformersEngine(policy, slots=16) as high,
    ):
        rounded, exact = low.generate(asked), high.generate(asked)
    assert any(a.logprobs != b.logprobs for a, b in zip(rounded, exact, strict=True))

"""The one-pass head against written-out softmaxes (`support/loss_derivation.py`), and its cost."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.loss_derivation import SPECIAL, head_by_hand

torch = pytest.importorskip("torch", reason="needs the train extra")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from tmax_trainers.dppo.loss.config import DPPOLossConfig  # noqa: E402
from tmax_trainers.dppo.loss.dppo import dppo_loss  # noqa: E402
from tmax_trainers.dppo.loss.fused import HeadOptions, SampledTokens, fused_linear_dppo  # noqa: E402
from tmax_trainers.dppo.loss.products import Products, TensorCoreProducts  # noqa: E402
from tmax_trainers.dppo.loss.tiles import pack_rows, softmax_in_place  # noqa: E402

WIDE = DPPOLossConfig(delta_low=1.0, delta_high=1.0)
"""Blocks nothing."""


pytestmark = pytest.mark.usefixtures("one_thread")


def problem(rows=12, width=5, vocabulary=17, *, seed=0, special=False, k=0, spread=1.5):
    """Return hidden states, weight and tokens in float64; μ scatters around π."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(rows, width))
    weight = rng.normal(size=(vocabulary, width)) * spread / width**0.5
    ids = rng.integers(0, vocabulary, rows)
    logits = hidden @ weight.T
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    q = p * np.exp(rng.normal(0, 0.7, p.shape))
    q /= q.sum(1, keepdims=True)
    mu_logp = np.log(q[np.arange(rows), ids])
    if special:
        odd = rng.random(rows) < 0.4
        mu_logp[odd] = rng.choice(SPECIAL, odd.sum())
    advantages = np.where(rng.random(rows) < 0.15, 0.0, rng.normal(size=rows))
    top_ids = np.argsort(-q, axis=1)[:, :k]
    top = {} if not k else {
        "top_ids": torch.tensor(top_ids),
        "top_mu_logp": torch.tensor(np.log(np.take_along_axis(q, top_ids, 1))),
    }  # fmt: skip
    return torch.tensor(hidden), torch.tensor(weight), SampledTokens(
        ids=torch.tensor(ids),
        mu_logp=torch.tensor(mu_logp),
        advantages=torch.tensor(advantages),
        mask=torch.tensor(rng.random(rows) < 0.8),
        **top,
    )  # fmt: skip


def listed(tokens):
    """Return tokens in the form that the derivation takes."""
    columns = [tokens.ids, tokens.mu_logp, tokens.advantages, tokens.mask]
    rows = list(zip(*(c.tolist() for c in columns), strict=True))
    if tokens.top_ids is None:
        return rows
    tops = zip(tokens.top_ids.tolist(), tokens.top_mu_logp.exp().tolist(), strict=True)
    return [(*row, list(zip(*top, strict=True))) for row, top in zip(rows, tops, strict=True)]


def part(tokens, rows):
    """Return some of the tokens."""
    fields = {name: getattr(tokens, name) for name in SampledTokens.__slots__}
    return SampledTokens(**{n: None if v is None else v[rows] for n, v in fields.items()})


def ours(hidden, weight, tokens, z, *, config=WIDE, dtype=torch.float64, **options):
    """Return loss, gradients as NumPy, and sums."""
    hidden, weight = (x.detach().clone().to(dtype).requires_grad_() for x in (hidden, weight))
    loss, sums = fused_linear_dppo(
        hidden, weight, tokens, denominator=z, config=config, options=HeadOptions(**options)
    )
    loss.backward()
    return float(loss.detach()), *(x.grad.double().numpy() for x in (hidden, weight)), sums


CONFIGS = {
    "tv": DPPOLossConfig(delta_low=0.02, delta_high=0.02),
    "kl": DPPOLossConfig("binary_kl", delta_low=0.02, delta_high=0.02),
    "topk_tv": DPPOLossConfig("topk_tv"),
    "topk_kl": DPPOLossConfig("topk_kl"),
    "capped": DPPOLossConfig(is_cap=1.2),
    "dapo": DPPOLossConfig(objective="dapo"),
    "cispo": DPPOLossConfig(objective="cispo", is_cap=1.2),
}


@pytest.mark.parametrize("name", CONFIGS)
@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 12),
    chunk=st.integers(1, 13),
    temperature=st.sampled_from([1.0, 0.6, 1.7]),
)
def test_loss_and_gradients_are_those_of_the_derivation(name, seed, rows, chunk, temperature):
    config, k = CONFIGS[name], 3 if name.startswith("topk") else 0
    hidden, weight, tokens = problem(rows, seed=seed, special=True, k=k)
    *expected, nearest = head_by_hand(
        hidden.numpy(), weight.numpy(), listed(tokens), 7.0, config=config, temperature=temperature
    )
    assume(nearest > 1e-9)
    got = ours(hidden, weight, tokens, 7.0, config=config, rows=chunk, temperature=temperature)
    for mine, exact in zip(got, expected, strict=False):
        np.testing.assert_allclose(mine, exact, rtol=1e-9, atol=1e-12)


def test_rounded_logits_are_those_of_a_head_with_a_bfloat16_result():
    hidden, weight, tokens = problem(30, 8, 40)
    got = ours(hidden, weight, tokens, 20.0, rows=7, logits=torch.bfloat16)
    leaves = [x.clone().requires_grad_() for x in (hidden, weight)]
    exact = leaves[0] @ leaves[1].T
    rounded = exact + (exact.to(torch.bfloat16).double() - exact).detach()
    logp = rounded.log_softmax(-1).gather(1, tokens.ids[:, None])[:, 0]
    loss, _ = dppo_loss(
        logp, tokens.mu_logp, tokens.advantages, mask=tokens.mask, denominator=20.0, config=WIDE
    )
    loss.backward()
    for mine, expected in zip(
        got, (float(loss.detach()), *(x.grad.numpy() for x in leaves)), strict=False
    ):
        np.testing.assert_allclose(mine, expected, rtol=1e-9, atol=1e-12)
    assert abs(got[0] - ours(hidden, weight, tokens, 20.0)[0]) > 1e-5


@pytest.mark.parametrize("chunk", [1, 7, 64, 200, 1000])
def test_any_chunk_size_gives_the_same_in_float32(chunk):
    hidden, weight, tokens = problem(200, 16, 300, special=True)
    exact = head_by_hand(hidden.numpy(), weight.numpy(), listed(tokens), 100.0, config=WIDE)
    got = ours(hidden, weight, tokens, 100.0, dtype=torch.float32, rows=chunk)
    for mine, expected in zip(got[:3], exact[:3], strict=True):
        np.testing.assert_allclose(mine, expected, atol=1e-6)


@settings(max_examples=30)
@given(cuts=st.sets(st.integers(0, 40), max_size=6), seed=st.integers(0, 1000))
def test_any_split_into_micro_batches_gives_the_same(cuts, seed):
    """Gradients of parts with the Z of the whole add up, also for parts without a row."""
    hidden, weight, tokens = problem(40, seed=seed, special=True)
    config = CONFIGS["tv"]
    loss, d_hidden, d_weight, _ = ours(hidden, weight, tokens, 23.0, config=config)
    edges = [0, *sorted(cuts), 40]
    shares = [
        ours(hidden[a:b], weight, part(tokens, slice(a, b)), 23.0, config=config)
        for a, b in pairwise(edges)
    ]
    assert sum(s[0] for s in shares) == pytest.approx(loss, abs=1e-12)
    np.testing.assert_allclose(np.concatenate([s[1] for s in shares]), d_hidden, atol=1e-12)
    np.testing.assert_allclose(sum(s[2] for s in shares), d_weight, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_gradients_agree_with_finite_differences(seed):
    """Central differences along random directions; gradcheck needs a second backward pass."""
    hidden, weight, tokens = problem(8, 4, 9, seed=seed, special=True)
    make = torch.Generator().manual_seed(seed)
    step = [1e-6 * torch.randn(x.shape, generator=make, dtype=x.dtype) for x in (hidden, weight)]
    _, *gradients, _ = ours(hidden, weight, tokens, 3.0)
    up, down = (ours(hidden + s * step[0], weight + s * step[1], tokens, 3.0)[0] for s in (1, -1))
    slope = sum((g * s.numpy()).sum() for g, s in zip(gradients, step, strict=True))
    assert (up - down) / 2 == pytest.approx(slope, rel=1e-6)


def test_sums_are_those_of_the_plain_loss():
    hidden, weight, tokens = problem(50, special=True)
    config = DPPOLossConfig("binary_kl", delta_low=0.01, delta_high=0.01)
    logp = (hidden @ weight.T / 0.8).log_softmax(-1)
    _, expected = dppo_loss(
        logp.gather(1, tokens.ids[:, None])[:, 0],
        tokens.mu_logp,
        tokens.advantages,
        mask=tokens.mask & (tokens.advantages != 0),
        denominator=1.0,
        config=config,
    )
    trained = tokens.mask & (tokens.advantages != 0) & tokens.mu_logp.isfinite()
    expected["entropy"] = -(logp.exp() * logp).sum(1)[trained].sum()
    *_, sums = ours(
        hidden, weight, tokens, 1.0, config=config, temperature=0.8, entropy=True, rows=9
    )
    assert sums.keys() == expected.keys()
    for key, value in sums.items():
        assert float(value) == pytest.approx(float(expected[key]), rel=1e-9), key
    assert sums["blocked_low"] > 0 and sums["blocked_high"] > 0


class Watch(TorchDispatchMode):
    """Counts the operations of products, and records the size of the largest returned tensor."""

    def __init__(self):
        super().__init__()
        self.flops = self.largest = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, tuple | list) else [result]:
            if isinstance(tensor, torch.Tensor):
                self.largest = max(self.largest, tensor.numel())
        name = func.overloadpacket.__name__
        if name in ("mm", "addmm", "addmm_", "bmm", "mv", "addmv"):
            a, b = args[-2:]
            self.flops += 2 * a.shape[0] * a.shape[1] * b.shape[1]
        return result


def test_three_products_and_none_for_rows_without_a_gradient():
    """2·N·H·V operations for the logits, and twice as many for gradients of unblocked rows."""
    hidden, weight, tokens = problem(60, 8, 40, special=True)
    live = int((tokens.mask & tokens.mu_logp.isfinite() & (tokens.advantages != 0)).sum())
    with Watch() as seen:
        *_, sums = ours(hidden, weight, tokens, 1.0, config=CONFIGS["tv"], rows=7)
    blocked = int(sums["blocked_low"] + sums["blocked_high"])
    assert 0 < blocked < live < 60
    assert seen.flops == 2 * 8 * 40 * (3 * live - 2 * blocked)


def test_no_tensor_is_larger_than_a_tile_or_the_weight():
    hidden, weight, tokens = problem(500, 8, 40)
    with Watch() as seen:
        ours(hidden, weight, tokens, 1.0, rows=10, entropy=True)
    assert seen.largest == 500 * 8  # the hidden states themselves; a tile has 400 elements


@pytest.mark.parametrize("frozen", [0, 1])
def test_frozen_parameters_cost_no_product(frozen):
    hidden, weight, tokens = problem()
    given = [hidden, weight]
    given[1 - frozen].requires_grad_()
    with Watch() as seen:
        loss, sums = fused_linear_dppo(*given, tokens, denominator=1.0, config=WIDE)
        loss.backward()
    assert seen.flops == 2 * 2 * int(sums["tokens"]) * 5 * 17
    assert given[frozen].grad is None
    np.testing.assert_array_equal(
        given[1 - frozen].grad, ours(hidden, weight, tokens, 1.0)[1:3][1 - frozen]
    )


def test_without_gradients_only_the_logits_are_computed():
    hidden, weight, tokens = problem()
    expected, *_ = ours(hidden, weight, tokens, 1.0)
    weight.requires_grad_()
    with torch.no_grad(), Watch() as seen:
        loss, sums = fused_linear_dppo(hidden, weight, tokens, denominator=1.0, config=WIDE)
    assert float(loss) == expected
    assert seen.flops == 2 * int(sums["tokens"]) * 5 * 17


@pytest.mark.parametrize("rows", [0, 5])
def test_a_part_that_trains_nothing_has_no_gradient(rows):
    hidden, weight, tokens = problem(rows)
    tokens = part(tokens, slice(None))
    tokens.mask.fill_(False)
    loss, d_hidden, d_weight, sums = ours(hidden, weight, tokens, 9.0, entropy=True)
    assert loss == 0 and not d_hidden.any() and not d_weight.any()
    assert {k: float(v) for k, v in sums.items()}.pop("tokens") == 0
    assert all(math.isfinite(float(v)) for v in sums.values())


def test_gradients_are_scaled_by_the_incoming_gradient():
    hidden, weight, tokens = problem()
    _, expected, _, _ = ours(hidden, weight, tokens, 1.0)
    hidden.requires_grad_()
    loss, _ = fused_linear_dppo(hidden, weight, tokens, denominator=1.0, config=WIDE)
    (3 * loss).backward()
    np.testing.assert_allclose(hidden.grad, 3 * expected)


def test_a_second_backward_pass_is_refused():
    hidden, weight, tokens = problem()
    loss, _ = fused_linear_dppo(hidden.requires_grad_(), weight, tokens, denominator=1.0)
    loss.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="second backward pass"):
        loss.backward()


def test_shapes_that_do_not_form_a_head_are_refused():
    hidden, weight, tokens = problem()
    with pytest.raises(ValueError, match="no head"):
        fused_linear_dppo(hidden, weight.T, tokens, denominator=1.0)
    for wrong in ({"temperature": 0.0}, {"rows": 0}):
        with pytest.raises(ValueError):
            HeadOptions(**wrong)


def certain(dtype):
    """Return a row whose π is 1 − 2e⁻³⁰, and its token with A = 1 and μ = 1/2."""
    weight = torch.tensor([[30.0], [0.0], [0.0]], dtype=dtype)
    tokens = SampledTokens(
        ids=torch.tensor([0]),
        mu_logp=torch.tensor([0.5]).log(),
        advantages=torch.ones(1),
        mask=torch.ones(1, dtype=torch.bool),
    )
    return torch.ones(1, 1, dtype=dtype), weight, tokens


def test_the_gradient_of_an_almost_certain_token_is_not_rounded_away():
    """In float32 π is 1, but 1 − π = 2e⁻³⁰ is known from the sum over all other tokens."""
    loss, _, d_weight, _ = ours(*certain(torch.float32), 1.0, dtype=torch.float32)
    rest = 2 * math.exp(-30)
    assert loss == pytest.approx(-2)
    np.testing.assert_allclose(d_weight[:, 0], [-2 * rest, rest, rest], rtol=1e-5)


def test_binary_kl_of_an_almost_certain_token_is_that_of_exact_arithmetic():
    *_, sums = ours(
        *certain(torch.float32), 1.0, dtype=torch.float32, config=DPPOLossConfig("binary_kl")
    )
    exact = 0.5 * math.log(0.5) + 0.5 * (math.log(0.5) - math.log(2) + 30)
    assert float(sums["divergence"]) == pytest.approx(exact, rel=1e-6)
    assert int(sums["blocked_high"]) == 1


def test_binary_kl_blocks_at_a_rollout_probability_of_one():
    """μ = 1 and π = 1/3: KL = log 3 and A < 0 pushes further down."""
    hidden, weight, tokens = torch.zeros(1, 1), torch.zeros(3, 1), certain(torch.float32)[2]
    tokens.mu_logp.fill_(0.0)
    tokens.advantages.fill_(-1.0)
    *_, sums = ours(
        hidden, weight, tokens, 1.0, dtype=torch.float32, config=DPPOLossConfig("binary_kl")
    )
    assert float(sums["divergence"]) == pytest.approx(math.log(3), rel=1e-6)
    assert int(sums["blocked_low"]) == 1


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_logits_that_are_far_apart_give_what_exact_arithmetic_gives(dtype):
    """Their powers underflow; the softmax replaces them by e⁻⁸⁰ of the largest, 2e−35."""
    hidden, weight, tokens = problem(30, 16, 50, spread=120.0)
    tokens.mu_logp.fill_(-1.0)
    exact = head_by_hand(hidden.numpy(), weight.numpy(), listed(tokens), 10.0, config=WIDE)
    got = ours(hidden, weight, tokens, 10.0, dtype=dtype, entropy=True)
    rtol = 1e-3 if dtype == torch.float32 else 1e-9
    for mine, expected in zip(got[:3], exact[:3], strict=True):
        np.testing.assert_allclose(mine, expected, rtol=rtol, atol=rtol * 1e-2)
    assert math.isfinite(float(got[3]["entropy"]))


def test_a_broken_policy_is_not_hidden():
    hidden, weight, tokens = problem()
    tokens.mask.fill_(True)
    hidden[:] = math.nan
    loss, d_hidden, _, _ = ours(hidden, weight, tokens, 1.0)
    assert math.isnan(loss) and np.isnan(d_hidden).any()


def halves(kind=torch.bfloat16):
    """Return a problem whose factors are exact in bfloat16."""
    hidden, weight, tokens = problem(64, 32, 500)
    return hidden.to(kind), weight.to(kind), tokens


def test_bfloat16_operands_have_float32_results():
    """Only the returned gradients are rounded; a bfloat16 result would be 1,000 times further."""
    hidden, weight, tokens = halves()
    exact = head_by_hand(
        hidden.double().numpy(), weight.double().numpy(), listed(tokens), 50.0, config=WIDE
    )
    got = ours(hidden, weight, tokens, 50.0, dtype=torch.bfloat16, rows=10)
    assert got[0] == pytest.approx(exact[0], rel=1e-6)
    for mine, expected in zip(got[1:3], exact[1:3], strict=True):
        np.testing.assert_allclose(mine, expected, rtol=2**-8, atol=1e-7)
    rounded = (hidden @ weight.T).double() - hidden.double() @ weight.double().T
    tile = torch.empty(64, 500)
    head = Products(weight, operands=None)
    head.logits(head.rounded(hidden), out=tile)
    ours_off = (tile.double() - hidden.double() @ weight.double().T).abs().max()
    assert ours_off < 5e-6 < 1e-3 < rounded.abs().max()


def test_operands_are_rounded_when_asked_for():
    """Float32 parameters under bfloat16 autocast: as an engine in bfloat16 sees them."""
    hidden, weight, tokens = problem(64, 32, 9000)
    rounded = (hidden.bfloat16().double(), weight.bfloat16().double())
    expected = ours(*rounded, tokens, 50.0, dtype=torch.float32)
    got = ours(hidden, weight, tokens, 50.0, dtype=torch.float32, operands=torch.bfloat16)
    for mine, exact in zip(got[:3], expected[:3], strict=True):
        np.testing.assert_allclose(mine, exact, atol=1e-7)
    assert abs(got[0] - ours(hidden, weight, tokens, 50.0)[0]) > 1e-6


def test_autocast_does_not_round_products():
    hidden, weight, tokens = problem(64, 32, 500)
    expected = ours(hidden, weight, tokens, 50.0, dtype=torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        got = ours(hidden, weight, tokens, 50.0, dtype=torch.float32)
    for mine, exact in zip(got[:3], expected[:3], strict=True):
        np.testing.assert_array_equal(mine, exact)


def test_tensor_core_products_have_float32_results_by_their_signatures():
    """On the meta device, which computes nothing; the `gpu` test below compares values."""
    hidden, weight = (torch.empty(n, 8, device="meta") for n in (4, 50))
    tile, d_weight = torch.empty(4, 50, device="meta"), torch.empty(50, 8, device="meta")
    head = TensorCoreProducts(weight, operands=torch.bfloat16)
    rows = head.rounded(hidden)
    head.logits(rows, out=tile)
    head.add_weight_gradient(d_weight, tile, rows)
    gradient = head.hidden_gradient(tile)
    assert (rows.dtype, gradient.dtype, gradient.shape) == (torch.bfloat16, torch.float32, (4, 8))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_cuda_gives_what_the_cpu_gives(dtype):
    hidden, weight, tokens = halves()
    expected = ours(hidden, weight, tokens, 50.0, dtype=torch.float32)
    there = SampledTokens(*(getattr(tokens, n).cuda() for n in ("ids", "mu_logp", "advantages",
                                                                "mask")))  # fmt: skip
    live = [x.detach().cuda().to(dtype).requires_grad_() for x in (hidden, weight)]
    loss, _ = fused_linear_dppo(*live, there, denominator=50.0, config=WIDE)
    loss.backward()
    assert float(loss.detach()) == pytest.approx(expected[0], rel=1e-5)
    for x, exact in zip(live, expected[1:3], strict=True):
        scale = np.abs(exact).max()
        np.testing.assert_allclose(x.grad.cpu().double() / scale, exact / scale, atol=2e-2)


@given(st.lists(st.booleans(), max_size=12))
def test_packed_rows_are_those_to_keep(keep):
    tile = torch.arange(len(keep))[:, None].repeat(1, 3)
    order = pack_rows(tile, torch.tensor(keep, dtype=torch.bool))
    assert sorted(order.tolist()) == [i for i, kept in enumerate(keep) if kept]
    assert tile[: len(order), 0].tolist() == order.tolist()


@pytest.mark.parametrize("count", [1, 5, 40])
def test_a_softmax_by_blocks_is_a_softmax(count, monkeypatch):
    monkeypatch.setattr("tmax_trainers.dppo.loss.tiles._BLOCK_BYTES", 3 * 20 * 8)
    logits, sampled = torch.randn(count, 20, dtype=torch.float64), torch.randint(20, (count,))
    exact = logits.log_softmax(-1)
    soft = softmax_in_place(logits, sampled, top_ids=torch.tensor([[0, 19]] * count), entropy=True)
    own = exact.gather(1, sampled[:, None])[:, 0]
    torch.testing.assert_close(soft.logp, own)
    torch.testing.assert_close(soft.log_rest, torch.log1p(-own.exp()))
    torch.testing.assert_close(soft.top_logp, exact[:, [0, 19]])
    torch.testing.assert_close(soft.entropy, -(exact.exp() * exact).sum(1))

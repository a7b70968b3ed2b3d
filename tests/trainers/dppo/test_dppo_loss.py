"""The loss against the derivation in `tests/support/loss_derivation.py`, and its rounding."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.support.loss_derivation import SPECIAL, by_hand, of_buckets

torch = pytest.importorskip("torch", reason="needs the train extra")

from tmax_trainers.dppo.loss.config import DPPOLossConfig  # noqa: E402
from tmax_trainers.dppo.loss.divergence import TopK, divergence, log1mexp, others  # noqa: E402
from tmax_trainers.dppo.loss.dppo import (  # noqa: E402
    Extras,
    dppo_loss,
    token_terms,
)
from tmax_trainers.rollout.advantages import group_advantages  # noqa: E402

TV, KL = DPPOLossConfig("binary_tv"), DPPOLossConfig("binary_kl")


def ours(logp, mu_logp, advantages, mask, z, config):
    live = torch.tensor(logp, dtype=torch.float64, requires_grad=True)
    loss, metrics = dppo_loss(
        live,
        torch.tensor(mu_logp, dtype=torch.float64),
        torch.tensor(advantages, dtype=torch.float64),
        mask=torch.tensor(mask),
        denominator=z,
        config=config,
    )
    loss.backward()
    return float(loss.detach()), live.grad.numpy(), metrics


logprob = st.floats(-12, -1e-6)
recorded = logprob | st.sampled_from(SPECIAL)
token = st.tuples(logprob, recorded, st.floats(-2, 2), st.booleans())

CONFIGS = [
    TV,
    KL,
    DPPOLossConfig("binary_tv", delta_low=0.02, delta_high=0.3),
    DPPOLossConfig("binary_kl", delta_low=0.5, delta_high=0.001),
    DPPOLossConfig("binary_tv", is_cap=3.0),
    DPPOLossConfig(objective="dapo"),
    DPPOLossConfig(objective="dapo", clip_low=0.5, clip_high=0.1),
    DPPOLossConfig(objective="cispo"),
    DPPOLossConfig(objective="cispo", is_cap=1.5),
]


@pytest.mark.parametrize("config", CONFIGS)
@settings(max_examples=70)
@given(tokens=st.lists(token, min_size=1, max_size=20), z=st.floats(1, 500))
def test_loss_and_gradient_are_those_of_the_derivation(config, tokens, z):
    logp, mu_logp, advantages, mask = (list(x) for x in zip(*tokens, strict=True))
    loss, gradient, nearest = by_hand(logp, mu_logp, advantages, mask, z, config)
    assume(nearest > 1e-9)
    got, got_gradient, metrics = ours(logp, mu_logp, advantages, mask, z, config)
    assert got == pytest.approx(loss, rel=1e-9, abs=1e-12)
    np.testing.assert_allclose(got_gradient, gradient, rtol=1e-9, atol=1e-12)
    assert all(math.isfinite(float(v)) or k == "ratio_max" for k, v in metrics.items())


@pytest.mark.parametrize("objective", ["dppo", "dapo"])
def test_autograd_agrees_with_finite_differences(objective):
    """Except for CISPO, whose weight is held constant."""
    config = DPPOLossConfig(objective=objective)
    mu_logp = torch.tensor([-1.0, -2.0, -0.5, math.nan, -3.0], dtype=torch.float64)
    logp = (mu_logp.nan_to_num(-1.0) + torch.tensor([0.1, -0.1, 0.3, 0, 2])).requires_grad_()
    advantages = torch.tensor([1.0, -1, -1, 1, 1], dtype=torch.float64)

    def loss(logp):
        return dppo_loss(
            logp, mu_logp, advantages, mask=torch.ones(5), denominator=4.0, config=config
        )[0]

    assert torch.autograd.gradcheck(loss, [logp])


@pytest.mark.parametrize(
    ("pi", "mu", "advantage", "trained"),
    [
        (0.45, 0.3, +1, False),  # up, and already far above
        (0.45, 0.3, -1, True),  # far above, but being pushed back
        (0.15, 0.3, +1, True),  # far below, but being pushed back
        (0.15, 0.3, -1, False),  # down, and already far below
        (0.39, 0.3, +1, True),  # not far
        (0.21, 0.3, -1, True),
        (0.9, 0.3, 0, False),  # no advantage, no gradient
    ],
)
def test_only_steps_that_lead_further_out_are_blocked(pi, mu, advantage, trained):
    _, gradient, _ = ours([math.log(pi)], [math.log(mu)], [float(advantage)], [True], 1, TV)
    assert (gradient[0] != 0) == trained


@pytest.mark.parametrize(("advantage", "low", "high"), [(+1.0, 0.01, 0.5), (-1.0, 0.5, 0.01)])
def test_each_direction_has_its_own_threshold(advantage, low, high):
    """π is 0.2 away from μ: more than 0.01, less than 0.5."""
    mu, pi = 0.5, 0.5 + 0.2 * advantage
    loose = DPPOLossConfig(delta_low=low, delta_high=high)
    tight = DPPOLossConfig(delta_low=high, delta_high=low)
    arguments = [math.log(pi)], [math.log(mu)], [advantage], [True], 1
    assert ours(*arguments, loose)[1][0] != 0
    assert ours(*arguments, tight)[1][0] == 0


def test_exactly_at_the_threshold_a_token_is_trained():
    """δ is exactly the difference of π = 1 and μ = e^-1."""
    delta = float(1 - torch.tensor(-1.0, dtype=torch.float64).exp())
    at, under = (DPPOLossConfig(delta_high=d) for d in (delta, math.nextafter(delta, 0)))
    assert ours([0.0], [-1.0], [1.0], [True], 1, at)[1][0] == pytest.approx(-math.e)
    assert ours([0.0], [-1.0], [1.0], [True], 1, under)[1][0] == 0


@pytest.mark.parametrize("broken", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("config", [TV, KL])
def test_a_token_without_a_rollout_probability_changes_nothing(broken, config):
    logp, mu_logp, advantages = [-1.0, -2.0, -0.5], [-1.1, -1.9, -0.6], [1.0, -1.0, 0.5]
    z = float(torch.tensor([*mu_logp, broken]).isfinite().sum())
    assert z == 3
    loss, gradient, metrics = ours(
        [*logp, -0.7], [*mu_logp, broken], [*advantages, 2.0], [True] * 4, z, config
    )
    expected, expected_gradient, _ = ours(logp, mu_logp, advantages, [True] * 3, 3, config)
    assert loss == expected
    assert gradient.tolist() == [*expected_gradient.tolist(), 0.0]
    assert all(math.isfinite(float(v)) for v in metrics.values())


def test_an_overflowing_ratio_of_a_blocked_token_is_never_computed():
    """r = e^200 overflows float32; as a factor of 0 it would be NaN."""
    live = torch.tensor([-0.1, -1.0], requires_grad=True)
    loss, _ = dppo_loss(
        live,
        torch.tensor([-200.1, -1.1]),
        torch.tensor([1.0, 1.0]),
        mask=torch.tensor([True, True]),
        denominator=2.0,
    )
    loss.backward()
    assert math.isfinite(float(loss.detach()))
    assert live.grad[0] == 0 and live.grad[1] == pytest.approx(-math.exp(0.1) / 2, rel=1e-6)


def test_a_ratio_beyond_float32_gives_no_gradient_and_is_counted():
    """Engines report log 0 as −9999; A < 0 pushes back towards μ, so nothing blocks it."""
    live = torch.tensor([-0.1, -1.0], requires_grad=True)
    loss, metrics = dppo_loss(
        live,
        torch.tensor([-9999.0, -1.1]),
        torch.tensor([-1.0, -1.0]),
        mask=torch.ones(2),
        denominator=2.0,
    )
    loss.backward()
    assert live.grad.tolist() == [0.0, pytest.approx(math.exp(0.1) / 2, rel=1e-6)]
    assert int(metrics["overflowed"]) == 1 and math.isfinite(float(loss.detach()))


@pytest.mark.parametrize("masked", [math.nan, -math.inf, math.inf])
def test_masked_values_may_be_anything(masked):
    live = torch.tensor([-1.0, masked], requires_grad=True)
    loss, _ = dppo_loss(
        live,
        torch.tensor([-1.0, -1.0]),
        torch.tensor([1.0, 5.0]),
        mask=torch.tensor([True, False]),
        denominator=1.0,
    )
    loss.backward()
    assert float(loss.detach()) == -1 and live.grad.tolist() == [-1.0, 0.0]


@pytest.mark.parametrize("mu_logp", [0.0, -1e-8, -1e-4])
def test_binary_kl_is_finite_where_the_rollout_was_certain(mu_logp):
    """μ → 1 and π = e⁻³: KL → log(1/π) = 3, in float32 as in exact arithmetic."""
    terms = token_terms(
        torch.tensor([-3.0]),
        torch.tensor([mu_logp]),
        torch.tensor([-1.0]),
        valid=torch.tensor([True]),
        config=KL,
    )
    assert float(terms.sums["divergence"]) == pytest.approx(3.0, abs=2e-3)
    assert int(terms.sums["blocked_low"]) == 1


def test_binary_kl_of_two_certain_tokens_is_zero():
    terms = token_terms(
        torch.zeros(1),
        torch.zeros(1),
        torch.ones(1),
        valid=torch.ones(1, dtype=torch.bool),
        config=KL,
    )
    assert float(terms.sums["divergence"]) == 0 and float(terms.coefficient) == 1


@settings(max_examples=100)
@given(tokens=st.lists(token, min_size=2, max_size=30), cut=st.data())
@example(tokens=[(-1.0, -1.0, 1.0, True), (-1.0, -1.0, 1.0, False)], cut=None)
def test_shares_of_a_batch_add_up(tokens, cut):
    """For any cut into two parts, with the Z of the whole batch."""
    where = cut.draw(st.integers(1, len(tokens) - 1)) if cut is not None else 1
    z = max(1, sum(t[3] for t in tokens))
    columns = [list(x) for x in zip(*tokens, strict=True)]
    whole, gradient, _ = ours(*columns, z, TV)
    left = ours(*[c[:where] for c in columns], z, TV)
    right = ours(*[c[where:] for c in columns], z, TV)
    assert left[0] + right[0] == pytest.approx(whole, rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(np.concatenate([left[1], right[1]]), gradient, rtol=1e-12)


def test_blocked_tokens_stay_in_the_denominator():
    """Of two tokens one is blocked: the other has the weight 1/2."""
    logp, mu_logp = [math.log(0.9), math.log(0.5)], [math.log(0.3), math.log(0.5)]
    z = float(torch.tensor(mu_logp).isfinite().sum())
    loss, _, metrics = ours(logp, mu_logp, [1.0, 1.0], [True, True], z, TV)
    assert loss == pytest.approx(-0.5)
    assert int(metrics["blocked_high"]) == 1 and int(metrics["tokens"]) == 2


def test_bfloat16_is_computed_in_float32():
    live = torch.tensor([-1.0], dtype=torch.bfloat16, requires_grad=True)
    loss, _ = dppo_loss(
        live, torch.tensor([-1.003]), torch.ones(1), mask=torch.ones(1), denominator=1.0
    )
    assert loss.dtype == torch.float32
    assert float(loss.detach()) == pytest.approx(-math.exp(0.003), rel=1e-6)


def test_a_broken_policy_is_not_hidden():
    loss, _ = dppo_loss(
        torch.tensor([math.nan]),
        torch.tensor([-1.0]),
        torch.ones(1),
        mask=torch.ones(1),
        denominator=1.0,
    )
    assert math.isnan(float(loss))


@pytest.mark.parametrize(
    "wrong",
    [
        {"divergence": "kl"},
        {"objective": "reinforce"},
        {"delta_low": -1.0},
        {"delta_high": -0.1},
        {"delta_high": math.nan},
        {"is_cap": 0.0},
        {"clip_low": 1.0},
        {"clip_high": -0.1},
    ],
)
def test_thresholds_that_mean_nothing_are_refused(wrong):
    with pytest.raises(ValueError):
        DPPOLossConfig(**wrong)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("kind", ["binary_tv", "binary_kl", "topk_tv", "topk_kl"])
def test_divergences_are_finite_where_probabilities_round_to_0_and_1(kind, dtype):
    values = torch.tensor([0.0, -1e-12, -1e-3, -1.0, -50.0, -800.0], dtype=dtype)
    pi, mu = (x.flatten() for x in torch.meshgrid(values, values, indexing="ij"))
    top = TopK(mu_logp=torch.full((36, 2), -40.0, dtype=dtype), logp=torch.zeros(36, 2).log())
    far = divergence(pi, mu, kind, top=top)
    assert far.isfinite().all() and (far >= 0).all()
    assert (far[pi == mu] < 1e-6).all()


def test_a_certain_token_is_not_blocked_by_rounding():
    """μ = 0.999 and π rounds to 1: KL is at most 0.001·log(0.001/2⁻²⁴) − 0.001 = 0.0087 < δ."""
    terms = token_terms(
        torch.zeros(1),
        torch.tensor([0.999]).log(),
        torch.ones(1),
        valid=torch.ones(1, dtype=torch.bool),
        config=KL,
    )
    assert float(terms.coefficient) > 1
    assert float(terms.sums["divergence"]) == pytest.approx(0.0087, abs=1e-4)


@given(st.floats(-700, -1e-300))
def test_log1mexp_is_that_of_exact_arithmetic(x):
    from decimal import Decimal, localcontext

    with localcontext() as exact:
        exact.prec = 330
        expected = float((1 - Decimal(x).exp()).ln())
    got = float(log1mexp(torch.tensor(x, dtype=torch.float64)))
    assert got == pytest.approx(max(expected, math.log(2**-53)), rel=1e-14)


@pytest.mark.parametrize("kind", ["topk_tv", "topk_kl"])
@pytest.mark.parametrize("advantage", [1.0, -1.0])
@settings(max_examples=100)
@given(
    logits=st.lists(st.tuples(st.floats(-4, 4), st.floats(-4, 4)), min_size=4, max_size=9),
    sampled=st.integers(0, 3),
    k=st.integers(1, 3),
)
def test_top_k_compares_the_sampled_token_the_likeliest_and_the_rest(
    kind, advantage, logits, sampled, k
):
    now, then = (np.array(x) for x in zip(*logits, strict=True))
    p, q = (np.exp(x) / np.exp(x).sum() for x in (now, then))
    top = np.argsort(-q, kind="stable")[:k].tolist()
    support = sorted({sampled, *top})
    rest = [i for i in range(len(p)) if i not in support]
    far = of_buckets([*p[support], p[rest].sum()], [*q[support], q[rest].sum()], kind)
    config = DPPOLossConfig(kind)
    assume(abs(far - 0.1) > 1e-9 and abs(far - 0.05) > 1e-9)
    blocked = far > config.high and advantage * (p[sampled] - q[sampled]) > 0
    log_p, log_q, ids = torch.tensor(p).log(), torch.tensor(q).log(), torch.tensor([top])
    live = log_p[[sampled]].requires_grad_()
    loss, metrics = dppo_loss(
        live,
        log_q[[sampled]],
        torch.tensor([advantage], dtype=torch.float64),
        mask=torch.ones(1),
        denominator=1.0,
        config=config,
        top=TopK(mu_logp=others(ids, log_q[ids], torch.tensor([sampled])), logp=log_p[ids]),
    )
    loss.backward()
    assert float(metrics["divergence"]) == pytest.approx(far, abs=1e-9)
    assert float(live.grad) == pytest.approx(0 if blocked else -advantage * p[sampled] / q[sampled])


def test_fewer_than_k_tokens_are_padded_with_what_is_not_finite():
    pi, mu = torch.tensor([0.5]).log(), torch.tensor([0.25]).log()
    top = TopK(mu_logp=torch.tensor([[math.nan, -math.inf]]), logp=torch.tensor([[-1.0, math.nan]]))
    assert float(divergence(pi, mu, "topk_tv", top=top)) == pytest.approx(0.25)


def test_a_top_k_divergence_without_its_tokens_is_refused():
    with pytest.raises(ValueError, match="pass `top`"):
        ours([-1.0], [-1.0], [1.0], [True], 1, DPPOLossConfig("topk_kl"))


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=32))
def test_centred_advantages_sum_to_zero_and_keep_distances(rewards):
    advantages = group_advantages(rewards)
    assert sum(advantages) == pytest.approx(0, abs=1e-9)
    for a, r in zip(advantages, rewards, strict=True):
        assert a - advantages[0] == pytest.approx(r - rewards[0])


@given(st.lists(st.integers(0, 1000).map(lambda n: n / 1000), min_size=2, max_size=32))
def test_standard_advantages_have_unit_spread(rewards):
    advantages = np.array(group_advantages(rewards, "std"))
    spread = np.std(np.array(rewards))
    assume(spread == 0 or spread > 1e-6)
    assert advantages.std() == pytest.approx(0 if len(set(rewards)) == 1 else 1, abs=1e-6)
    assert group_advantages(rewards, "none") == rewards


def test_the_gap_of_the_present_weights_leaves_older_and_masked_tokens_out():
    logp, mu = torch.tensor([-1.0, -2.0, -3.0, -4.0]), torch.tensor([-1.1, -2.3, -9.0, -9.0])
    valid, present = torch.tensor([1, 1, 1, 0]).bool(), torch.tensor([1, 1, 0, 1]).bool()
    extras = Extras(present=present)
    sums = token_terms(
        logp, mu, torch.ones(4), valid=valid, config=DPPOLossConfig(), extras=extras
    ).sums
    assert float(sums["present_tokens"]) == 2
    assert float(sums["present_gap"]) == pytest.approx(0.1 + 0.3, abs=1e-6)
    assert float(sums["present_gap_max"]) == pytest.approx(0.3, abs=1e-6)
    assert float(sums["logp_gap"]) == pytest.approx(0.1 + 0.3 + 6, abs=1e-6)

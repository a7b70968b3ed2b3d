"""Every objective and correction against formulas worked out by hand, fused, and in TRL."""

import math
from collections import defaultdict
from types import SimpleNamespace

import numpy as np
import pytest

from tests.support.objective_derivation import Token, loss_by_hand

torch = pytest.importorskip("torch", reason="needs the train extra")

from accelerate import Accelerator  # noqa: E402

from tests.trainers.dppo.test_trainer import gradient, policy, recorded  # noqa: E402
from tmax_trainers.dppo.loss import corrections, objectives  # noqa: E402
from tmax_trainers.dppo.loss.config import (  # noqa: E402
    CORRECTIONS,
    OBJECTIVES,
    DPPOLossConfig,
)
from tmax_trainers.dppo.loss.dppo import Extras, dppo_loss  # noqa: E402
from tmax_trainers.dppo.loss.fused import (  # noqa: E402
    HeadOptions,
    SampledTokens,
    fused_linear_dppo,
)
from tmax_trainers.rollout.advantages import group_advantages  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")

LONGEST = 20
CASES = {name: DPPOLossConfig(objective=name, longest=LONGEST) for name in sorted(OBJECTIVES)} | {
    "gspo_wide": DPPOLossConfig(objective="gspo", clip_low=0.2, clip_high=0.1),
    "capped": DPPOLossConfig(objective="policy_gradient", is_cap=1.1),
    "reinforce": DPPOLossConfig(objective="policy_gradient", ratio_to="none"),
    "dppo_by_sequence": DPPOLossConfig(aggregate="sequences"),
    "drpo_narrow": DPPOLossConfig(objective="drpo", delta_low=0.1, delta_high=0.2),
    "behaviour_opsm_icepop": DPPOLossConfig(corrections=("opsm", "icepop"), opsm_delta=0.05),
    "behaviour_mis": DPPOLossConfig(objective="ppo", corrections=("mis",), correction_high=1.2),
    "tis": DPPOLossConfig(objective="ppo", ratio_to="proximal", corrections=("tis",)),
    "opsm_gspo": DPPOLossConfig(objective="gspo", corrections=("opsm",), opsm_delta=0.0),
} | {
    f"proximal_{name}": DPPOLossConfig(
        objective="dapo",
        ratio_to="proximal",
        corrections=(name,),
        correction_low=0.8,
        correction_high=1.5,
        opsm_delta=0.05,
    )
    for name in CORRECTIONS
}  # fmt: skip


def drawn(seed, sequences=6, spread=0.4):
    """Return tokens of sequences of 1 to 7 tokens, one advantage a sequence."""
    rng = np.random.default_rng(seed)
    tokens = []
    for number in range(sequences):
        advantage = float(rng.choice([-1.0, 1.0]) * rng.uniform(0.1, 2))
        for _ in range(rng.integers(1, 8)):
            lm = float(np.log(rng.uniform(0.02, 0.98)))
            lp = min(lm + float(rng.normal(0, spread)), -1e-3)
            tokens.append(Token(lp, lm, advantage, number))
    return tokens


def columns(tokens):
    """Return log π, log μ, A and sequence as tensors."""
    kinds = (torch.float64,) * 3 + (torch.long,)
    names = ("lp", "lm", "advantage", "sequence")
    return [torch.tensor([getattr(t, n) for t in tokens], dtype=k)
            for n, k in zip(names, kinds, strict=True)]  # fmt: skip


def plain(tokens, config, z, **kwargs):
    """Return our loss, its gradient and the sums."""
    logp, mu_logp, advantages, sequence = columns(tokens)
    logp.requires_grad_()
    loss, sums = dppo_loss(
        logp,
        mu_logp,
        advantages,
        mask=torch.ones(len(tokens), dtype=torch.bool),
        denominator=z,
        config=config,
        extras=Extras(sequence=sequence, **kwargs),
    )
    loss.backward()
    return float(loss.detach()), logp.grad.numpy(), sums


def test_the_registry_has_a_function_for_every_name():
    assert set(objectives.FUNCTIONS) == set(OBJECTIVES)
    assert set(corrections.FUNCTIONS) == set(CORRECTIONS)
    assert all(f.__doc__ for f in [*objectives.FUNCTIONS.values(), *corrections.FUNCTIONS.values()])


@pytest.mark.parametrize("name", CASES)
def test_value_and_gradient_are_those_of_the_formulas(name):
    config = CASES[name]
    for seed in range(15):
        tokens = drawn(seed)
        z = config.denominator(tokens=len(tokens), sequences=6)
        loss, gradient = loss_by_hand(tokens, config, z)
        got, got_gradient, _ = plain(tokens, config, z)
        assert got == pytest.approx(loss, rel=1e-9, abs=1e-12)
        np.testing.assert_allclose(got_gradient, gradient, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("aggregate", "z"), [("tokens", 37.0), ("sequences", 6.0), ("constant", 6.0 * LONGEST)]
)
def test_each_mean_has_its_denominator(aggregate, z):
    config = DPPOLossConfig(aggregate=aggregate, longest=LONGEST)
    assert config.denominator(tokens=37, sequences=6) == z


def head(tokens, seed):
    """Return hidden states and a weight whose softmax has the probabilities of the tokens' log π,
    and the tokens: the token is 0, π = softmax([x, 0, 0]) with x = log π − log((1 − π)/2)."""
    logp, mu_logp, advantages, sequence = columns(tokens)
    x = logp - ((1 - logp.exp()) / 2).log()
    hidden = torch.stack([x, torch.ones_like(x)], 1)
    weight = torch.tensor([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]], dtype=torch.float64)
    return hidden, weight, SampledTokens(
        ids=torch.zeros(len(tokens), dtype=torch.long),
        mu_logp=mu_logp,
        advantages=advantages,
        mask=torch.ones(len(tokens), dtype=torch.bool),
        sequence=sequence,
    )  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_tokens_that_are_not_trained_change_nothing(name):
    """Between the trained tokens of each sequence stand others, with any numbers."""
    tokens = drawn(8)
    odd = [Token(-0.3, -3.0, t.advantage, t.sequence) for t in tokens]
    mixed = [t for pair in zip(tokens, odd, strict=True) for t in pair]
    logp, mu_logp, advantages, sequence = columns(mixed)
    logp.requires_grad_()
    config = CASES[name]
    mask = torch.arange(len(mixed)) % 2 == 0
    loss, _ = dppo_loss(
        logp, mu_logp, advantages, mask=mask, denominator=3.0, config=config,
        extras=Extras(sequence=sequence),
    )  # fmt: skip
    loss.backward()
    expected, gradient, _ = plain(tokens, config, 3.0)
    assert float(loss.detach()) == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(logp.grad[::2].numpy(), gradient, rtol=1e-12)
    assert not logp.grad[1::2].any()


@pytest.mark.parametrize("rows", [1, 4, 100])
@pytest.mark.parametrize("name", CASES)
def test_the_fused_head_agrees_with_the_plain_loss(name, rows):
    """d log π/dx = 1 − π, so the gradient of the first hidden state is that of log π times it."""
    config, tokens = CASES[name], drawn(3)
    z = config.denominator(tokens=len(tokens), sequences=6)
    loss, gradient, expected = plain(tokens, config, z)
    hidden, weight, sampled = head(tokens, 3)
    hidden.requires_grad_()
    got, sums = fused_linear_dppo(
        hidden, weight, sampled, denominator=z, config=config, options=HeadOptions(rows=rows)
    )
    got.backward()
    slope = gradient * (1 - np.exp([t.lp for t in tokens]))
    assert float(got.detach()) == pytest.approx(loss, rel=1e-9)
    np.testing.assert_allclose(hidden.grad[:, 0].numpy(), slope, rtol=1e-7, atol=1e-12)
    for key, value in expected.items():
        assert float(sums[key]) == pytest.approx(float(value), rel=1e-9), key


@pytest.mark.parametrize("name", ["gspo", "gmpo", "dapo"])
def test_ratios_beyond_all_numbers_leave_finite_gradients(name):
    """Engines report −9999 for log 0."""
    tokens = [Token(-1.0, -9999.0, -1.0, 0), Token(-1.0, -1.1, 1.0, 1), Token(-0.1, -9e3, 1.0, 2)]
    loss, gradient, sums = plain(tokens, CASES[name], 3.0)
    assert math.isfinite(loss) and np.isfinite(gradient).all()
    assert abs(loss) < 5 and int(sums["overflowed"]) == 1


def test_observed_tokens_get_the_cross_entropy():
    """The value e·log π adds −e·log π/Z to the loss and −e/Z to its derivative."""
    tokens = drawn(1)
    logp, mu_logp, advantages, _ = columns(tokens)
    sampled = torch.arange(len(tokens)) % 2 == 0
    weight = torch.where(sampled, 0.0, 0.3).double()
    logp.requires_grad_()
    arguments = {"mask": sampled, "denominator": 10.0}
    loss, sums = dppo_loss(logp, mu_logp, advantages, **arguments, extras=Extras(observed=weight))
    loss.backward()
    without = logp.detach().clone().requires_grad_()
    base, _ = dppo_loss(without, mu_logp, advantages, **arguments)
    base.backward()
    nll = -logp.detach()[~sampled].sum()
    assert float(loss.detach() - base.detach()) == pytest.approx(float(0.3 * nll / 10))
    np.testing.assert_allclose(logp.grad - without.grad, -weight / 10, atol=1e-15)
    assert int(sums["observed"]) == int((~sampled).sum())
    assert float(sums["observed_nll"]) == pytest.approx(float(nll))


def test_a_registered_objective_is_used_and_a_taken_name_refused(monkeypatch):
    """The objective −(log r)², whose derivative is −2 log r."""
    monkeypatch.setattr(objectives, "OBJECTIVES", OBJECTIVES)
    monkeypatch.setitem(OBJECTIVES, "square", None)
    monkeypatch.setitem(objectives.FUNCTIONS, "square", None)
    del OBJECTIVES["square"], objectives.FUNCTIONS["square"]
    objectives.register_objective("square", lambda tokens, config: -tokens.log_ratio.square())
    tokens = drawn(2)
    _, gradient, _ = plain(tokens, DPPOLossConfig(objective="square"), 1.0)
    np.testing.assert_allclose(gradient, [2 * (t.lp - t.lm) for t in tokens], rtol=1e-9)
    with pytest.raises(ValueError, match="exists already"):
        objectives.register_objective("square", objectives.ppo)


def test_an_objective_is_found_by_its_path():
    tokens = drawn(4)
    config = DPPOLossConfig(objective="tmax_trainers.dppo.loss.objectives:sapo", tau_low=1.05)
    sapo = DPPOLossConfig(objective="sapo", aggregate="tokens")
    assert plain(tokens, config, 1.0)[0] == plain(tokens, sapo, 1.0)[0]
    missing = DPPOLossConfig(objective="tmax_trainers.dppo.loss.objectives:nothing")
    with pytest.raises(ValueError, match="cannot be imported"):
        plain(tokens, missing, 1.0)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"objective": "reinforce"}, "none of"),
        ({"objective": "gspo", "ratio_to": "none"}, "needs a ratio"),
        ({"corrections": ("tis",)}, "holds already"),
        ({"corrections": ("snip",)}, "none of"),
        ({"objective": "dr_grpo"}, "longest"),
        ({"objective": "sapo", "tau_low": 0.0}, "tau_low"),
        ({"objective": "drpo", "delta_low": 0.0}, "drpo divides"),
        ({"correction_low": 2.0, "correction_high": 1.0}, "correction_high above"),
        ({"aggregate": "groups"}, "aggregate"),
        ({"echo": -0.1}, "echo"),
    ],
)
def test_combinations_that_mean_nothing_are_refused(wrong, reason):
    with pytest.raises(ValueError, match=reason):
        DPPOLossConfig(**wrong)


def test_sequences_must_be_named_where_an_objective_needs_them():
    with pytest.raises(ValueError, match="whole sequences"):
        dppo_loss(
            torch.zeros(2),
            torch.zeros(2),
            torch.ones(2),
            mask=torch.ones(2),
            denominator=1.0,
            config=CASES["gspo"],
        )


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("maxrl", [3.0, -1.0, -1.0, -1.0]),  # (r − 1/4) / (1/4)
        ("rloo", [1.0, -1 / 3, -1 / 3, -1 / 3]),  # r − mean of the three others
    ],
)
def test_advantages_are_those_of_the_papers(kind, expected):
    assert group_advantages([1.0, 0.0, 0.0, 0.0], kind) == pytest.approx(expected)
    assert group_advantages([0.0, 0.0], kind) == [0.0, 0.0]


IN_TRL = {
    "dapo": {"loss_type": "dapo"},
    "grpo": {"loss_type": "grpo"},
    "dr_grpo": {"loss_type": "dr_grpo"},
    "cispo": {"loss_type": "cispo", "epsilon_high": 5.0},
    "sapo": {"loss_type": "sapo"},
    "gspo": {"loss_type": "grpo", "importance_sampling_level": "sequence"},
    "opsm": {"loss_type": "dapo", "off_policy_mask_threshold": 0.05},
}
"""Settings of `GRPOConfig` under which TRL has the same objective."""
OURS = CASES | {
    "dapo": DPPOLossConfig(objective="dapo", clip_high=0.2),
    "opsm": DPPOLossConfig(objective="ppo", corrections=("opsm",), opsm_delta=0.05),
    "gspo": DPPOLossConfig(objective="gspo", clip_low=0.2, clip_high=0.2),
}


@pytest.mark.parametrize("name", IN_TRL)
def test_trl_has_the_same_value_and_gradient(name, tmp_path):
    """TRL's own `_compute_loss`, on log-probabilities that a tensor stands for."""
    trl = pytest.importorskip("trl", reason="needs the train extra")
    settings = trl.GRPOConfig(
        output_dir=str(tmp_path), use_cpu=True, bf16=False, report_to="none",
        max_completion_length=LONGEST, beta=0.0, **IN_TRL[name],
    )  # fmt: skip
    rng = np.random.default_rng(5)
    shape = (4, 6)
    mu = torch.tensor(np.log(rng.uniform(0.1, 0.9, shape)))
    logp = (mu + torch.tensor(rng.normal(0, 0.3, shape))).clamp(max=-1e-3).requires_grad_()
    mask = torch.tensor([[1] * n + [0] * (6 - n) for n in (6, 4, 1, 5)])
    advantages = torch.tensor([1.0, -0.5, 0.7, -1.5], dtype=torch.float64)
    loss = trl_loss(trl, settings, logp, mu=mu, mask=mask, advantages=advantages)
    (theirs,) = torch.autograd.grad(loss, logp)

    config = OURS[name]
    z = config.denominator(tokens=int(mask.sum()), sequences=4)
    ours = logp.detach().clone().requires_grad_()
    value, _ = dppo_loss(
        ours,
        mu,
        advantages[:, None].expand(shape),
        mask=mask.bool(),
        denominator=z,
        config=config,
        extras=Extras(sequence=torch.arange(4)[:, None].expand(shape)),
    )
    value.backward()
    assert float(value.detach()) == pytest.approx(float(loss.detach()), rel=1e-6)
    np.testing.assert_allclose(ours.grad.numpy(), theirs.numpy(), rtol=1e-6, atol=1e-9)


def trl_loss(trl, settings, logp, *, mu, mask, advantages):
    """Return what `GRPOTrainer._compute_loss` makes of these log-probabilities."""
    trainer = object.__new__(trl.GRPOTrainer)
    copied = ("beta", "loss_type", "importance_sampling_level", "off_policy_mask_threshold")
    for option in (*copied, "top_entropy_quantile", "max_completion_length"):
        setattr(trainer, option, getattr(settings, option))
    given = settings.epsilon_high
    trainer.epsilon_low, trainer.args = settings.epsilon, settings
    trainer.epsilon_high = settings.epsilon if given is None else given
    trainer.use_vllm = trainer.aux_loss_enabled = trainer._entropy_bonus_enabled = False
    trainer.vllm_importance_sampling_correction = False
    trainer.current_gradient_accumulation_steps = 1
    trainer.model = SimpleNamespace(training=True)
    trainer.accelerator = Accelerator(cpu=True)
    trainer._metrics = {"train": defaultdict(list)}
    trainer._get_per_token_logps_and_entropies = lambda *a, **k: (logp, torch.zeros_like(mu), None)
    inputs = {
        "prompt_ids": torch.zeros(4, 1, dtype=torch.long),
        "prompt_mask": torch.ones(4, 1, dtype=torch.long),
        "completion_ids": torch.zeros_like(mask),
        "completion_mask": mask,
        "advantages": advantages,
        "old_per_token_logps": mu,
        "num_items_in_batch": mask.sum(),
    }
    return trainer._compute_loss(trainer.model, inputs)


IN_THE_TRAINER = {
    "gspo": {"objective": "gspo", "clip_low": 0.3, "clip_high": 0.3, "corrections": ["opsm"]},
    "grpo": {"objective": "grpo", "echo": 0.1},
    "dr_grpo": {"objective": "dr_grpo", "longest": 32, "ratio_to": "proximal"},
}


@pytest.mark.parametrize("name", IN_THE_TRAINER)
def test_the_trainer_has_one_gradient_however_the_batch_is_cut_packed_or_fused(name, tmp_path):
    options = IN_THE_TRAINER[name]
    whole, _ = gradient(policy(1), recorded(), 1, tmp_path, **options)
    dppo, _ = gradient(policy(1), recorded(), 1, tmp_path)
    assert (whole - dppo).norm() > 1e-4
    for count, how in ((7, {"fused_head": True}), (2, {"packing": True, "fused_head": True})):
        other, _ = gradient(policy(1), recorded(), count, tmp_path, **options, **how)
        assert (whole - other).abs().max() <= 1e-6


def test_echo_adds_the_gradient_of_the_mean_cross_entropy_of_tool_output(tmp_path):
    """Tool output: what follows the first sampled token and was not sampled."""
    plain_gradient, _ = gradient(policy(1), recorded(), 3, tmp_path)
    with_echo, trainer = gradient(policy(1), recorded(), 3, tmp_path, echo=0.5)
    model = policy(1).double()
    total, count = 0.0, 0
    for sample in recorded():
        ids, began = torch.tensor(sample.input_ids)[None], False
        logp = model(input_ids=ids).logits[0].log_softmax(-1)
        for t in range(ids.shape[1]):
            if t and began and not sample.completion_mask[t]:
                total, count = total - logp[t - 1, ids[0, t]], count + 1
            began = began or bool(sample.completion_mask[t])
    (0.5 * total / count).backward()
    expected = torch.cat([p.grad.flatten() for p in model.parameters()])
    assert count > 10
    assert (with_echo - plain_gradient - expected).abs().max() <= 1e-6
    assert "policy/observed_nll" in trainer.state.log_history[0]

"""The fused head inside real models: the gradient of all logits, in every setting."""

import copy

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
transformers = pytest.importorskip("transformers", reason="needs the train extra")

from tests.trainers.dppo.test_trainer import VOCABULARY, gradient, policy, recorded  # noqa: E402
from tmax_trainers.dppo.batching import micro_batches  # noqa: E402
from tmax_trainers.dppo.loss.config import DPPOLossConfig  # noqa: E402
from tmax_trainers.dppo.loss.dppo import dppo_loss  # noqa: E402
from tmax_trainers.dppo.loss.fused import HeadOptions  # noqa: E402
from tmax_trainers.dppo.loss.head import fused_head_loss  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def tiny_hybrid():
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
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return transformers.Qwen3_5ForCausalLM(config).eval()


def plain(model, inputs, config):
    logits = model(input_ids=inputs["input_ids"], use_cache=False).logits[:, :-1].float()
    logp = logits.log_softmax(-1).gather(-1, inputs["input_ids"][:, 1:, None])[..., 0]
    return dppo_loss(
        logp,
        inputs["mu_logp"][:, 1:],
        inputs["advantages"][:, 1:],
        mask=inputs["mask"][:, 1:],
        denominator=inputs["denominator"],
        config=config,
    )


def fused(model, inputs, config):
    return fused_head_loss(
        model,
        inputs,
        head=model.get_output_embeddings(),
        config=config,
        options=HeadOptions(rows=11),
    )


def gradients(run, model, inputs, config):
    """Return loss, sums and all gradients of a copy of a model."""
    model = copy.deepcopy(model)
    loss, sums = run(model, inputs, config)
    loss.backward()
    return loss.detach(), sums, torch.cat([p.grad.flatten() for p in model.parameters()])


@pytest.mark.parametrize("make", [policy, tiny_hybrid])
@pytest.mark.parametrize(
    "config", [DPPOLossConfig(), DPPOLossConfig("binary_kl"), DPPOLossConfig(objective="dapo")]
)
def test_a_models_gradient_is_that_of_all_its_logits(make, config):
    model = make()
    (inputs,) = micro_batches(recorded(), count=1)
    loss, sums, expected = gradients(plain, model, inputs, config)
    got, got_sums, gradient = gradients(fused, model, inputs, config)
    assert sums["blocked_low"] + sums["blocked_high"] > 0
    assert float(got) == pytest.approx(float(loss), abs=1e-6)
    assert (gradient - expected).abs().max() <= 1e-6
    for key, value in sums.items():
        assert float(got_sums[key]) == pytest.approx(float(value), rel=1e-4), key


def test_the_model_computes_one_row_of_logits_and_is_left_as_it_was():
    model, seen = policy(), []
    head = model.get_output_embeddings()
    hook = head.register_forward_hook(lambda _, __, out: seen.append(tuple(out.shape)))
    (inputs,) = micro_batches(recorded(), count=1)
    fused(model, inputs, DPPOLossConfig())
    assert seen == [(1, 1, VOCABULARY + 1)]  # a row, and the loss
    hook.remove()
    assert "forward" not in head.__dict__
    assert model(input_ids=inputs["input_ids"]).logits.shape[:2] == inputs["input_ids"].shape


def test_under_autocast_the_heads_factors_are_rounded_and_its_results_are_not():
    """The loss is that of float32 products of a bfloat16 head and bfloat16 hidden states."""
    model = policy()
    (inputs,) = micro_batches(recorded(), count=1)
    caught = []
    hook = model.get_output_embeddings().register_forward_pre_hook(
        lambda _, given: caught.append(given[0])
    )
    with torch.autocast("cpu", dtype=torch.bfloat16):
        got, _ = fused(model, inputs, DPPOLossConfig())
    hook.remove()
    weight = model.get_output_embeddings().weight.detach().bfloat16().float()
    logits = caught[0].detach().bfloat16().float() @ weight.T

    class Given:
        logits = None

    def rounded(**_):
        Given.logits = logits
        return Given

    expected, _ = plain(rounded, inputs, DPPOLossConfig())
    assert float(got.detach()) == pytest.approx(float(expected), abs=1e-6)


def test_a_model_that_changes_its_logits_after_the_head_is_refused():
    class Capped(torch.nn.Module):
        def __init__(self, model):
            super().__init__()
            self.model = model

        def forward(self, **given):
            outputs = self.model(**given)
            outputs.logits = 0.1 * torch.tanh(outputs.logits / 0.1)
            return outputs

    model = policy()
    (inputs,) = micro_batches(recorded(), count=1)
    with pytest.raises(ValueError, match="fused_head=False"):
        fused_head_loss(
            Capped(model),
            inputs,
            head=model.get_output_embeddings(),
            config=DPPOLossConfig(),
            options=HeadOptions(),
        )


@pytest.mark.parametrize("head", [torch.nn.Linear(32, VOCABULARY), torch.nn.Identity()])
def test_a_head_that_is_more_than_a_product_is_refused(head):
    model = policy()
    model.set_output_embeddings(head)
    (inputs,) = micro_batches(recorded(), count=1)
    with pytest.raises(ValueError, match="without bias"):
        fused(model, inputs, DPPOLossConfig())


@pytest.mark.parametrize("count", [1, 5])
def test_the_trainers_gradient_is_the_same_with_a_fused_head(tmp_path, count):
    expected, trainer = gradient(policy(1), recorded(), 3, tmp_path)
    got, fused_trainer = gradient(policy(1), recorded(), count, tmp_path, fused_head=True)
    assert (got - expected).abs().max() <= 1e-6
    row, fused_row = (t.state.log_history[0] for t in (trainer, fused_trainer))
    keys = [key for key in row if key.startswith("policy/")]
    assert "policy/entropy" in keys
    assert [fused_row[k] for k in keys] == [pytest.approx(row[k], rel=1e-4) for k in keys]

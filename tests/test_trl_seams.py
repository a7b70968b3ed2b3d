"""What we rely on in TRL, pinned: when TRL drifts, this file fails and says where.

Gradients are compared with −Σ M·r·A / Z, written out here without our loss.
"""

import dataclasses
import inspect

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
transformers = pytest.importorskip("transformers", reason="needs the train extra")
pytest.importorskip("trl", reason="needs the train extra")

from tests.test_fused_head import tiny_hybrid  # noqa: E402
from tmax_trainers.policy import PolicyConfig, build_policy  # noqa: E402
from tmax_trainers.rollout.worker import (  # noqa: E402
    EngineWeightTransfer,
    GroupRolloutWorker,
    Sample,
)
from tmax_trainers.trl_compat import DPPO_SETTINGS, DPPOMixin  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Tiny products gain nothing from a second thread, and lose much on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def seam():
    from trl.experimental.async_grpo import async_grpo_trainer

    return async_grpo_trainer


WORKER = {
    "start": ["self"],
    "stop": ["self"],
    "update_model_version": ["self", "model_version"],
    "check_health": ["self", "stale_after_s"],
}
TRANSFER = {
    "init_weight_transfer": ["self"],
    "pause": ["self"],
    "send_weights": ["self", "iterator"],
    "resume": ["self"],
    "destroy": ["self"],
}


def methods(kind):
    return {
        name: list(inspect.signature(value).parameters)
        for name, value in vars(kind).items()
        if inspect.isfunction(value) and not name.startswith("_")
    }


def test_the_worker_protocol_is_the_one_we_know(seam):
    assert methods(seam.RolloutWorkerProtocol) == WORKER
    fields = set(seam.RolloutWorkerProtocol.__annotations__)
    assert fields == {"rollout_buffer", "metrics_queue"}


def test_the_transfer_protocol_is_the_one_we_know(seam):
    assert methods(seam.WeightTransferProtocol) == TRANSFER


@pytest.mark.parametrize(("kind", "known"), [(GroupRolloutWorker, WORKER)])
def test_our_worker_implements_the_protocol(kind, known):
    assert methods(kind) == known
    worker = kind(source=None)
    assert worker.rollout_buffer.qsize() == worker.metrics_queue.qsize() == 0


def test_our_transfer_implements_the_protocol():
    assert methods(EngineWeightTransfer) == TRANSFER


def test_our_sample_begins_with_the_fields_of_theirs():
    from trl.experimental.async_grpo.async_rollout_worker import RolloutSample

    theirs = [f.name for f in dataclasses.fields(RolloutSample)]
    assert [f.name for f in dataclasses.fields(Sample)][: len(theirs)] == theirs


def test_their_queue_reads_our_samples(seam):
    """TRL's own dataset turns our records into rows."""
    import queue

    buffer = queue.Queue()
    buffer.put(
        Sample(
            prompt=[],
            completion=[],
            input_ids=np.array([4, 5, 6]),
            completion_mask=np.array([0, 1, 1]),
            old_log_probs=np.array([0.0, -1.0, -2.0], dtype=np.float32),
            advantage=0.5,
            model_version=3,
            group_id=7,
            metrics={"reward": 1.0},
            enqueued_at=0.0,
            group_rows=1,
        )
    )
    metrics = {k: [] for k in ("sample/rollout_queue_size", "sample/time_in_queue_s",
                               "sample/staleness_mean", "sample/staleness_max")}  # fmt: skip
    dataset = seam.RolloutQueueDataset(buffer, lambda: 4, lambda s: None, 1.0, metrics)
    row = next(iter(dataset))
    assert row["input_ids"].tolist() == [4, 5, 6]
    assert (row["advantage"], row["group_id"]) == (0.5, 7)
    assert metrics["sample/staleness_max"] == [1.0]


def test_the_two_methods_that_the_mixin_overrides_are_as_we_know_them():
    from trl import GRPOTrainer

    assert {n for n, v in vars(DPPOMixin).items() if inspect.isfunction(v)} == {
        "_compute_loss",
        "_get_per_token_logps_and_entropies",
    }
    assert list(inspect.signature(GRPOTrainer._compute_loss).parameters) == [
        "self",
        "model",
        "inputs",
    ]
    known = inspect.signature(GRPOTrainer._get_per_token_logps_and_entropies).parameters
    assert list(known)[:5] == ["self", "model", "input_ids", "attention_mask", "logits_to_keep"]


def tokenizer():
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit

    words = ["<pad>", "<eos>", *(f"w{i}" for i in range(38))]
    made = Tokenizer(WordLevel({w: i for i, w in enumerate(words)}, unk_token="<pad>"))
    made.pre_tokenizer = WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", eos_token="<eos>"
    )


class Rollouts:
    """Turns of 3 to 8 random tokens, some of whose log-probabilities are far from the policy's."""

    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.prompts, self.turns, self.logprobs = [], [], []

    def __call__(self, prompts, trainer):
        model = trainer.accelerator.unwrap_model(trainer.model)
        for _ in prompts:
            prompt = self.rng.integers(2, 40, 4).tolist()
            turn = self.rng.integers(2, 40, self.rng.integers(3, 9)).tolist()
            with torch.no_grad():
                logp = model(input_ids=torch.tensor([prompt + turn])).logits[0].log_softmax(-1)
            now = [float(logp[len(prompt) - 1 + i, t]) for i, t in enumerate(turn)]
            said = [min(-1e-3, x + float(self.rng.normal(0, 0.3))) for x in now]
            said[0] = float(np.log(0.4))  # μ far above π: blocked where A < 0
            self.prompts.append(prompt)
            self.turns.append(turn)
            self.logprobs.append(said)
        return {
            "prompt_ids": self.prompts,
            "completion_ids": self.turns,
            "logprobs": self.logprobs,
        }


def reward(completions, **kwargs):
    return [float(len(str(c)) % 3) for c in completions]


def llama():
    return build_policy(PolicyConfig(40, layers=2, width=32, heads=2, max_length=64), seed=2)


@pytest.fixture
def grpo(tmp_path, monkeypatch):
    """Return a function that makes a mixed trainer with the given settings."""
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    class Mixed(DPPOMixin, GRPOTrainer):
        pass

    def make(rollouts, *, model=None, **settings):
        args = GRPOConfig(
            output_dir=str(tmp_path),
            use_cpu=True,
            bf16=False,
            disable_tqdm=True,
            report_to="none",
            max_steps=1,
            max_grad_norm=0.0,
            per_device_train_batch_size=4,
            gradient_accumulation_steps=2,
            num_generations=8,
            max_completion_length=16,
            **(DPPO_SETTINGS | settings),
        )
        return Mixed(
            model=model or llama(),
            reward_funcs=reward,
            args=args,
            train_dataset=Dataset.from_dict({"prompt": ["w1 w2"] * 4}),
            processing_class=tokenizer(),
            rollout_func=rollouts,
        )

    return make


def formula(model, rollouts, advantages):
    """Return the gradient, and how many tokens the trust region blocked."""
    total, count, blocked = 0.0, 0, 0
    for prompt, turn, said, advantage in zip(
        rollouts.prompts, rollouts.turns, rollouts.logprobs, advantages, strict=True
    ):
        logp = model(input_ids=torch.tensor([prompt + turn])).logits[0].log_softmax(-1)
        for i, token in enumerate(turn):
            now, mu = logp[len(prompt) - 1 + i, token], said[i]
            gap = np.exp(float(now.detach())) - np.exp(mu)
            count += 1
            if (advantage > 0 and gap > 0.1) or (advantage < 0 and gap < -0.1):
                blocked += 1
                continue
            total = total - np.exp(float(now.detach()) - mu) * advantage * now
    (total / count).backward()
    return torch.cat([p.grad.flatten() for p in model.parameters()]), blocked


@pytest.mark.parametrize("model", [llama, tiny_hybrid])
def test_the_mixin_gives_grpo_the_gradient_of_dppo(grpo, model):
    seen = {}
    rollouts = Rollouts()
    trainer = grpo(rollouts, model=model())
    exact = model()

    class Catch(transformers.TrainerCallback):
        def on_pre_optimizer_step(self, args, state, control, **kwargs):
            model = trainer.accelerator.unwrap_model(trainer.model)
            seen["gradient"] = torch.cat([p.grad.flatten().clone() for p in model.parameters()])

    trainer.add_callback(Catch())
    trainer.train()
    texts = trainer.processing_class.batch_decode(rollouts.turns, skip_special_tokens=True)
    rewards = torch.tensor(reward(texts))
    assert len(rewards) == 8
    expected, blocked = formula(exact.double(), rollouts, (rewards - rewards.mean()).tolist())
    assert 0 < blocked < sum(map(len, rollouts.turns))
    got = seen["gradient"].double()
    assert (got - expected).abs().max() <= 1e-6
    assert expected.abs().max() > 1e-2


@pytest.mark.parametrize("settings", [{"loss_type": "grpo"}, {"epsilon": 0.2}, {"beta": 0.1}])
def test_settings_under_which_it_is_not_dppo_are_refused(grpo, settings):
    if settings.get("beta"):
        trainer = grpo(Rollouts())
        trainer.args.beta = settings["beta"]
    else:
        trainer = grpo(Rollouts(), **settings)
    with pytest.raises(ValueError, match="is not DPPO"):
        trainer.train()

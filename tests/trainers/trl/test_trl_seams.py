"""The parts of TRL that are relied on: if TRL changes them, this file fails and says where.

Gradients are compared with −Σ M·r·A / Z, written out here without our loss.
"""

import dataclasses
import inspect
from collections import defaultdict
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
transformers = pytest.importorskip("transformers", reason="needs the train extra")
pytest.importorskip("trl", reason="needs the train extra")

from tests.trainers.dppo.test_fused_head import tiny_hybrid  # noqa: E402
from tmax_trainers.policies.scratch import PolicyConfig, build_policy  # noqa: E402
from tmax_trainers.rollout.worker import (  # noqa: E402
    EngineWeightTransfer,
    GroupRolloutWorker,
    Sample,
)
from tmax_trainers.trl.mixins import DPPO_SETTINGS, AsyncDPPOMixin, DPPOMixin  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


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
    """TRL's own dataset makes rows from our records."""
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
    words_only = Tokenizer(WordLevel({w: i for i, w in enumerate(words)}, unk_token="<pad>"))
    words_only.pre_tokenizer = WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=words_only, pad_token="<pad>", eos_token="<eos>"
    )


class Rollouts:
    """Turns of 3 to 8 random tokens; some log-probabilities are far from the policy's."""

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
            logprobs = [min(-1e-3, x + float(self.rng.normal(0, 0.3))) for x in now]
            logprobs[0] = float(np.log(0.4))  # μ far above π: blocked where A < 0
            self.prompts.append(prompt)
            self.turns.append(turn)
            self.logprobs.append(logprobs)
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
    for prompt, turn, logprobs, advantage in zip(
        rollouts.prompts, rollouts.turns, rollouts.logprobs, advantages, strict=True
    ):
        logp = model(input_ids=torch.tensor([prompt + turn])).logits[0].log_softmax(-1)
        for i, token in enumerate(turn):
            now, mu = logp[len(prompt) - 1 + i, token], logprobs[i]
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
def test_settings_that_change_the_dppo_loss_are_refused(grpo, settings):
    if settings.get("beta"):
        trainer = grpo(Rollouts())
        trainer.args.beta = settings["beta"]
    else:
        trainer = grpo(Rollouts(), **settings)
    with pytest.raises(ValueError, match="is not DPPO"):
        trainer.train()


def test_the_method_that_the_asynchronous_mixin_overrides_is_as_we_know_it(seam):
    assert {n for n, v in vars(AsyncDPPOMixin).items() if inspect.isfunction(v)} == {"compute_loss"}
    theirs = inspect.signature(seam.AsyncGRPOTrainer.compute_loss).parameters
    ours = inspect.signature(AsyncDPPOMixin.compute_loss).parameters
    assert list(theirs) == list(ours)
    source = inspect.getsource(seam.AsyncGRPOTrainer.compute_loss)
    for name in ("token_index", "old_log_probs", "advantages", "log_probs", "entropy"):
        assert source.count(f'"{name}"') + source.count(f".{name}") >= 1
    # Nothing else in the method reads these inputs.
    assert source.count('inputs["token_index"]') == 2


class Row:
    """A model's output for TRL: log-probabilities of the places of one packed row."""

    def __init__(self, log_probs):
        self.log_probs = log_probs[None]
        self.entropy = torch.zeros_like(log_probs)[None]


STEP_SUMS = ("_step_forward_tokens", "_step_trained_tokens", "_step_seq_len_weighted",
             "_step_samples", "_step_forward_s")  # fmt: skip


def asynchronous(seam, kind, logp, inputs):
    """Return the gradient that a class's `compute_loss` gives the places of a packed row.

    TRL's trainer cannot be made without CUDA, so its method runs on the few members it reads.
    """
    logp = logp.clone().requires_grad_()
    trainer = kind.__new__(kind)
    trainer.__dict__ |= {
        "aux_loss_enabled": False,
        "epsilon_low": 1e9,
        "epsilon_high": 1e9,
        "current_gradient_accumulation_steps": 1,
        "accelerator": SimpleNamespace(
            num_processes=1, reduce=lambda x, reduction: x, gather=lambda x: x
        ),
        "_metrics": {"train": defaultdict(list)},
        **dict.fromkeys(STEP_SUMS, 0.0),
    }
    loss = trainer.compute_loss(lambda **kwargs: Row(logp), inputs)
    (loss[0] if isinstance(loss, tuple) else loss).backward()
    return logp.grad


def test_the_asynchronous_mixin_has_the_gradient_of_the_formula(seam):
    class Mixed(AsyncDPPOMixin, seam.AsyncGRPOTrainer):
        pass

    rng = np.random.default_rng(3)
    places, uses = 10, 14
    logp = torch.tensor(np.log(rng.uniform(0.05, 0.9, places)))
    mu = torch.tensor(np.log(rng.uniform(0.05, 0.9, uses)))
    advantages = torch.tensor(rng.normal(size=uses))
    # Four places are shared by two samples each, with advantages of their own.
    index = torch.tensor([*range(places), 0, 1, 2, 3])
    pad = torch.full((2,), -1)
    shared = {
        "attention_mask": torch.ones(1, places, dtype=torch.long),
        "input_ids": torch.zeros(1, places, dtype=torch.long),
        "position_ids": torch.arange(places)[None],
        "shift_labels": torch.zeros(1, places, dtype=torch.long),
        "token_index": torch.cat([index, pad])[None],
        "old_log_probs": torch.cat([mu, pad.double()])[None],
        "advantages": torch.cat([advantages, pad.double()])[None],
        "segment_id": torch.zeros(1, uses + 2, dtype=torch.long),
        "tree_kv_index": torch.zeros(1, 1, dtype=torch.long),
        "tree_cu_seqlens_q": torch.zeros(1, 1, dtype=torch.long),
        "tree_cu_seqlens_k": torch.zeros(1, 1, dtype=torch.long),
        "tree_max_seqlens": torch.ones(1, 2, dtype=torch.long),
        "global_n_tokens": torch.tensor([float(uses)]),
        "global_n_forward_tokens": torch.tensor([10.0]),
        "mean_seq_len": torch.tensor([5.0]),
    }
    got = asynchronous(seam, Mixed, logp, shared)
    expected = torch.zeros(places, dtype=torch.float64)
    blocked = 0
    for place, anchor, advantage in zip(index.tolist(), mu, advantages, strict=True):
        gap = float(logp[place].exp() - anchor.exp())
        if (advantage > 0 and gap > 0.1) or (advantage < 0 and gap < -0.1):
            blocked += 1
            continue
        expected[place] -= float((logp[place] - anchor).exp() * advantage) / uses
    assert 0 < blocked < uses
    assert (got - expected).abs().max() < 1e-9


def test_the_asynchronous_mixin_refuses_a_clip(seam):
    class Mixed(AsyncDPPOMixin, seam.AsyncGRPOTrainer):
        pass

    trainer = Mixed.__new__(Mixed)
    trainer.__dict__ |= {"epsilon_low": 0.2, "epsilon_high": 0.2}
    with pytest.raises(ValueError, match="pass epsilon=1e9"):
        trainer.compute_loss(None, {})

"""The trainer on a real engine and real threads; no sandbox, so that only learning is tested."""

import copy
import inspect
import queue
import threading
import time

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
transformers = pytest.importorskip("transformers", reason="needs the train extra")

from tmax_gym.agents.token_agent import TokenStream  # noqa: E402
from tmax_gym.errors import TrainingError  # noqa: E402
from tmax_gym.trajectory import Ending, Trajectory  # noqa: E402
from tmax_trainers.dppo.batching import micro_batches  # noqa: E402
from tmax_trainers.dppo.trainer import DPPOConfig, DPPOTrainer, reduce_metric  # noqa: E402
from tmax_trainers.engines import Request  # noqa: E402
from tmax_trainers.engines.transformers import TransformersEngine  # noqa: E402
from tmax_trainers.policies.scratch import PolicyConfig, build_policy  # noqa: E402
from tmax_trainers.rollout.groups import GroupSource  # noqa: E402
from tmax_trainers.rollout.records import GroupConfig  # noqa: E402
from tmax_trainers.rollout.task_order import Shuffled  # noqa: E402
from tmax_trainers.rollout.worker import (  # noqa: E402
    EngineWeightTransfer,
    GroupRolloutWorker,
    Sample,
)

VOCABULARY = 40


pytestmark = pytest.mark.usefixtures("one_thread")


def policy(seed=0, vocabulary=VOCABULARY):
    return build_policy(
        PolicyConfig(vocabulary, layers=2, width=32, heads=2, max_length=64), seed=seed
    )


def config(path, **kwargs):
    defaults = {
        "output_dir": str(path),
        "max_steps": 3,
        "use_cpu": True,
        "disable_tqdm": True,
        "gradient_accumulation_steps": 2,
        "groups_per_step": 4,
    }
    return DPPOConfig(**(defaults | kwargs))


class Bandit:
    """Three tasks; the reward of a two-token turn is the share of tokens that the task likes.

    A task likes 12 of 40 tokens, so an untrained policy earns 0.3.
    """

    likes = {  # noqa: RUF012
        name: set(np.random.default_rng(i).permutation(VOCABULARY)[:12].tolist())
        for i, name in enumerate(("red", "green", "blue"))
    }

    def __init__(self, engine):
        self.engine = engine

    def __call__(self, episode):
        stream = TokenStream([list(self.likes).index(episode.task), 3])
        for turn in range(2):
            asked = Request(stream.ids, 1, episode.seed + turn, episode=episode.name)
            stream.sampled(self.engine.generate([asked])[0])
            stream.observe([4 + turn])
        tokens = stream.tokens()
        sampled = [t for t, mine in zip(tokens.ids, tokens.mask, strict=True) if mine]
        reward = sum(t in self.likes[episode.task] for t in sampled) / 2
        return Trajectory(
            episode.task, "policy", episode.seed, Ending.SUBMITTED, reward, tokens=tokens
        )


def train(path, *, model=None, staleness=0, patience=100, **kwargs):
    """Return the trained model and the log."""
    model = model or policy()
    args = config(path, **kwargs)
    with TransformersEngine(model, slots=64) as engine:
        source = GroupSource(
            Bandit(engine),
            Shuffled(sorted(Bandit.likes), seed=1),
            GroupConfig(
                groups_per_step=args.groups_per_step,
                group_size=16,
                max_staleness=staleness,
                workers=32,
                seed=5,
                patience=patience,
            ),
        )
        trainer = DPPOTrainer(
            model,
            args,
            rollout_worker=GroupRolloutWorker(source),
            weight_transfer=EngineWeightTransfer(engine),
        )
        trainer.train()
    return model, [row for row in trainer.state.log_history if "reward/mean" in row]


def test_the_policy_learns(tmp_path):
    _, log = train(tmp_path, max_steps=18, learning_rate=1e-2)
    rewards = [row["reward/mean"] for row in log]
    assert 0.2 < np.mean(rewards[:2]) < 0.4
    assert np.mean(rewards[-3:]) > 0.8


def test_training_ends_when_everything_is_solved(tmp_path):
    _, log = train(tmp_path, max_steps=180, learning_rate=1e-2, patience=30)
    assert len(log) < 60
    assert log[-1]["reward/mean"] > 0.9


def test_a_policy_with_learning_rate_zero_does_not(tmp_path):
    _, log = train(tmp_path, max_steps=15, learning_rate=0.0)
    rewards = [row["reward/mean"] for row in log]
    assert 0.2 < np.mean(rewards[-10:]) < 0.4


@pytest.mark.parametrize("staleness", [1, 3])
def test_the_policy_learns_from_older_groups(tmp_path, staleness):
    _, log = train(tmp_path, max_steps=18, learning_rate=1e-2, staleness=staleness)
    assert np.mean([row["reward/mean"] for row in log][-3:]) > 0.8
    # What was begun before the first update waits, and is as old as when it is trained on; how
    # many wait depends on the machine. A row without a newly settled group has no reward.
    assert all(row["staleness/max"] <= min(row["step"] - 1, staleness) for row in log)
    assert max(row["staleness/max"] for row in log) == staleness
    assert all("groups/settled_total" in row for row in log), "a step without its batch's metrics"


def test_a_synchronous_run_is_the_same_bit_for_bit(tmp_path):
    first, log = train(tmp_path, max_steps=4, learning_rate=1e-2)
    again, log_again = train(tmp_path, max_steps=4, learning_rate=1e-2)
    assert all(
        torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters(), strict=True)
    )
    timing = {"train_runtime", "time"}
    assert [{k: v for k, v in row.items() if k not in timing} for row in log] == [
        {k: v for k, v in row.items() if k not in timing} for row in log_again
    ]


def test_a_synchronous_step_starts_where_it_was_sampled(tmp_path):
    _, log = train(tmp_path, max_steps=3, learning_rate=1e-2)
    for row in log:
        assert row["policy/logp_gap"] < 1e-5
        assert row["policy/ratio_max"] == pytest.approx(1, abs=1e-4)
        assert row["staleness/max"] == 0


def test_exactly_four_methods_are_overridden():
    ours = {
        name
        for name, value in vars(DPPOTrainer).items()
        if inspect.isfunction(value) and hasattr(transformers.Trainer, name)
    }
    assert ours == {"__init__", "get_train_dataloader", "compute_loss", "log", "train"}


@pytest.mark.parametrize("name", ["compute_loss", "log", "get_train_dataloader"])
def test_overridden_methods_take_what_the_trainer_gives(name):
    ours = inspect.signature(getattr(DPPOTrainer, name)).parameters
    theirs = inspect.signature(getattr(transformers.Trainer, name)).parameters
    assert list(ours) == list(theirs)


class Recorded:
    """A worker of fixed samples, as any other implementation of TRL's protocol might be."""

    def __init__(self, samples):
        self.rollout_buffer = queue.Queue()
        self.metrics_queue = queue.Queue()
        self.events = []
        for sample in samples:
            self.rollout_buffer.put(sample)

    def start(self):
        self.events.append("start")

    def stop(self):
        self.events.append("stop")

    def update_model_version(self, model_version):
        self.events.append(model_version)

    def check_health(self, stale_after_s):
        self.events.append("check")


def recorded(count=24, groups=4, seed=0):
    rng = np.random.default_rng(seed)
    records = []
    for i in range(count):
        length = int(rng.integers(3, 40))
        mask = rng.random(length) < 0.6
        logprobs = np.where(mask, np.log(rng.uniform(0.005, 0.2, length)), 0).astype(np.float32)
        if i == 3:
            logprobs[length // 2] = np.nan
        records.append(
            Sample(
                prompt=[],
                completion=[],
                input_ids=rng.integers(0, VOCABULARY, length),
                completion_mask=mask.astype(np.int64),
                old_log_probs=logprobs,
                advantage=float(rng.normal()),
                model_version=1,
                group_id=i % groups,
                metrics={},
                group_rows=count // groups,
            )
        )
    return records


def gradient(model, samples, count, path, **options):
    """Return the gradient that a real training step hands to the optimizer."""
    seen = {}
    model = copy.deepcopy(model)

    class Catch(transformers.TrainerCallback):
        def on_pre_optimizer_step(self, args, state, control, **kwargs):
            grads = {n: p.grad for n, p in model.named_parameters()}
            seen.update({n: getattr(g, "full_tensor", g.clone)() for n, g in grads.items()})

    options |= {"max_steps": 1, "gradient_accumulation_steps": count, "max_grad_norm": 0.0}
    args = config(path, **options)
    trainer = DPPOTrainer(model, args, rollout_worker=Recorded(samples), callbacks=[Catch()])
    trainer.train()
    return torch.cat([g.flatten() for g in seen.values()]).double(), trainer


@pytest.mark.parametrize("count", [2, 3, 7, 24, 30])
def test_the_gradient_is_the_same_for_any_cut_of_the_batch(tmp_path, count):
    whole, _ = gradient(policy(1), recorded(), 1, tmp_path)
    cut, _ = gradient(policy(1), recorded(), count, tmp_path)
    assert whole.norm() > 1e-3
    assert (whole - cut).abs().max() <= 1e-6


def test_the_gradient_is_that_of_the_formula(tmp_path):
    """One pass per sample in float64, mask and ratio written out, autograd for d log π only."""
    model = policy(1)
    got, _ = gradient(model, recorded(), 5, tmp_path)
    exact = copy.deepcopy(model).double()
    total, count = 0.0, 0
    for sample in recorded():
        ids = torch.tensor(sample.input_ids)[None]
        logp = exact(input_ids=ids).logits[0].log_softmax(-1)
        for t in range(1, ids.shape[1]):
            mu = float(sample.old_log_probs[t])
            if not sample.completion_mask[t] or np.isnan(mu):
                continue
            count += 1
            now = logp[t - 1, ids[0, t]]
            gap = float(now.detach().exp()) - np.exp(mu)
            if (sample.advantage > 0 and gap > 0.1) or (sample.advantage < 0 and gap < -0.1):
                continue
            total = total - np.exp(float(now.detach()) - mu) * sample.advantage * now
    (total / count).backward()
    expected = torch.cat([p.grad.flatten() for p in exact.parameters()])
    assert (got - expected).abs().max() <= 1e-6


def test_a_worker_without_group_sizes_is_read_by_the_configured_size(tmp_path):
    samples = recorded()
    for sample in samples:
        sample.group_rows = 0
    with_sizes, _ = gradient(policy(1), recorded(), 2, tmp_path)
    args = config(tmp_path, group_size=6)
    assert args.group_size == 6
    trainer = DPPOTrainer(
        policy(1),
        config(tmp_path, group_size=6, max_steps=1, max_grad_norm=0.0),
        rollout_worker=Recorded(samples),
    )
    batch = next(iter(trainer.get_train_dataloader()))
    expected = micro_batches(recorded(), count=2)[0]
    assert float(batch["denominator"]) == float(expected["denominator"])
    assert torch.equal(batch["input_ids"].sort(0)[0], expected["input_ids"].sort(0)[0])
    assert with_sizes.norm() > 0


def test_a_step_reports_its_own_batch_where_the_worker_is_ahead(tmp_path):
    worker = Recorded([])
    for number in range(3):
        worker.metrics_queue.put({"reward/mean": (number + 1.0, 4)})
        for sample in recorded(seed=number):
            sample.group_id += 4 * number
            sample.batch = number
            worker.rollout_buffer.put(sample)
    args = config(tmp_path, gradient_accumulation_steps=2, max_steps=3)
    trainer = DPPOTrainer(policy(1), args, rollout_worker=worker)
    trainer.train()
    rows = [row for row in trainer.state.log_history if "policy/entropy" in row]
    assert [row["reward/mean"] for row in rows] == [0.25, 0.5, 0.75]


def test_a_worker_that_does_not_number_batches_reports_all_that_it_has(tmp_path):
    worker = Recorded(recorded())
    worker.metrics_queue.put({"reward/mean": (1.0, 4)})
    worker.metrics_queue.put({"reward/mean": (3.0, 4)})
    args = config(tmp_path, gradient_accumulation_steps=2, max_steps=1)
    trainer = DPPOTrainer(policy(1), args, rollout_worker=worker)
    trainer.train()
    assert trainer.state.log_history[0]["reward/mean"] == 0.5


def test_the_worker_is_started_gets_versions_and_is_stopped(tmp_path):
    _, trainer = gradient(policy(1), recorded(), 2, tmp_path)
    events = [e for e in trainer.rollout_worker.events if e != "check"]
    assert events == [1, "start", 2, "stop"]


def test_a_worker_without_samples_is_reported(tmp_path):
    trainer = DPPOTrainer(
        policy(1),
        config(tmp_path, rollout_timeout=0.5),
        rollout_worker=Recorded([]),
    )
    with pytest.raises(TrainingError, match="no sample came"):
        trainer.train()


def test_an_error_that_stops_the_episodes_stops_the_training(tmp_path):
    def broken(episode):
        raise KeyError("a mistake in the harness")

    source = GroupSource(broken, Shuffled(["a"], seed=0), GroupConfig(1, 2, workers=1))
    trainer = DPPOTrainer(policy(1), config(tmp_path), rollout_worker=GroupRolloutWorker(source))
    with pytest.raises(TrainingError, match="a mistake in the harness"):
        trainer.train()
    assert not [t for t in threading.enumerate() if t.name.startswith(("tmax-roll", "tmax-batch"))]


class Failing(transformers.TrainerCallback):
    """Ends training by an error after its first step."""

    def __init__(self, error):
        self.error = error

    def on_step_end(self, args, state, control, **kwargs):
        raise self.error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("an alarm of the user's")])
def test_an_error_outside_the_rollouts_stops_the_worker(error, tmp_path):
    trainer = DPPOTrainer(
        policy(1),
        config(tmp_path),
        rollout_worker=Recorded(recorded()),
        callbacks=[Failing(error)],
    )
    with pytest.raises(type(error)):
        trainer.train()
    assert [e for e in trainer.rollout_worker.events if isinstance(e, str)].count("stop") == 1


class Stopped:
    """A source that was stopped: it has nothing, and answers at once."""

    def __init__(self):
        self.asked = 0

    def start(self):
        pass

    def stop(self):
        pass

    def next_batch(self, timeout=None):
        self.asked += 1


def test_a_stopped_source_is_not_asked_in_a_busy_loop():
    source = Stopped()
    worker = GroupRolloutWorker(source)
    worker.start()
    time.sleep(0.5)
    worker.stop()
    assert 1 <= source.asked <= 20  # a busy loop asks 100,000 times


@pytest.mark.parametrize("count", [1, 2, 5, 9, 40])
def test_every_sample_is_in_exactly_one_micro_batch(count):
    samples = recorded()
    parts = micro_batches(samples, count=count)
    assert len(parts) == count
    rows = [
        tuple(row[: len(row)].tolist())
        for part in parts
        for row, advantage in zip(part["input_ids"], part["advantages"], strict=True)
        if advantage[0] != 0
    ]
    assert len(rows) == len(samples)
    assert len({float(p["denominator"]) for p in parts}) == 1
    areas = [p["input_ids"].numel() for p in parts]
    lengths = sorted(len(s.input_ids) for s in samples)
    assert max(areas) <= max(2 * sum(lengths) / count + max(lengths), max(lengths))


def test_metrics_reduce_by_shape_and_name():
    assert reduce_metric("a/mean", [(1, 2), (2, 2)]) == 0.75
    assert reduce_metric("a/x_total", [1.0, 2.0]) == 3
    assert reduce_metric("a/x_max", [1.0, 2.0]) == 2
    assert reduce_metric("a/x", [1.0, 2.0, float("nan")]) == 1.5

"""The benchmark of stability: its rollouts are exactly as old as it says."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")

from benchmarks import lagged_policy, stability  # noqa: E402
from benchmarks.stability import Job, Outcome, run  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def logp(model, samples):
    """Return the log-probabilities of the replies, [samples, LENGTH]."""
    ids = torch.as_tensor(np.stack([sample.input_ids for sample in samples]))
    with torch.no_grad():
        every = model(input_ids=ids).logits.log_softmax(-1)[:, -1 - lagged_policy.LENGTH : -1]
    return every.gather(2, ids[:, -lagged_policy.LENGTH :, None])[..., 0].numpy()


def test_a_batch_is_sampled_from_the_weights_of_so_many_versions_ago():
    model = lagged_policy.warm_policy(0, 5)
    worker = lagged_policy.LaggedWorker(
        lagged_policy.warm_policy(0, 5), staleness=2, seed=0, advantage="centred"
    )
    first = {name: weight.clone() for name, weight in model.named_parameters()}
    for _ in range(3):
        worker.send_weights(model.named_parameters())
        with torch.no_grad():
            for weight in model.parameters():
                weight.add_(0.05 * torch.sign(weight))
    samples = [worker.get(1.0) for _ in range(lagged_policy.GROUPS * lagged_policy.GROUP)]
    recorded = np.stack([s.old_log_probs[-lagged_policy.LENGTH :] for s in samples])
    assert np.abs(logp(model, samples) - recorded).max() > 0.01
    model.load_state_dict(first, strict=False)
    np.testing.assert_allclose(logp(model, samples), recorded, atol=1e-5)


def test_right_answers_earn_everything():
    prompts, answers = lagged_policy.draw(np.random.default_rng(0), 50)
    for (operation, *symbols), answer in zip(prompts.tolist(), answers.tolist(), strict=True):
        low = lagged_policy.FIRST
        expected = {
            1: symbols,
            2: symbols[::-1],
            3: sorted(symbols),
            4: [(s - low + 1) % lagged_policy.SYMBOLS + low for s in symbols],
        }
        assert answer == expected[operation]


def test_a_run_is_the_same_twice(monkeypatch):
    monkeypatch.setattr(stability, "WARM", 20)
    job = Job("gspo", 1, 0, 3)
    assert run(job) == run(job)


def test_a_run_that_loses_half_of_its_best_has_collapsed():
    def outcome(*held_out):
        return Outcome("dppo", 0, 0, 1, list(held_out), [], [], [], 0.0)

    assert outcome(0.1, 0.8, 0.8, 0.8, 0.8, 0.3, 0.3, 0.3, 0.3).collapsed
    assert not outcome(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.6, 0.6, 0.6).collapsed


def test_the_fall_of_a_run_is_its_greatest_below_the_best_before():
    outcome = Outcome("dppo", 0, 0, 1, [0.1, 0.5, 0.4, 0.6, 0.25, 0.7, 0.65], [], [], [], 0.0)
    assert outcome.fall == pytest.approx(0.35)

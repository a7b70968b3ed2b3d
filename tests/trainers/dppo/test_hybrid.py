"""Qwen3.5 hybrids: their recurrent layers carry no state from one sample into another."""

import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
transformers = pytest.importorskip("transformers", reason="needs the train extra")

from tests.trainers.dppo.test_fused_head import tiny_hybrid  # noqa: E402
from tests.trainers.dppo.test_trainer import gradient, recorded  # noqa: E402
from tmax_trainers.dppo.batching import micro_batches  # noqa: E402
from tmax_trainers.engines import Request  # noqa: E402
from tmax_trainers.engines.transformers import TransformersEngine  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def logps(model, samples):
    """Return the log-probabilities of every sample's tokens as the trainer computes them."""
    (batch,) = micro_batches(samples, count=1)
    with torch.no_grad():
        logits = model(input_ids=batch["input_ids"], use_cache=False).logits[:, :-1]
    sampled = logits.log_softmax(-1).gather(-1, batch["input_ids"][:, 1:, None])[..., 0]
    order = sorted(range(len(samples)), key=lambda i: (len(samples[i].input_ids), i))
    by_place = {}
    for row, place in enumerate(order):
        by_place[place] = sampled[row, : len(samples[place].input_ids) - 1].numpy()
    return [by_place[i] for i in range(len(samples))]


def other(sample, seed):
    """Return a sample of the same length with other tokens."""
    changed = copy.copy(sample)
    changed.input_ids = np.random.default_rng(seed).integers(0, 40, len(sample.input_ids))
    return changed


def test_a_sample_does_not_depend_on_its_neighbours():
    """Every neighbour is replaced by another of its length, and the sample does not change."""
    model, samples = tiny_hybrid(), recorded()
    before = logps(model, samples)
    for place in (0, 7, 23):
        swapped = [s if i == place else other(s, i) for i, s in enumerate(samples)]
        after = logps(model, swapped)
        assert np.abs(after[place] - before[place]).max() < 1e-5
        assert max(np.abs(a - b).max() for a, b in zip(after, before, strict=True)) > 0.01


def test_a_sample_alone_has_the_log_probabilities_that_it_has_in_a_batch():
    model, samples = tiny_hybrid(), recorded(8)
    together = logps(model, samples)
    for sample, in_batch in zip(samples, together, strict=True):
        assert np.abs(logps(model, [sample])[0] - in_batch).max() < 1e-5


def test_positions_alone_do_not_keep_packed_samples_apart():
    """This is what `packing.check_kept_apart` detects."""
    model, samples = tiny_hybrid(), recorded(2, groups=1)
    ids = [torch.tensor(s.input_ids) for s in samples]
    row = torch.cat(ids)[None]
    places = torch.cat([torch.arange(len(i)) for i in ids])[None]
    with torch.no_grad():
        packed = model(input_ids=row, position_ids=places, use_cache=False).logits[0, len(ids[0]) :]
        alone = model(input_ids=ids[1][None], use_cache=False).logits[0]
    assert (packed - alone).abs().max() > 1e-4


@pytest.mark.parametrize("fused", [False, True])
def test_a_hybrid_has_one_gradient_however_its_batch_is_cut(tmp_path, fused):
    whole, _ = gradient(tiny_hybrid(), recorded(), 1, tmp_path)
    cut, _ = gradient(tiny_hybrid(), recorded(), 7, tmp_path, fused_head=fused)
    assert whole.norm() > 1e-3
    assert (whole - cut).abs().max() <= 1e-6


def test_the_engine_samples_a_hybrid_as_the_trainer_reads_it():
    model = tiny_hybrid()
    with TransformersEngine(model, max_length=64) as engine:
        completions = engine.generate([Request((3, 4, 5 + i), 6, i) for i in range(3)])
    for i, completion in enumerate(completions):
        ids = [3, 4, 5 + i, *completion.ids]
        with torch.no_grad():
            logp = model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
        again = [float(logp[2 + t, token]) for t, token in enumerate(completion.ids)]
        assert completion.logprobs == pytest.approx(again, abs=1e-4)

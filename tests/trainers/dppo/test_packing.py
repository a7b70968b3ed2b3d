"""Packing: the gradient of padding, samples kept apart, models that cannot refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="needs the train extra")
transformers = pytest.importorskip("transformers", reason="needs the train extra")

from tests.trainers.dppo.test_fused_head import tiny_hybrid  # noqa: E402
from tests.trainers.dppo.test_trainer import (  # noqa: E402
    VOCABULARY,
    Recorded,
    config,
    gradient,
    policy,
    recorded,
)
from tmax_gym.errors import TrainingError  # noqa: E402
from tmax_trainers.dppo.batching import micro_batches  # noqa: E402
from tmax_trainers.dppo.packing import bins, check_kept_apart  # noqa: E402
from tmax_trainers.dppo.trainer import DPPOTrainer  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def gpt2():
    """Return a model of learned positions, whose attention is given none of the boundaries."""
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 256}
    tiny = transformers.GPT2Config(vocab_size=VOCABULARY, resid_pdrop=0.0, embd_pdrop=0.0, **sizes)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return transformers.GPT2LMHeadModel(tiny)


@given(st.lists(st.integers(1, 500), min_size=1, max_size=60), st.integers(1, 12))
def test_every_sample_is_in_one_bin_and_no_bin_is_much_fuller_than_it_must_be(lengths, count):
    lengths = sorted(lengths)
    found = bins(lengths, count)
    assert len(found) == count
    assert sorted(i for row in found for i in row) == list(range(len(lengths)))
    # The bound of longest-first list scheduling (Graham 1969).
    least = max(max(lengths), sum(lengths) / count)
    assert max(sum(lengths[i] for i in row) for row in found) <= least + max(lengths) * (
        1 - 1 / count
    )


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("count", [1, 7])
def test_the_gradient_of_packed_samples_is_that_of_padded_ones(tmp_path, count, fused):
    padded, _ = gradient(policy(1), recorded(), 1, tmp_path)
    packed, _ = gradient(policy(1), recorded(), count, tmp_path, fused_head=fused, packing=True)
    assert padded.norm() > 1e-3
    assert (padded - packed).abs().max() <= 1e-6


def test_a_packed_row_has_no_padding_and_trains_no_first_token():
    samples = recorded()
    (batch,) = micro_batches(samples, count=1, packed=True)
    assert batch["input_ids"].shape == (1, sum(len(s.input_ids) for s in samples))
    assert not batch["mask"][batch["position_ids"] == 0].any()
    assert int(batch["mask"].sum()) == sum(int(s.completion_mask[1:].sum()) for s in samples)


@pytest.mark.parametrize("make", [policy, gpt2])
def test_a_dense_model_keeps_packed_samples_apart(make):
    check_kept_apart(make(), vocabulary=VOCABULARY)


def test_a_model_that_reads_its_neighbours_is_refused():
    class Deaf(torch.nn.Module):
        """A model that takes the boundaries and does not heed them."""

        def __init__(self):
            super().__init__()
            self.inner = policy()

        def forward(self, input_ids, **kwargs):
            return self.inner(input_ids=input_ids, use_cache=False)

    with pytest.raises(TrainingError, match=r"attends to its neighbour.*packing=False"):
        check_kept_apart(Deaf(), vocabulary=VOCABULARY)


def test_a_hybrid_without_kernels_is_refused_before_anything_is_sampled(tmp_path):
    worker = Recorded(recorded())
    worker.start = lambda: pytest.fail("episodes were begun")
    args = config(tmp_path, packing=True, max_steps=1)
    trainer = DPPOTrainer(tiny_hybrid(), args, rollout_worker=worker)
    with pytest.raises(TrainingError, match=r"flash-linear-attention|causal.conv1d"):
        trainer.train()


CONVOLUTION = """
import torch

def causal_conv1d_fn(x, weight, bias=None, seq_idx=None, activation=None):
    \"\"\"Every output is a sum over the last inputs of its own sequence.\"\"\"
    out, width = torch.zeros_like(x), weight.shape[1]
    for t in range(x.shape[2]):
        for back in range(min(width, t + 1)):
            if seq_idx is None or seq_idx[0, t - back] == seq_idx[0, t]:
                out[:, :, t] = out[:, :, t] + x[:, :, t - back] * weight[:, width - 1 - back]
    return torch.nn.functional.silu(out) if activation == "silu" else out
"""
DELTA_RULE = """
import torch

def chunk_gated_delta_rule(
    q, k, v, g, beta, initial_state=None, output_final_state=False,
    use_qk_l2norm_in_kernel=False, cu_seqlens=None,
):
    \"\"\"S <- a S; S <- S + k (b (v - S'k))'; o = S'q, from nothing in every sequence.\"\"\"
    q, k = (x / (x.square().sum(-1, keepdim=True) + 1e-6).sqrt() for x in (q, k))
    starts = set(cu_seqlens.tolist()) if cu_seqlens is not None else {0}
    out = []
    for t in range(q.shape[1]):
        if t in starts:
            state = torch.zeros(*q[:, 0].shape, v.shape[-1])
        state = state * g[:, t].exp()[..., None, None]
        said = torch.einsum("bhkv,bhk->bhv", state, k[:, t])
        change = beta[:, t, :, None] * (v[:, t] - said)
        state = state + torch.einsum("bhk,bhv->bhkv", k[:, t], change)
        out.append(torch.einsum("bhkv,bhk->bhv", state, q[:, t] * q.shape[-1] ** -0.5))
    return torch.stack(out, 1), None
"""
PACKED = """
import gc, sys, torch
from pathlib import Path
from tests.trainers.dppo.test_fused_head import tiny_hybrid
from tests.trainers.dppo.test_trainer import gradient, recorded
torch.set_num_threads(1)
gc.freeze()  # a trainer starts full collections: they need not look at modules
path = Path(sys.argv[1])
found = [
    gradient(tiny_hybrid(), recorded(12), 2, path, packing=packing, fused_head=packing)[0]
    for packing in (False, True)
]
torch.save(found, path / "found.pt")
"""


def test_a_hybrid_whose_kernels_heed_boundaries_has_the_gradient_of_padding(tmp_path):
    """The kernels of the two packages, by their signatures, as plain recurrences on a CPU."""
    rules = tmp_path / "fla" / "ops" / "gated_delta_rule"
    rules.mkdir(parents=True)
    for package in (tmp_path / "fla", tmp_path / "fla" / "ops"):
        (package / "__init__.py").touch()
    (rules / "__init__.py").write_text(DELTA_RULE)
    (tmp_path / "causal_conv1d.py").write_text(CONVOLUTION)
    root = Path(__file__).parents[3]
    ran = subprocess.run(
        [sys.executable, "-c", PACKED, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(root)))},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    found = torch.load(tmp_path / "found.pt")
    without_kernels, _ = gradient(tiny_hybrid(), recorded(12), 2, tmp_path)
    assert without_kernels.norm() > 1e-3
    for one in found:
        assert (one - without_kernels).abs().max() <= 1e-5


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="the kernels need a CUDA device")
def test_a_hybrid_packs_with_its_real_kernels():
    pytest.importorskip("fla", reason="needs flash-linear-attention")
    pytest.importorskip("causal_conv1d", reason="needs causal-conv1d")
    check_kept_apart(tiny_hybrid().cuda().bfloat16(), vocabulary=VOCABULARY)

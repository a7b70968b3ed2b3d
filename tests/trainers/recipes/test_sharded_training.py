"""A recipe in two gloo ranks: on sharded weights, as FSDP is configured here, and on copies."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from safetensors.torch import load_file  # noqa: E402

from tmax_trainers.dppo import checkpoints  # noqa: E402

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def runs(tmp_path_factory, native_backend):
    """Return the last checkpoints of the runs of `tests.support.sharded_recipe`."""
    out = tmp_path_factory.mktemp("sharded")
    shared = {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""}
    ended = subprocess.run(
        [sys.executable, "-m", "tests.support.sharded_recipe", str(out)],
        env=os.environ | shared,
        capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    return {name: checkpoints.latest(out / name) for name in ("killed", "whole", "alone", "copies")}


def weights(run):
    return load_file(run[1] / "model.safetensors")


def log(run):
    """Return the loss and the norm of the gradient of every step."""
    rows = json.loads((run[1] / "trainer_state.json").read_text())["log_history"]
    return [(row["loss"], row["grad_norm"]) for row in rows if "grad_norm" in row]


def test_two_ranks_come_to_the_losses_and_weights_of_one_process(runs):
    sharded, alone = log(runs["whole"]), log(runs["alone"])
    assert len(sharded) == len(alone) == runs["alone"][0] >= 3
    assert all(norm > 1e-3 for _, norm in alone)
    assert sharded[0] == pytest.approx(alone[0], abs=1e-6)
    for (loss, norm), (expected, whole) in zip(sharded, alone, strict=True):
        assert loss == pytest.approx(expected, abs=1e-6)
        # Later norms also have what the last bits of the weights make of them.
        assert norm == pytest.approx(whole, rel=1e-5)
    moved = weights(runs["alone"])
    # A head that is the input embedding is in the file of the ranks twice.
    together = {name: w for name, w in weights(runs["whole"]).items() if name in moved}
    assert together.keys() == moved.keys()
    assert max((together[name] - moved[name]).abs().max() for name in moved) <= 1e-6


def test_ranks_that_were_killed_resume_to_the_same_weights(runs):
    assert runs["killed"][0] == runs["whole"][0]
    expected, resumed = weights(runs["whole"]), weights(runs["killed"])
    assert expected.keys() == resumed.keys()
    assert all(torch.equal(resumed[name], expected[name]) for name in expected)


def test_every_process_saves_its_part_of_a_checkpoint(runs):
    step, checkpoint = runs["copies"]
    saved = {path.name for path in checkpoint.iterdir()}
    assert {"rng_state_0.pth", "rng_state_1.pth", "rollouts", "complete"} <= saved
    rows = json.loads((checkpoint / "trainer_state.json").read_text())["log_history"]
    assert [row["step"] for row in rows if "grad_norm" in row] == [1, 2]
    assert step == 2

"""A recipe on two trainer processes: real gloo ranks, real sandboxes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from tmax_trainers.recipes import files
from tmax_trainers.recipes.options import trainer_options
from tmax_trainers.recipes.processes import processes

RANKS = """
import io, sys
from pathlib import Path
import torch
from rich.console import Console
from tests.support import two_ranks
from tests.support.coin_recipe import CoinBook, coin_recipe
from tmax_trainers.recipes import run
torch.set_num_threads(1)
_, second = two_ranks.fork()
run.task_book = CoinBook
recipe = coin_recipe("optimization.steps=2", "optimization.micro_batches=1")
outcome = run.train(recipe, Path(sys.argv[1]), console=Console(file=io.StringIO()))
assert outcome.steps == 2
two_ranks.leave(second)
"""


@pytest.mark.slow
def test_every_process_saves_its_part_of_a_checkpoint(tmp_path, native_backend):
    shared = {"PYTHONPATH": str(Path(__file__).parents[3]), "OMP_NUM_THREADS": "1",
              "CUDA_VISIBLE_DEVICES": ""}  # fmt: skip
    ended = subprocess.run(
        [sys.executable, "-c", RANKS, str(tmp_path)],
        env=os.environ | shared, stderr=subprocess.PIPE, text=True, timeout=240,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    saved = {path.name for path in (tmp_path / "checkpoint-2").iterdir()}
    assert {"rng_state_0.pth", "rng_state_1.pth", "rollouts", "complete"} <= saved
    log = json.loads((tmp_path / "checkpoint-2/trainer_state.json").read_text())["log_history"]
    assert [row["step"] for row in log if "grad_norm" in row] == [1, 2]


@pytest.mark.parametrize("name", files.names())
def test_a_configuration_of_accelerate_starts_as_many_processes_as_its_recipe_names(name):
    cluster = files.read(name).cluster
    if cluster.accelerate:
        config = files.accelerate(cluster.accelerate)
        assert config["num_processes"] == cluster.trainer_processes
        assert config["num_machines"] * 8 == cluster.trainer_processes
    else:
        assert cluster.trainer_processes == 1


@pytest.mark.parametrize("split", [True, False])
def test_gradients_of_split_weights_are_split_after_every_micro_batch(split, monkeypatch, tmp_path):
    monkeypatch.setenv("ACCELERATE_USE_FSDP", str(split).lower())
    processes()
    options = trainer_options(files.read("cpu_tiny"), tmp_path)
    kwargs = options.accelerator_config.gradient_accumulation_kwargs
    assert kwargs["sync_each_batch"] is split


def test_layers_are_computed_again_once_and_not_by_accelerate_as_well():
    # Both at once would compute every layer three times, and accelerate renames the weights.
    config = files.accelerate("fsdp")["fsdp_config"]
    assert config["fsdp_version"] == 2 and not config["fsdp_activation_checkpointing"]
    assert files.read("tmax_9b").model.gradient_checkpointing

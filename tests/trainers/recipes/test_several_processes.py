"""Several trainer processes: what accelerate is told.  `test_sharded_training` runs recipes so."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from accelerate import FullyShardedDataParallelPlugin  # noqa: E402

from tmax_trainers.recipes import files  # noqa: E402
from tmax_trainers.recipes.options import trainer_options  # noqa: E402
from tmax_trainers.recipes.processes import processes, suit_sharding  # noqa: E402


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


def test_gradients_of_split_weights_are_summed_in_float32():
    plugin = FullyShardedDataParallelPlugin(fsdp_version=2)
    plugin.set_mixed_precision("bf16")
    assert plugin.mixed_precision_policy.reduce_dtype == torch.bfloat16  # accelerate's own choice
    accelerator = SimpleNamespace(state=SimpleNamespace(fsdp_plugin=plugin))
    suit_sharding(accelerator, torch.nn.Linear(2, 2), taught=False)
    assert plugin.mixed_precision_policy.reduce_dtype == torch.float32
    assert plugin.mixed_precision_policy.param_dtype == torch.bfloat16

"""Sequences that ranks share: what is refused.  `test_ranks` has their gradients."""

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
transformers = pytest.importorskip("transformers", reason="needs the train extra")

from tests.support.sequence_run import grouped, hybrid  # noqa: E402
from tests.trainers.dppo.test_trainer import config, policy  # noqa: E402
from tmax_gym.errors import TrainingError  # noqa: E402
from tmax_trainers.dppo.sequence_parallel import SequenceParallel  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def test_more_ranks_than_heads_of_keys_are_refused():
    with pytest.raises(TrainingError, match="does not divide every number of heads"):
        SequenceParallel(grouped(), 4)


def test_a_number_of_processes_that_cannot_be_grouped_is_refused():
    with pytest.raises(TrainingError, match="number of processes, 1"):
        SequenceParallel(policy(), 2)


def test_sliding_windows_are_refused():
    model = grouped()
    model.config.layer_types = ["full_attention", "sliding_attention"]
    with pytest.raises(TrainingError, match="layers of sliding_attention"):
        SequenceParallel(model, 2)


def test_recurrent_layers_with_adapters_are_refused():
    peft = pytest.importorskip("peft")
    adapted = peft.get_peft_model(hybrid(), peft.LoraConfig(r=2, target_modules=["out_proj"]))
    with pytest.raises(TrainingError, match="Qwen3_5GatedDeltaNet with adapters"):
        SequenceParallel(adapted, 2)


def test_packed_rows_are_refused(tmp_path):
    with pytest.raises(ValueError, match="set packing=False or sequence_parallel=1"):
        config(tmp_path, packing=True, sequence_parallel=2)


@pytest.mark.parametrize("options", [{"objective": "gspo"}, {"aggregate": "sequences"}])
def test_a_loss_over_whole_sequences_is_refused(tmp_path, options):
    with pytest.raises(ValueError, match="need whole sequences on one rank"):
        config(tmp_path, sequence_parallel=2, **options)

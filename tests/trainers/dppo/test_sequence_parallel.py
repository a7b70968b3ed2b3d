"""Sequences that ranks share: the gradient of one process, and what is refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
transformers = pytest.importorskip("transformers", reason="needs the train extra")

from tests.support.sequence_run import CASES, PARTS, grouped, hybrid, metrics  # noqa: E402
from tests.trainers.dppo.test_trainer import config, gradient, policy, recorded  # noqa: E402
from tmax_gym.errors import TrainingError  # noqa: E402
from tmax_trainers.dppo.sequence_parallel import SequenceParallel  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """Return what both ranks wrote."""
    out = tmp_path_factory.mktemp("ranks")
    ended = subprocess.run(
        [sys.executable, "-m", "tests.support.sequence_run", str(out)],
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True, text=True, timeout=180,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    return [torch.load(out / f"{rank}.pt") for rank in range(2)]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_ranks_that_share_sequences_have_the_gradient_of_one_process(ranks, case, tmp_path):
    expected, _ = gradient(CASES[case][0](), recorded(), PARTS, tmp_path)
    assert expected.norm() > 1e-3
    for results in ranks:
        assert (results[case][0] - expected).abs().max() <= 1e-6


@pytest.mark.slow
def test_metrics_are_over_whole_sequences(ranks, tmp_path):
    case = "grouped"
    _, alone = gradient(grouped(), recorded(), PARTS, tmp_path, fused_head=CASES[case][1])
    assert ranks[0][case][2] == pytest.approx(metrics(alone), rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_layer_sees_half_of_the_longest_sequence(ranks, case):
    longest = max(len(sample.input_ids) for sample in recorded())
    assert [results[case][1] for results in ranks] == [-(-longest // 2)] * 2


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

"""Two gloo ranks do what one process does: copies of the weights, shared sequences, FSDP2."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from tests.support import sequence_run, sharded_run  # noqa: E402
from tests.support.sequence_run import PARTS, grouped, metrics  # noqa: E402
from tests.trainers.dppo.test_trainer import gradient, policy, recorded  # noqa: E402

pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.slow]


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the ranks have written all their results."""
    out: Path = tmp_path_factory.mktemp("ranks")
    ended = subprocess.run(
        [sys.executable, "-m", "tests.support.trainer_ranks", str(out)],
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[3])},
        stderr=subprocess.PIPE, text=True, timeout=270,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    return out


@pytest.fixture(scope="module")
def shared(ranks: Path) -> list[dict[str, Any]]:
    """Return what each rank wrote of the sequences that they share."""
    return [torch.load(ranks / "sequences" / f"{rank}.pt") for rank in range(2)]


def test_two_processes_have_the_gradient_of_one_fused_or_not(ranks, tmp_path):
    """The second process has no worker's samples and is told by the first."""
    expected, _ = gradient(policy(1), recorded(), 1, tmp_path)
    for file in (f"{rank}-{fused}.pt" for rank in range(2) for fused in (False, True)):
        assert (torch.load(ranks / "copies" / file) - expected).abs().max() <= 1e-6


@pytest.mark.parametrize("case", sequence_run.CASES)
def test_ranks_that_share_sequences_have_the_gradient_of_one_process(shared, case, tmp_path):
    make, _, _ = sequence_run.CASES[case]
    expected, _ = gradient(make(), recorded(), PARTS, tmp_path)
    assert expected.norm() > 1e-3
    for results in shared:
        assert (results[case][0] - expected).abs().max() <= 1e-6


def test_metrics_are_over_whole_sequences(shared, tmp_path):
    case = "grouped"
    _, fused, _ = sequence_run.CASES[case]
    _, alone = gradient(grouped(), recorded(), PARTS, tmp_path, fused_head=fused)
    assert shared[0][case][2] == pytest.approx(metrics(alone), rel=1e-4)


@pytest.mark.parametrize("case", sequence_run.CASES)
def test_a_layer_sees_half_of_the_longest_sequence(shared, case):
    longest = max(len(sample.input_ids) for sample in recorded())
    assert [results[case][1] for results in shared] == [-(-longest // 2)] * 2


@pytest.mark.parametrize("case", sharded_run.CASES)
def test_two_ranks_do_what_one_process_does_and_resume_to_the_same_weights(case, ranks):
    file = ranks / "sharded" / f"{case}.pt"
    results, weights, again, resumed = torch.load(file, weights_only=False)
    alone = sharded_run.Run(case)
    steps = alone.steps(sharded_run.STEPS)
    for (loss, gradients), (expected, whole) in zip(results, steps, strict=True):
        assert loss == pytest.approx(expected, abs=1e-6)
        assert gradients.keys() == whole.keys()
        for name, value in whole.items():
            assert (gradients[name] - value).abs().max() <= 1e-6, name
    for name, value in alone.weights().items():
        assert (weights[name] - value).abs().max() <= 1e-5, name
        assert torch.equal(weights[name], resumed[name]), name
    assert again[0][0] == results[-1][0]

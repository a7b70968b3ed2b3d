"""Sharded weights (FSDP2) with the fused head: two gloo ranks do what one process does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from tests.support.sharded_run import CASES, STEPS, Run  # noqa: E402

pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.slow]


@pytest.fixture(scope="module")
def ranks(tmp_path_factory) -> Path:
    """Return where the first of two ranks has written the results of all cases."""
    out: Path = tmp_path_factory.mktemp("ranks")
    ended = subprocess.run(
        [sys.executable, "-m", "tests.support.sharded_run", str(out)],
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[3])},
        stderr=subprocess.PIPE, text=True, timeout=240,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    return out


@pytest.mark.parametrize("case", CASES)
def test_two_ranks_do_what_one_process_does_and_resume_to_the_same_weights(case, ranks):
    results, weights, again, resumed = torch.load(ranks / f"{case}.pt", weights_only=False)
    alone = Run(case)
    for (loss, gradient), (expected, whole) in zip(results, alone.steps(STEPS), strict=True):
        assert loss == pytest.approx(expected, abs=1e-6)
        assert gradient.keys() == whole.keys()
        for name, value in whole.items():
            assert (gradient[name] - value).abs().max() <= 1e-6, name
    for name, value in alone.weights().items():
        assert (weights[name] - value).abs().max() <= 1e-5, name
        assert torch.equal(weights[name], resumed[name]), name
    assert again[0][0] == results[-1][0]

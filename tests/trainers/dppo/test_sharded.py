"""Sharded weights (FSDP2) with the fused head: two gloo ranks do what one process does."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from tests.support.sharded_run import CASES, STEPS, Run  # noqa: E402

pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.slow]


def ranks(case: str, out: Path) -> tuple:
    """Run a case in two ranks; return what the first one wrote."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    shared = {
        "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
        "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[3]),
    }  # fmt: skip
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.sharded_run", str(out), case],
            env=os.environ | shared | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            stderr=subprocess.PIPE, text=True,
        )
        for rank in range(2)
    ]  # fmt: skip
    for process in started:
        _, said = process.communicate(timeout=180)
        assert process.returncode == 0, said[-3000:]
    return torch.load(out / "result.pt", weights_only=False)


@pytest.mark.parametrize("case", CASES)
def test_two_ranks_do_what_one_process_does_and_resume_to_the_same_weights(case, tmp_path):
    results, weights, again, resumed = ranks(case, tmp_path)
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

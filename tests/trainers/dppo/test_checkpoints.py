"""Killed runs that resume, and the choice of checkpoints that are kept."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from tests.support.checkpoint_run import run  # noqa: E402
from tmax_gym.errors import TrainingError  # noqa: E402
from tmax_trainers.dppo import checkpoints  # noqa: E402
from tmax_trainers.dppo.checkpoints import Score  # noqa: E402

MINUTE = 60.0
ROWS = 2 * 8
"""Samples of a batch."""
STALENESS = (0, 2)
"""Steps that a sample of a killed run may be older than the policy."""


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """Return where runs are that were killed with SIGKILL after a checkpoint, by staleness."""
    out = tmp_path_factory.mktemp("killed")
    ended = subprocess.run(
        [sys.executable, "-m", "tests.support.checkpoint_run", str(out), *map(str, STALENESS)],
        cwd=Path(__file__).parents[3], env=os.environ | {"OMP_NUM_THREADS": "1"},
        stderr=subprocess.PIPE, text=True, timeout=3 * MINUTE,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    return {staleness: out / str(staleness) for staleness in STALENESS}


@pytest.mark.parametrize("staleness", STALENESS)
def test_a_killed_run_resumes_with_the_same_data(killed, tmp_path, staleness):
    """Synchronous runs even have the same weights, bit for bit."""
    out = killed[staleness]
    step, _ = checkpoints.latest(out)
    resumed, taken = run(out, step + 3, staleness, resume=True)
    whole, expected = run(tmp_path / "whole", step + 3, staleness)
    assert resumed.state.global_step == whole.state.global_step == step + 3
    assert [row[:2] for row in taken] == [row[:2] for row in expected[step * ROWS :]]
    assert len(taken) == 3 * ROWS
    if staleness == 0:
        assert taken == expected[step * ROWS :]
        for a, b in zip(resumed.model.parameters(), whole.model.parameters(), strict=True):
            assert torch.equal(a, b)


def test_the_newest_and_the_best_checkpoints_are_kept(tmp_path):
    rewards = {0: 0.1, 2: 0.3, 4: 0.7, 6: 0.7, 8: 0.2, 10: 0.5}
    asked = []

    def evaluate(step):
        asked.append(step)
        return Score(step, rewards[step], 0.0, 1.0, 8)

    run(tmp_path, 10, 0, evaluate=evaluate)
    assert asked == [0, 2, 4, 6, 8, 10]
    assert [step for step, _ in checkpoints.whole(tmp_path)] == [4, 8, 10]
    assert checkpoints.best(tmp_path) == Score(4, 0.7, 0.0, 1.0, 8)


def test_an_incomplete_checkpoint_is_ignored(tmp_path):
    run(tmp_path, 4, 0)
    assert checkpoints.latest(tmp_path)[0] == 4
    (tmp_path / "checkpoint-4" / checkpoints.MARK).unlink()
    step, path = checkpoints.latest(tmp_path)
    assert step == 2
    with pytest.raises(TrainingError, match="no complete checkpoint"):
        checkpoints.restore(None, path.with_name("checkpoint-4"))


def test_a_resumed_run_continues_its_versions(tmp_path):
    run(tmp_path, 2, 0)
    trainer, _ = run(tmp_path, 5, 0, resume=True)
    assert trainer.model_version == 6
    log = [row for row in trainer.state.log_history if "staleness/masked_tokens" in row]
    assert [row["staleness/masked_tokens"] for row in log] == [0.0] * 5
    assert all(row["policy/logp_gap"] < 1e-5 for row in log)

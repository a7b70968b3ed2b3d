"""Whole recipes on a small scale: lessons, DPPO in real sandboxes, resume, traces."""

import io
import json
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from rich.console import Console  # noqa: E402

from tests.support.coin_recipe import CoinBook, coin_recipe  # noqa: E402
from tmax_gym.errors import RecipeError, TrainingError  # noqa: E402
from tmax_gym.trajectory import from_json  # noqa: E402
from tmax_trainers.dppo import checkpoints  # noqa: E402
from tmax_trainers.recipes import files, run  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def coins(monkeypatch, native_backend):
    monkeypatch.setattr(run, "task_book", CoinBook)


def console():
    return Console(file=io.StringIO(), force_terminal=False, width=200)


def test_a_recipe_runs_to_its_end_and_resumes(coins, tmp_path):
    out = tmp_path / "run"
    screen = console()
    recipe = coin_recipe()
    first = run.train(recipe, out, console=screen)
    assert first.steps == 4
    assert [s.step for s in first.scores] == [0, 2, 4]
    assert all(s.episodes == 8 for s in first.scores)
    assert first.best is not None and first.best.reward == max(s.reward for s in first.scores[1:])
    assert files.read(out / "recipe.yaml") == recipe
    episodes = [from_json(line) for line in (out / "rollouts.jsonl").open()]
    index = [json.loads(line) for line in (out / "rollouts.index.jsonl").open()]
    batch = 2 * 8
    assert len(episodes) == len(index) >= 4 * batch
    # Nothing holds back the batch after the last step: on a slow machine it may be complete before
    # the run stops, but no second one can be, as its policy would be too old.
    assert len(episodes) - 4 * batch in (0, batch)
    assert all(e.ending.graded and e.tokens is None for e in episodes)
    assert {e.reward for e in episodes} == {0.0, 1.0}
    for row, episode in zip(index, episodes, strict=True):
        assert (row["advantage"] > 0) == (episode.reward == 1.0)
    assert "step 4 of 4" in screen.file.getvalue()
    with pytest.raises(TrainingError, match="checkpoints of another run"):
        run.train(recipe, out, console=screen)
    again = run.train(coin_recipe("optimization.steps=5"), out, resume=True, console=screen)
    assert again.steps == 5
    assert [s.step for s in again.scores] == [5]
    assert checkpoints.latest(out)[0] == 5


def test_adapters_alone_are_trained_and_the_engine_has_their_sum(coins, tmp_path):
    recipe = coin_recipe("model.lora.rank=4", "optimization.steps=2", "saving.evaluate_every=0")
    outcome = run.train(recipe, tmp_path, console=console())
    assert outcome.steps == 2
    log = json.loads((tmp_path / "checkpoint-2/trainer_state.json").read_text())["log_history"]
    steps = [row for row in log if "policy/logp_gap" in row]
    assert len(steps) == 2
    # The engine samples from base + adapters; without adapters, step 2 would show a gap.
    assert all(row["policy/logp_gap"] < 1e-4 for row in steps)
    assert (tmp_path / "checkpoint-2/adapter_model.safetensors").is_file()


def test_a_tiny_hybrid_is_trained(coins, tmp_path):
    recipe = coin_recipe(
        "model.init=tiny_qwen3_5", "model.layers=4", "optimization.steps=1",
        "saving.evaluate_every=0", "rollouts.group_size=4", "rollouts.turn_tokens=10",
    )  # fmt: skip
    outcome = run.train(recipe, tmp_path, console=console())
    assert outcome.steps == 1
    log = json.loads((tmp_path / "checkpoint-1/trainer_state.json").read_text())["log_history"]
    assert log[0]["policy/logp_gap"] < 1e-3
    assert log[0]["grad_norm"] > 0


class Shifted:
    """An engine that reports other log-probabilities than it samples with."""

    def __init__(self, engine, shift):
        self._engine, self._shift = engine, shift

    def __getattr__(self, name):
        return getattr(self._engine, name)

    def generate(self, requests):
        return [
            replace(c, logprobs=tuple(p - self._shift for p in c.logprobs))
            for c in self._engine.generate(requests)
        ]


@pytest.mark.parametrize("shift", [0.0, 0.2])
def test_a_run_whose_engine_disagrees_is_stopped_and_no_other(shift, coins, tmp_path, monkeypatch):
    real = run.engine_of
    monkeypatch.setattr(run, "engine_of", lambda *args: Shifted(real(*args), shift))
    recipe = coin_recipe("optimization.steps=1", "saving.checkpoint_every=0",
                         "saving.evaluate_every=0", "watching.stop_logp_gap=0.05",
                         "rollouts.max_staleness=2")  # fmt: skip
    if not shift:
        (row,) = run.train(recipe, tmp_path, console=console()).log
        assert row["policy/present_gap"] < 1e-4
        assert row["policy/present_tokens_total"] >= 100
        return
    with pytest.raises(TrainingError, match=r"mean \|log π − log μ\| 0\.2"):
        run.train(recipe, tmp_path, console=console())
    assert "tmax-batches" not in {thread.name for thread in threading.enumerate()}


def test_resuming_without_a_checkpoint_is_refused(tmp_path):
    with pytest.raises(TrainingError, match="holds no whole checkpoint"):
        run.train(coin_recipe(), tmp_path, resume=True, console=console())


def test_a_model_that_is_absent_is_refused_with_the_remedy(coins, tmp_path):
    recipe = coin_recipe(f"model.init={tmp_path}/nowhere")
    with pytest.raises(RecipeError, match=r"--set model\.init="):
        run.train(recipe, tmp_path, console=console())


def test_a_dry_run_prints_everything_and_runs_nothing(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tmax_trainers.cli.train", "tmax_9b", "--dry-run",
         "--set", "seed=7", "--out", str(tmp_path / "run")],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "seed: 7" in done.stdout
    assert "8 groups x 32 = 256 episodes; 500 steps = 128,000 episodes" in done.stdout
    assert "accelerate launch --config_file" in done.stdout
    assert not (tmp_path / "run").exists()


def test_a_mistake_on_the_command_line_is_one_sentence(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tmax_trainers.cli.train", "tmax_9", "--dry-run"],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1
    assert "Did you mean" in done.stderr and "Traceback" not in done.stderr

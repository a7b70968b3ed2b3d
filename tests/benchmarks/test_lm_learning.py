"""The benchmark of a language model's learning: stopped runs go on, ended ones are read."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from rich.console import Console  # noqa: E402

from benchmarks import lm_learning  # noqa: E402
from tests.support.coin_recipe import CoinBook, coin_recipe  # noqa: E402
from tmax_gym.bench.running.datasets import Selection, open_dataset  # noqa: E402
from tmax_gym.tasks import catalogue  # noqa: E402
from tmax_trainers.recipes import run  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def test_a_run_goes_on_where_it_was_stopped_and_is_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "task_book", CoinBook)
    console = Console(file=io.StringIO())
    stopped, whole = coin_recipe("optimization.steps=2"), coin_recipe("optimization.steps=4")
    first = lm_learning.learned(stopped, tmp_path, console=console)
    second = lm_learning.learned(whole, tmp_path, console=console)
    assert [score["step"] for score in first["held_out"]] == [0, 2]
    assert [score["step"] for score in second["held_out"]] == [0, 2, 4]
    assert second["practice_rewards"][:2] == first["practice_rewards"]
    assert len(second["practice_rewards"]) == 4
    assert second["rise"] == second["held_out"][2]["reward"] - first["held_out"][0]["reward"]
    monkeypatch.setattr(lm_learning, "train", None)  # an ended run is read
    assert lm_learning.learned(whole, tmp_path, console=console) == second


@pytest.mark.parametrize("kind", lm_learning.KINDS)
def test_its_tasks_are_enough_take_one_command_and_are_not_practised(kind: str) -> None:
    tasks = lm_learning.recipe_of(kind, 0, model=Path("model"), steps=20).tasks
    chosen = {
        split: {
            item.name
            for item in open_dataset("tmax", Selection(split=split), backend="native").items
            if dict(item.tags)["family"] in tasks.families
            and dict(item.tags)["difficulty"] in tasks.complexity
        }
        for split in (tasks.split, tasks.held_out_split)
    }
    practised, held_out = chosen[tasks.split], chosen[tasks.held_out_split]
    assert len(practised) >= 300 and len(held_out) >= tasks.held_out
    assert not practised & held_out
    assert {catalogue.spec(name).steps for name in practised | held_out} == {1}


def test_results_of_the_other_kind_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "lm_learning.json"
    assert lm_learning.kept("lora", file) == []
    runs = [{"kind": "full", "seed": 0}, {"kind": "lora", "seed": 0}, {"kind": "full", "seed": 1}]
    file.write_text(json.dumps({"runs": runs}))
    assert lm_learning.kept("lora", file) == [runs[0], runs[2]]
    assert lm_learning.kept("", file) == []

"""Blind trials: the stored counts are those of the trials, and few trials are smoothed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tmax_gym.tasks import catalogue, folder
from tmax_gym.tasks.curriculum import blind_trials
from tmax_gym.tasks.curriculum.blind_trials import Tried, family_rates, smoothed

ROWS = Path(__file__).parents[2] / "benchmarks" / "results" / "blind_trials.jsonl"


def test_stored_counts_are_those_of_the_trials() -> None:
    rows = [json.loads(line) for line in ROWS.read_text().splitlines()]
    for axis, counts in blind_trials.stored().items():
        labels = [getattr(catalogue.spec(row["task"]), axis) for row in rows]
        right = Counter(
            label for label, row in zip(labels, rows, strict=True) if row["reward"] == 1.0
        )
        assert {label: tried.trials for label, tried in counts.items()} == Counter(labels)
        assert all(tried.solved == right[label] for label, tried in counts.items())
        commands = sum(tried.commands * tried.trials for tried in counts.values())
        # Means are stored with two decimals.
        assert commands == pytest.approx(sum(row["commands"] for row in rows), abs=2)


def test_counts_survive_being_stored(tmp_path: Path) -> None:
    blind_trials.write(blind_trials.stored(), tmp_path / "one.json")
    assert (tmp_path / "one.json").read_bytes() == (folder.root() / blind_trials.FILE).read_bytes()


def test_one_failure_in_few_trials_lowers_a_rate_less_than_by_its_share() -> None:
    tried = Tried(trials=3, solved=2, commands=1.0)
    # (2 + 2 * 0.9) / (3 + 2)
    assert smoothed(tried, 0.9) == pytest.approx(0.76)
    assert tried.rate < smoothed(tried, 0.9) < 0.9


def test_a_family_without_trials_has_the_mean_rate_of_all() -> None:
    counts = {"family": {"a": Tried(4, 4, 1.0), "b": Tried(4, 2, 1.0)}}
    assert family_rates(["b", "new"], counts) == pytest.approx({"b": 3.5 / 6, "new": 0.75})


def test_without_any_trials_all_families_have_the_same_rate() -> None:
    assert family_rates(["a", "b"], {"family": {}}) == {"a": 1.0, "b": 1.0}

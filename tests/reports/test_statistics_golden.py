"""The published trials: how they are read, and that their figures are reproduced."""

import csv
from collections import Counter

import pytest

from benchmarks import golden_statistics as golden

HEAD = ("model", "task", "trial", "started_at", "reward", "exception", "bootstrap_failure")


def row(*values: str) -> dict[str, str]:
    return dict(zip(HEAD, ("m", "t", *values), strict=True))


def test_a_zero_that_no_test_earned_is_ungraded() -> None:
    rows = [
        row("e", "5", "0.0", "", "1"),
        row("d", "4", "1.0", "AgentTimeoutError", "0"),
        row("c", "3", "", "CancelledError", "0"),
        row("b", "2", "", "", "0"),
        row("a", "1", "0.0", "", "0"),
    ]
    run = golden.run_of("m", rows)
    assert [(t.attempt, str(t.ending), t.reward) for t in run.trials] == [
        (1, "submitted", 0.0),
        (2, "ungraded", None),
        (3, "cancelled", None),
        (4, "time_limit", 1.0),
        (5, "ungraded", None),
    ]
    assert golden.zeros(rows) == 1


def test_the_published_figures_are_found_again() -> None:
    if not golden.TRIALS.is_file():
        pytest.skip("the published trials (tb2_trials.csv) are not here")
    rows = list(csv.DictReader(golden.TRIALS.read_text(encoding="utf-8").splitlines()))
    runs = {name: golden.run_of(name, rows) for name in golden.PUBLISHED}
    figures = [*golden.of_models(runs, rows), *golden.of_pairs(runs)]
    assert [figure for figure in figures if not figure.same] == []
    assert len(figures) == 8 * 6 + 1 + 4 * 3
    assert golden.zeros(rows) == 254
    found: Counter[str] = Counter()
    for run in runs.values():
        found.update(dict(run.endings))
    # 254 zeros and 30 trials that say nothing at all.
    assert found == {
        "submitted": 2971,
        "time_limit": 285,
        "ungraded": 284,
        "cancelled": 14,
        "infra_error": 3,
        "verifier_error": 3,
    }

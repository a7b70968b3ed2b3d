"""`compare` and `tmax compare`: refusals, exit codes and output."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tmax_gym.errors import ResultsError
from tmax_gym.reports.statistics import Rule, Run, Trial, by_tag, compare, mean, write_run
from tmax_gym.trajectory import Ending

TMAX = (sys.executable, "-c", "from tmax_gym.cli import main; main()", "compare")

Table = Mapping[str, Sequence[float | None]]


def run_of(name: str, table: Table, *, digest: str = "1") -> Run:
    return Run(
        name,
        tuple(
            Trial(
                task,
                n,
                reward,
                Ending.UNGRADED if reward is None else Ending.SUBMITTED,
                digest and f"{task}-{digest}",
                (("difficulty", "easy" if task < "t3" else "hard"),),
            )
            for task, row in table.items()
            for n, reward in enumerate(row)
        ),
    )


def level(value: float, *, tasks: int = 6) -> dict[str, list[float | None]]:
    """Tasks of different difficulty around a mean, two attempts each."""
    return {f"t{n}": [value + (n - (tasks - 1) / 2) / 50] * 2 for n in range(tasks)}


def test_changed_tasks_are_refused_by_name() -> None:
    old = run_of("old", level(0.5))
    new = Run("new", (*run_of("new", level(0.5)).trials[2:], Trial("t0", 0, 1.0, digest="other")))
    with pytest.raises(ResultsError) as raised:
        compare(old, new)
    message = str(raised.value)
    assert "1 of 6 tasks changed between them: t0 (t0-1 became other)" in message
    assert message.startswith("cannot compare old with new")


def test_a_changed_task_is_refused_even_if_nobody_graded_it() -> None:
    lost = Run("b", (*run_of("b", level(0.5)).trials[2:],
                     Trial("t0", 0, None, Ending.CANCELLED, "other")))  # fmt: skip
    with pytest.raises(ResultsError, match="t0"):
        compare(run_of("a", level(0.5)), lost)


def test_tasks_without_a_digest_are_compared_and_listed() -> None:
    bare = run_of("bare", level(0.5), digest="")
    assert compare(bare, bare).unchecked == tuple(f"t{n}" for n in range(6))
    assert compare(run_of("a", level(0.5)), bare).unchecked == tuple(f"t{n}" for n in range(6))


def test_runs_without_a_graded_task_in_common_are_refused() -> None:
    with pytest.raises(ResultsError, match=r"no task is graded in both \(1 graded.*1 in"):
        compare(run_of("a", {"x": [1.0]}), run_of("b", {"y": [1.0], "x": [None]}))


def test_lost_tasks_are_listed_and_move_nothing() -> None:
    a = run_of("a", {"t0": [1.0], "t1": [0.0], "t2": [1.0], "t4": [None]})
    b = run_of("b", {"t0": [1.0], "t1": [None], "t3": [0.0], "t4": [0.0]})
    comparison = compare(a, b)
    assert (comparison.lost, comparison.gained) == (("t1", "t2"), ("t3", "t4"))
    assert comparison.paired.difference.count == 1
    assert comparison.lost_share == pytest.approx(2 / 3)
    assert comparison.ungraded == (1, 1)


def test_ungraded_trials_bound_the_difference() -> None:
    comparison = compare(run_of("a", {"t0": [1.0, None]}), run_of("b", {"t0": [0.5, None]}))
    assert comparison.paired.difference.mean == -0.5
    # (0.5 + 0) / 2 - (1 + 1) / 2 and (0.5 + 1) / 2 - (1 + 0) / 2.
    assert (comparison.lowest, comparison.highest) == (-0.75, 0.25)


@pytest.mark.parametrize(
    ("drop", "allowed", "held"),
    [(0.1, 0.1, True), (0.1, 0.099, False), (0.1, 0.2, True), (0.0, 0.0, True), (-0.1, 0.0, True)],
)
def test_a_drop_of_just_what_is_allowed_is_allowed(drop: float, allowed: float, held: bool) -> None:
    comparison = compare(run_of("a", level(0.8)), run_of("b", level(0.8 - drop)))
    # The same drop everywhere: the interval is a point, and all rules agree.
    assert [comparison.held(allowed, rule=rule) for rule in Rule] == [held] * 3


def test_rules_look_at_the_mean_and_at_either_end() -> None:
    a = run_of("a", {f"t{n}": [0.5] for n in range(30)})
    b = run_of("b", {f"t{n}": [0.3 if n % 3 else 0.8] for n in range(30)})
    comparison = compare(a, b)
    seen = comparison.paired.difference
    assert comparison.drop() == pytest.approx(1 / 30)
    proven, possible = comparison.drop(Rule.PROVEN), comparison.drop(Rule.POSSIBLE)
    assert proven == -seen.high < comparison.drop() < possible
    assert [comparison.held(0.02, rule=rule) for rule in Rule] == [False, True, False]
    assert comparison.held(0.2, rule=Rule.POSSIBLE)


def test_a_threshold_makes_rewards_zeros_and_ones() -> None:
    a, b = run_of("a", {"t0": [0.5, 0.9]}), run_of("b", {"t0": [0.4, 0.6]})
    assert compare(a, b, threshold=0.5).paired.difference.mean == -0.5
    assert compare(a, b, threshold=0.95).paired.difference.mean == 0.0


def test_shown_means_are_of_what_is_compared(runs: tuple[Path, Path]) -> None:
    lines = tmax(*runs, "--threshold", "0.75").stdout.splitlines()
    assert [line.split(": ")[1][:6] for line in lines[:2]] == ["1.0000", "0.1667"]
    assert lines[2].startswith("B - A  -0.8333")


def test_parts_are_compared_by_tag() -> None:
    a = run_of("a", level(0.5))
    b = run_of("b", {task: [x and x + 0.1 for x in row] if task < "t3" else row
                     for task, row in level(0.5).items()})  # fmt: skip
    parts = dict(by_tag(a, b, "difficulty"))
    assert parts["easy"].paired.difference.mean == pytest.approx(0.1)
    assert parts["hard"].paired.difference.mean == 0.0
    assert [value for value, _ in by_tag(a, b, "colour")] == [""]


maybe = st.dictionaries(
    st.sampled_from(("t0", "t1", "t2", "t3")),
    st.lists(st.none() | st.sampled_from((0.0, 0.25, 1.0)), min_size=1, max_size=3),
    min_size=1,
)


@settings(max_examples=40)
@given(maybe, maybe)
def test_a_comparison_is_of_the_means_over_common_tasks(one: Table, other: Table) -> None:
    a, b = run_of("a", one), run_of("b", other)
    both = a.rewards().keys() & b.rewards().keys()
    if not both:
        with pytest.raises(ResultsError):
            compare(a, b)
        return
    comparison = compare(a, b)
    means = [mean({t: r for t, r in run.rewards().items() if t in both}).value for run in (a, b)]
    assert comparison.paired.difference.mean == pytest.approx(means[1] - means[0])
    assert {*comparison.lost, *both} == set(a.rewards())
    assert {*comparison.gained, *both} == set(b.rewards())
    assert comparison.lowest <= comparison.highest


# The command


def tmax(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*TMAX, *map(str, arguments)], capture_output=True, text=True, timeout=60)


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    for name, value in (("a", 0.8), ("b", 0.7)):
        (tmp_path / name).mkdir()
        write_run(tmp_path / name / "trials.jsonl", run_of(name, level(value)))
    return tmp_path / "a", tmp_path / "b"


def test_without_a_limit_a_comparison_is_only_shown(runs: tuple[Path, Path]) -> None:
    ended = tmax(*runs, "--by", "difficulty", "--detect", "0.01")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "B - A  -0.1000  95 % [-0.1000, -0.1000]  p = 0.0312  over 6 tasks" in ended.stdout
    assert "12 of 12 trials graded, 6 of 6 tasks" in ended.stdout
    assert "difficulty easy: -0.100" in ended.stdout and "difficulty hard" in ended.stdout
    # The drop is the same everywhere, so that one task shows it.
    assert "show 0.01 4 times in 5: 1 x 1, 1 x 2" in ended.stdout


def test_a_drop_that_is_too_large_ends_with_1(runs: tuple[Path, Path]) -> None:
    ended = tmax(*runs, "--max-drop", "0.05")
    assert ended.returncode == 1
    assert ended.stdout.splitlines()[-1] == "dropped: observed drop +0.1000, allowed 0.05"


def test_a_drop_within_the_limit_ends_with_0_and_json_says_so(runs: tuple[Path, Path]) -> None:
    ended = tmax(*runs, "--max-drop", "0.1", "--rule", "possible", "--json")
    row = json.loads(ended.stdout)
    assert ended.returncode == 0
    assert row["verdict"] == "held: possible drop +0.1000, allowed 0.1"
    assert row["paired"]["difference"]["count"] == 6
    assert row["held"] is True


def test_what_cannot_be_compared_ends_with_2(runs: tuple[Path, Path]) -> None:
    write_run(runs[1] / "trials.jsonl", run_of("b", level(0.7), digest="2"))
    ended = tmax(*runs, "--max-drop", "0.5")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "6 of 6 tasks changed" in ended.stderr


def test_lost_tasks_fail_a_gate_until_they_are_allowed(runs: tuple[Path, Path]) -> None:
    table = level(0.8)
    table["t5"] = [None, None]
    write_run(runs[1] / "trials.jsonl", run_of("b", table))
    refused = tmax(*runs, "--max-drop", "0.5")
    assert refused.returncode == 2
    assert "no graded trial of 1 of the tasks" in refused.stdout + refused.stderr
    assert "t5" in refused.stdout
    allowed = tmax(*runs, "--max-drop", "0.5", "--max-lost", "0.2")
    assert allowed.returncode == 0
    assert "ungraded trials: 0 in A, 2 in B" in allowed.stdout

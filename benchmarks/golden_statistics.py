"""Compare our statistics with the published figures of 3,560 trials on Terminal-Bench 2.0.

The trials are those of the TMax evaluation: 8 models, 89 tasks, 5 attempts each.  Published
figures count every trial without a reward as 0, and so does the first table here.  The second
table leaves out trials that no test graded, as we do everywhere else.

The file of trials is not part of this repository.  Without it the script says so and ends.

    python benchmarks/golden_statistics.py [--trials tb2_trials.csv] [--json]
"""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.script import Target, finish, options
from tmax_gym.reports.statistics import (
    Run,
    RunSummary,
    Trial,
    compare,
    mean,
    paired,
    passing,
    summarise,
)
from tmax_gym.trajectory import Ending

TRIALS = Path(__file__).parents[2] / "shared" / "data" / "tb2_trials.csv"

KS = (2, 4, 5)
PUBLISHED = {
    "Qwen3.5-2B": (2.25, 1.33, (3.0, 4.0, 4.5), 43),
    "tmax-2b": (2.92, 1.48, (4.0, 5.2, 5.6), 9),
    "Qwen3.5-4B": (16.63, 3.36, (21.6, 25.8, 27.0), 32),
    "tmax-4b": (18.88, 3.73, (22.7, 25.8, 27.0), 38),
    "Qwen3.5-9B": (21.12, 3.61, (27.6, 32.4, 33.7), 30),
    "tmax-9b": (27.19, 4.27, (31.9, 37.8, 40.4), 33),
    "Qwen3.6-27B": (39.55, 4.54, (46.7, 52.8, 55.1), 29),
    "tmax-27b": (42.70, 4.71, (48.9, 52.1, 52.8), 40),
}
"""In percent: mean, its error over tasks, and pass@2/4/5, which Harbor stored with the trials;
then zeros that no test earned, found by reading what the verifiers printed."""
ZEROS = 254
PAIRS = {
    ("Qwen3.5-2B", "tmax-2b"): (0.7, -0.4, 2.5),
    ("Qwen3.5-4B", "tmax-4b"): (2.2, -2.5, 7.2),
    ("Qwen3.5-9B", "tmax-9b"): (6.1, 0.7, 11.2),
    ("Qwen3.6-27B", "tmax-27b"): (3.1, -1.1, 7.6),
}
"""Difference and 95 % interval in points, by another program's bootstrap over tasks."""
ROUNDED = 0.05
"""Points: half a unit of a figure that was printed to 0.1."""
STEP = 100 * 0.2 / 89
"""Points between two values that a mean over 89 tasks of 5 zeros and ones can have; other random
numbers move the end of an interval by one of them."""

ENDINGS = {
    "AgentTimeoutError": Ending.TIME_LIMIT,
    "CancelledError": Ending.CANCELLED,
    "DaytonaError": Ending.INFRA_ERROR,
    "VerifierTimeoutError": Ending.VERIFIER_ERROR,
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as it was published, and as we compute it."""

    what: str
    published: float
    found: float
    slack: float

    @property
    def same(self) -> bool:
        """Whether they agree, rounding allowed for."""
        return abs(self.published - self.found) <= self.slack + 1e-9


def main() -> int:
    """Compare, write the results, return 1 if a figure differs."""
    given = options(__doc__, trials=TRIALS)
    if not given.trials.is_file():
        print(json.dumps({"skipped": f"there is no {given.trials}; name it with --trials"}))
        return 0
    rows = list(csv.DictReader(given.trials.read_text(encoding="utf-8").splitlines()))
    runs = {name: run_of(name, rows) for name in PUBLISHED}
    figures = [*of_models(runs, rows), *of_pairs(runs)]
    summaries = {name: summarise(run, ks=KS) for name, run in runs.items()}
    same = sum(figure.same for figure in figures)
    targets = {"published_figures_found_again": Target(same, len(figures), at_most=False)}
    results = {
        "figures": [asdict(figure) for figure in figures],
        "graded": {name: asdict(summary) for name, summary in summaries.items()},
        "notes": [f"{len(rows)} trials, of which {zeros(rows)} were scored 0 without any test"],
    }
    lines = [*as_published(figures), "", *as_graded(runs, summaries, rows)]
    return finish("golden_statistics", results, targets, given, lines)


def zeros(rows: list[dict[str, str]], model: str | None = None) -> int:
    """Return how many trials have a reward although no test ran: the verifier did not start."""
    return sum(
        bool(row["reward"]) and row["bootstrap_failure"] == "1"
        for row in rows
        if model in (None, row["model"])
    )


def run_of(model: str, rows: list[dict[str, str]]) -> Run:
    """Return the trials of one model; attempts are counted in the order of their start."""
    attempts: dict[str, int] = {}
    trials = []
    mine = (row for row in rows if row["model"] == model)
    for row in sorted(mine, key=lambda row: (row["started_at"], row["trial"])):
        task = row["task"]
        attempts[task] = attempts.get(task, 0) + 1
        reward: float | None = float(row["reward"]) if row["reward"] else None
        if row["bootstrap_failure"] == "1":
            reward, ending = None, Ending.UNGRADED
        elif row["exception"]:
            ending = ENDINGS[row["exception"]]
        else:
            ending = Ending.UNGRADED if reward is None else Ending.SUBMITTED
        trials.append(Trial(task, attempts[task], reward, ending))
    return Run(model, tuple(trials))


def of_models(runs: dict[str, Run], rows: list[dict[str, str]]) -> list[Figure]:
    """Return the figures of single models, with 0 for ungraded trials."""
    figures = []
    for name, (value, error, rates, ungraded) in PUBLISHED.items():
        rewards = runs[name].rewards(ungraded=0.0)
        average = mean(rewards)
        figures.append(Figure(f"{name} mean", value, 100 * average.value, 0.005))
        figures.append(Figure(f"{name} error", error, 100 * (average.task_se or 0.0), 0.005))
        for k, rate in zip(KS, rates, strict=True):
            passed = passing(rewards, k)
            share = 100 * passed.rate.mean if passed else float("nan")
            figures.append(Figure(f"{name} pass@{k}", rate, share, ROUNDED))
        ungraded_trials = dict(runs[name].endings).get(Ending.UNGRADED, 0)
        silent = sum(
            not (row["reward"] or row["exception"]) for row in rows if row["model"] == name
        )
        figures.append(Figure(f"{name} ungraded zeros", ungraded, ungraded_trials - silent, 0))
    total = sum(figure.found for figure in figures if figure.what.endswith("zeros"))
    return [*figures, Figure("ungraded zeros of all", ZEROS, total, 0)]


def of_pairs(runs: dict[str, Run]) -> list[Figure]:
    """Return the figures of differences, with 0 for ungraded trials."""
    figures = []
    for (base, tuned), published in PAIRS.items():
        change = paired(*(runs[name].rewards(ungraded=0.0) for name in (base, tuned))).difference
        ends = zip(
            ("", " low", " high"), published, (change.mean, change.low, change.high), strict=True
        )
        for what, was, value in ends:
            slack = ROUNDED + (STEP if what else 0.0)
            figures.append(Figure(f"{tuned} - {base}{what}", was, 100 * value, slack))
    return figures


def as_published(figures: list[Figure]) -> list[str]:
    """Return the first table."""
    lines = [f"{'every ungraded trial as 0':40} {'published':>10} {'found':>8}"]
    for figure in figures:
        verdict = "" if figure.same else "  DIFFERS"
        lines.append(f"{figure.what:40} {figure.published:10.2f} {figure.found:8.2f}{verdict}")
    return lines


def as_graded(
    runs: dict[str, Run], summaries: dict[str, RunSummary], rows: list[dict[str, str]]
) -> list[str]:
    """Return the second table: graded trials only, with bounds for the others."""
    lines = [
        f"{'graded trials only':14} {'mean ± tasks ± attempts':>26} {'95 %':>16} "
        f"{'ungraded: zeros, none':>22} {'bounds':>14} {'flaky':>6}"
    ]
    for name, summary in summaries.items():
        if (of := summary.reward) is None:
            continue
        errors = " ± ".join("?" if e is None else f"{100 * e:.2f}" for e in (of.task_se, of.run_se))
        low, high = 100 * of.interval.low, 100 * of.interval.high
        fake = zeros(rows, name)
        lines.append(
            f"{name:14} {f'{100 * of.value:.2f} ± {errors}':>26} {f'[{low:.1f}, {high:.1f}]':>16} "
            f"{f'{fake}, {summary.bounds.trials - fake}':>22} "
            f"{f'{100 * summary.bounds.low:.1f} - {100 * summary.bounds.high:.1f}':>14} "
            f"{len(summary.flaky):6}"
        )
    lines += ["", f"{zeros(rows)} of {len(rows)} trials were scored 0 although no test ran", ""]
    for base, tuned in PAIRS:
        result = compare(runs[base], runs[tuned])
        change = result.paired.difference
        lines.append(
            f"{f'{tuned} - {base}':26} {100 * change.mean:+.1f} "
            f"[{100 * change.low:+.1f}, {100 * change.high:+.1f}] p = {result.paired.p:.3f}, "
            f"{change.count} tasks; detectable {100 * (result.smallest or 0):.1f}; "
            f"with any grades {100 * result.lowest:+.1f} to {100 * result.highest:+.1f}"
        )
    return lines


if __name__ == "__main__":
    sys.exit(main())

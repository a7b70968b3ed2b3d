"""Tables of runs: results with errors, by tag, flaky tasks, comparisons, costs.

Every figure comes from `reports/statistics`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import fsum

from tmax_gym.bench.records import TrialRecord, Usage, run_of
from tmax_gym.bench.reports.loading import LoadedRun
from tmax_gym.errors import ResultsError
from tmax_gym.reports import statistics
from tmax_gym.reports.page import Table
from tmax_gym.reports.statistics import Interval, RunSummary
from tmax_gym.reports.statistics.passes import SOLVED

NOTHING = "–"
KS = (1, 2, 3, 4, 5, 8, 10)
FLAKY_SHOWN = 10
PAIRS = 12


def overview(name: str, records: Sequence[TrialRecord]) -> Iterator[str]:
    """Yield the last lines of `tmax bench`."""
    if not records:
        yield f"{name}: no trial has ended"
        return
    summary = statistics.summarise(run_of(name, records))
    if (mean := summary.reward) is None:
        yield f"{name}: {summary.trials} trials, none graded"
    else:
        yield (
            f"{name}: {mean.value:.4f} ± {number(mean.task_se)} (tasks) ± {number(mean.run_se)} "
            f"(attempts), 95 % [{mean.interval.low:.4f}, {mean.interval.high:.4f}]"
        )
    rates = ", ".join(
        f"pass{'^' if p.every else '@'}{p.k} {p.rate.mean:.3f}" for p in summary.passing
    )
    if rates:
        yield f"  {rates}"
    counts = ", ".join(f"{count} {ending}" for ending, count in summary.endings)
    yield f"  {summary.trials} trials of {summary.tasks} tasks: {counts}"
    working = fsum(record.working for record in records) / 3600
    yield f"  {working:.2f} h of work, {total_usage(records)}"


def nothing_graded(records: Sequence[TrialRecord]) -> str:
    """Return in one line why no trial has a reward; "" if one has."""
    if any(record.reward is not None for record in records):
        return ""
    if not records:
        return "nothing was graded: there was no trial"
    endings = Counter(record.ending for record in records)
    reasons = Counter(" ".join(record.trajectory.message.split()) for record in records)
    counts = ", ".join(f"{count} {ending}" for ending, count in sorted(endings.items()))
    why, times = reasons.most_common(1)[0]
    often = "" if times == len(records) else f" ({times} times)"
    return f"nothing was graded: {counts}; the reason{often}: {why or 'none was given'}"


def summaries(runs: Sequence[LoadedRun], *, threshold: float = SOLVED) -> tuple[RunSummary, ...]:
    """Return the statistics of every run."""
    return tuple(statistics.summarise(run.run, ks=KS, threshold=threshold) for run in runs)


def results(runs: Sequence[LoadedRun], summaries: Sequence[RunSummary]) -> Table:
    """Return the results of all runs, one row each."""
    rows = []
    for run, s in zip(runs, summaries, strict=True):
        mean, cells = s.reward, (NOTHING,) * 4
        if mean is not None:
            errors = percent(mean.task_se), percent(mean.run_se)
            cells = (f"{100 * mean.value:.2f}", *errors, _range(mean.interval))
        row = (run.name, run.agent or NOTHING, _graded_tasks(s), *cells)
        rows.append((*row, _range(s.solved), percent(s.smallest or None)))
    head = ("run", "agent", "tasks", "mean %", "± tasks", "± attempts", "95 %", "solved", "detects")
    note = (
        "Means over tasks. ± tasks: standard error for another draw of tasks; ± attempts: for "
        "other attempts at the same tasks. 95 %: bootstrap over tasks. solved: Wilson's interval "
        "of the share of trials that solve their task, %. detects: the smallest true change, in "
        "points, that a second such run shows four times in five. Ungraded trials are left out, "
        "never zero."
    )
    return Table(head, tuple(rows), "Results", note)


def _range(interval: Interval | None) -> str:
    """Return an interval in percent, or a dash."""
    return NOTHING if interval is None else f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"


def _graded_tasks(s: RunSummary) -> str:
    graded = 0 if s.reward is None else s.reward.tasks
    return str(graded) if graded == s.tasks else f"{graded} of {s.tasks}"


def passes(
    runs: Sequence[LoadedRun], summaries: Sequence[RunSummary], *, threshold: float = SOLVED
) -> Table | None:
    """Return pass@k and pass^k of all runs; None if nothing was graded."""
    ks = sorted({(p.every, p.k) for s in summaries for p in s.passing} - {(True, 1)})
    if not ks:
        return None
    rows = []
    for run, s in zip(runs, summaries, strict=True):
        rates = {(p.every, p.k): f"{100 * p.rate.mean:.1f}" for p in s.passing}
        rows.append((run.name, *(rates.get(k, NOTHING) for k in ks)))
    head = ("run", *(f"pass{'^' if every else '@'}{k}" for every, k in ks))
    note = (
        f"% of tasks that any (@) or all (^) of k trials solve, unbiased; a reward of "
        f"{threshold:g} solves. Tasks with fewer than k graded trials are left out."
    )
    return Table(head, tuple(rows), "pass@k and pass^k", note)


def endings(runs: Sequence[LoadedRun], summaries: Sequence[RunSummary]) -> Table:
    """Return how trials ended, and the bounds of the mean if all had been graded."""
    names = sorted({ending for s in summaries for ending, _ in s.endings})
    rows = []
    for run, s in zip(runs, summaries, strict=True):
        counts = dict(s.endings)
        low, high = 100 * s.bounds.low, 100 * s.bounds.high
        bounds = f"{low:.1f} to {high:.1f}" if s.bounds.trials else NOTHING
        cells = (str(counts.get(name, 0)) for name in names)
        rows.append((run.name, str(s.trials), *cells, bounds))
    note = "The last column: bounds of the mean if the ungraded trials had been graded."
    head = ("run", "trials", *(name.replace("_", " ") for name in names), "bounds %")
    return Table(head, tuple(rows), "How trials ended", note)


def costs(runs: Sequence[LoadedRun]) -> Table:
    """Return the work, tokens and cost of every run."""
    rows = []
    for run in runs:
        used = total_usage(run.records)
        count = max(1, len(run.records))
        steps = sum(len(record.trajectory.steps) for record in run.records)
        working = fsum(record.working for record in run.records)
        rows.append(
            (
                run.name,
                f"{steps / count:.1f}",
                f"{working / count:.1f}",
                f"{working / 3600:.2f}",
                f"{used.waited / 60:.1f}",
                f"{used.input_tokens:,}",
                f"{used.output_tokens:,}",
                NOTHING if used.cost is None else f"{used.cost:.2f}",
            )
        )
    times = ("steps a trial", "seconds a trial", "hours of work", "minutes waited")
    head = ("run", *times, "tokens in", "tokens out", "dollars")
    return Table(head, tuple(rows), "What it took", "Work: thinking and commands, without waiting.")


def by_tag(runs: Sequence[LoadedRun], tag: str, *, threshold: float = SOLVED) -> Table | None:
    """Return mean rewards by the value of a tag; None if no task has it."""
    parts = [dict(statistics.breakdown(run.run, tag, threshold=threshold)) for run in runs]
    values = sorted({value for part in parts for value in part} - {""})
    if not values:
        return None
    rows = []
    for value in values:
        cells = [_cell(part.get(value)) for part in parts]
        tasks = max(part[value].tasks for part in parts if value in part)
        rows.append((value, str(tasks), *cells))
    head = (tag, "tasks", *(run.name for run in runs))
    return Table(head, tuple(rows), f"By {tag}", "Mean % ± standard error over tasks.")


def flaky(runs: Sequence[LoadedRun], summaries: Sequence[RunSummary]) -> Table | None:
    """Return the tasks that only some trials solved; None if there is none."""
    rows = [
        (f.task, run.name, f"{f.solved}/{f.trials}", f"{f.mean:.3f}")
        for run, s in zip(runs, summaries, strict=True)
        for f in s.flaky[:FLAKY_SHOWN]
    ]
    if not rows:
        return None
    head = ("task", "run", "solved", "mean reward")
    note = f"Those nearest to one half first, {FLAKY_SHOWN} of a run at most."
    return Table(head, tuple(rows), "Tasks solved now and then", note)


def pairs(runs: Sequence[LoadedRun], *, threshold: float | None = None) -> Table | None:
    """Return every run compared with those before it; None for one run."""
    rows: list[tuple[str, ...]] = []
    for n, second in enumerate(runs):
        for first in runs[:n]:
            if len(rows) < PAIRS:
                rows.append(_pair(first, second, threshold))
    if not rows:
        return None
    head = ("difference", "points", "95 %", "p", "better", "worse", "detects")
    note = (
        "Paired over the tasks that both have graded: bootstrap interval, permutation p. detects: "
        "the smallest true difference that such runs show four times in five."
    )
    return Table(head, tuple(rows), "Differences", note)


def _pair(first: LoadedRun, second: LoadedRun, threshold: float | None) -> tuple[str, ...]:
    name = f"{second.name} - {first.name}"
    try:
        result = statistics.compare(first.run, second.run, threshold=threshold)
    except ResultsError as error:
        return (name, NOTHING, str(error).splitlines()[0], *(NOTHING,) * 4)
    paired, change = result.paired, result.paired.difference
    interval = f"{100 * change.low:+.1f} to {100 * change.high:+.1f}"
    counts = (f"{paired.p:.4f}", str(paired.better), str(paired.worse))
    return (name, f"{100 * change.mean:+.2f}", interval, *counts, percent(result.smallest))


def total_usage(records: Sequence[TrialRecord]) -> Usage:
    """Return the usage of all trials together."""
    return sum((record.usage for record in records), Usage())


def _cell(part: RunSummary | None) -> str:
    if part is None or part.reward is None:
        return NOTHING
    return f"{100 * part.reward.value:.1f} ± {percent(part.reward.task_se)}"


def number(value: float | None) -> str:
    """Return a number, or a question mark for None."""
    return "?" if value is None else f"{value:.4f}"


def percent(value: float | None) -> str:
    """Return a share in percent, or a dash for None."""
    return NOTHING if value is None else f"{100 * value:.2f}"

"""`tmax compare`: compare two runs, with an exit status for CI.

Status 0: the second run is not much worse; 1: it is; 2: the runs cannot be compared.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tmax_gym.errors import BenchError, ResultsError

if TYPE_CHECKING:
    from tmax_gym.reports.statistics import Comparison, Rule, Run

DROPPED, REFUSED = 1, 2
"""Exit statuses, as those of `diff`."""


def compare(
    first: Annotated[Path, typer.Argument(help="A run, a Harbor job, or JSONL of trials.")],
    second: Annotated[Path, typer.Argument(help="Another run, which may be worse.")],
    *,
    max_drop: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Fail if the mean falls by more (0.02: two points)."),
    ] = None,
    rule: Annotated[
        Literal["observed", "proven", "possible"],
        typer.Option(
            help="Which drop counts: of the mean, or of the upper or lower end of its interval."
        ),
    ] = "observed",
    max_lost: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="With --max-drop: largest share of tasks that are ungraded only in SECOND.",
        ),
    ] = 0.0,
    threshold: Annotated[
        float | None, typer.Option(help="Count rewards of at least this as 1, others as 0.")
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Also compare by this tag, such as difficulty.")
    ] = None,
    detect: Annotated[
        float | None,
        typer.Option(
            min=0.0001, max=1, help="Print how many tasks and attempts detect such a difference."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap and the random signs.")] = 0,
    tasks: Annotated[
        int, typer.Option(min=0, help="Number of tasks to list: most changed, and most flaky.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compare two runs task by task; tasks that changed in between are refused."""
    from tmax_gym.reports import statistics

    try:
        runs = _read(first), _read(second)
        result = statistics.compare(*runs, threshold=threshold, seed=seed)
        parts = statistics.by_tag(*runs, by, threshold=threshold, seed=seed) if by else ()
    except (BenchError, ResultsError) as error:
        print(f"tmax: {error}", file=sys.stderr)
        raise typer.Exit(REFUSED) from error
    status, verdict = _verdict(result, max_drop, rule=statistics.Rule(rule), max_lost=max_lost)
    if as_json:
        judgement = {"held": status == 0 if verdict else None, "verdict": verdict}
        row = {**asdict(result), "by": {value: asdict(part) for value, part in parts}}
        print(json.dumps({**row, **judgement}, sort_keys=True))
    else:
        needed = _needed(runs, detect, threshold=threshold) if detect else ()
        named = _named(runs, tasks, threshold=threshold) if tasks else ()
        passed = _passes(runs, threshold)
        rates = (*_lines(result, runs, threshold), *passed, *_parts(by, parts))
        lines = (*rates, *named, *needed, verdict)
        print("\n".join(filter(None, lines)))
    raise typer.Exit(status)


def _read(path: Path) -> Run:
    """Return the run at a path, with the path as its name."""
    from tmax_gym.bench.reports.loading import load
    from tmax_gym.reports import statistics

    if path.is_dir() and not (path / statistics.trials.TRIALS).exists():
        return statistics.Run(str(path), load(path).run.trials)
    return statistics.read_run(path)


def _verdict(
    result: Comparison, max_drop: float | None, *, rule: Rule, max_lost: float
) -> tuple[int, str]:
    from tmax_gym.reports.statistics.comparison import named

    if max_drop is None:
        return 0, ""
    if result.lost_share > max_lost:
        return REFUSED, (
            f"refused: {result.second} has no graded trial of {len(result.lost)} of the tasks that "
            f"{result.first} has graded: {named(result.lost)}.\n"
            f"Run them again, or accept it with --max-lost {result.lost_share + 0.005:.2f}"
        )
    drop = f"{rule} drop {result.drop(rule):+.4f}, allowed {max_drop:g}"
    if result.held(max_drop, rule=rule):
        return 0, f"held: {drop}"
    return DROPPED, f"dropped: {drop}"


def _lines(result: Comparison, runs: tuple[Run, Run], threshold: float | None) -> Iterator[str]:
    from tmax_gym.reports.statistics import mean
    from tmax_gym.reports.statistics.comparison import named, scored

    for letter, run in zip("AB", runs, strict=True):
        own = mean(scored(run, threshold))
        yield (
            f"{letter}  {run.name}: {own.value:.4f} ± {_number(own.task_se)} (tasks) "
            f"± {_number(own.run_se)} (attempts); {own.trials} of {len(run.trials)} trials graded, "
            f"{own.tasks} of {len(run.tasks)} tasks"
        )
    pair = result.paired
    change = pair.difference
    yield (
        f"B - A  {change.mean:+.4f}  95 % [{change.low:+.4f}, {change.high:+.4f}]  "
        f"p = {pair.p:.4f}  over {change.count} tasks: "
        f"{pair.better} better, {pair.worse} worse, {pair.equal} equal"
    )
    if result.smallest is not None:
        yield f"smallest difference that such runs show 4 times in 5: {result.smallest:.4f}"
    if any(result.ungraded):
        yield (
            f"ungraded trials: {result.ungraded[0]} in A, {result.ungraded[1]} in B; "
            f"graded, they could make B - A anything from {result.lowest:+.4f} "
            f"to {result.highest:+.4f}"
        )
    for what, tasks in (
        ("graded only in A", result.lost),
        ("graded only in B", result.gained),
        ("without a digest (may have changed)", result.unchecked),
    ):
        if tasks:
            yield f"tasks {what}: {len(tasks)}: {named(tasks)}"


def _passes(runs: tuple[Run, Run], threshold: float | None) -> Iterator[str]:
    from tmax_gym.reports.statistics import passing
    from tmax_gym.reports.statistics.passes import SOLVED

    at = SOLVED if threshold is None else threshold
    most = min(max(map(len, run.rewards().values()), default=0) for run in runs)
    for every, sign in ((False, "@"), (True, "^")):
        cells = []
        for k in range(2 if every else 1, most + 1):
            rates = [passing(run.rewards(), k, every=every, threshold=at) for run in runs]
            if rates[0] and rates[1]:
                cells.append(f"{k}: {rates[0].rate.mean:.3f} -> {rates[1].rate.mean:.3f}")
        if cells:
            yield f"pass{sign}k (reward {at:g} solves)  {', '.join(cells)}"


def _named(runs: tuple[Run, Run], count: int, *, threshold: float | None) -> Iterator[str]:
    from tmax_gym.reports.statistics import differences, flaky
    from tmax_gym.reports.statistics.comparison import scored
    from tmax_gym.reports.statistics.passes import SOLVED

    gained = differences(*(scored(run, threshold) for run in runs))
    ranked = sorted(gained.items(), key=lambda pair: (-abs(pair[1]), pair[0]))
    for task, difference in ranked[:count]:
        if difference:
            yield f"changed  {difference:+.4f}  {task}"
    for letter, run in zip("AB", runs, strict=True):
        tasks = flaky(run.rewards(), threshold=SOLVED if threshold is None else threshold)
        for each in tasks[:count]:
            yield f"flaky in {letter}  {each.solved} of {each.trials} solved  {each.task}"


def _needed(runs: tuple[Run, Run], difference: float, *, threshold: float | None) -> Iterator[str]:
    from tmax_gym.reports.statistics import attempts_needed, paired_components, plan
    from tmax_gym.reports.statistics.comparison import scored

    a, b = (scored(run, threshold) for run in runs)
    variances = paired_components(a, b)
    if variances is None:
        yield f"the trials that show {difference:g} are unknown without two tasks with two attempts"
        return
    ways = (f"{tasks} x {attempts}" for attempts, tasks in plan(variances, difference))
    yield f"tasks x attempts that show {difference:g} 4 times in 5: {', '.join(ways)}"
    here = len(a.keys() & b.keys())
    enough = attempts_needed(variances, difference, tasks=here)
    yield f"with these {here} tasks: {enough or 'no number of'} attempts will do"


def _parts(by: str | None, parts: tuple[tuple[str, Comparison], ...]) -> Iterator[str]:
    for value, part in parts:
        pair = part.paired
        yield (
            f"{by} {value or '(none)'}: {pair.difference}, p = {pair.p:.4f}, "
            f"{pair.difference.count} tasks"
        )


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:.4f}"

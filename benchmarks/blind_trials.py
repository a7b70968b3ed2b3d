"""Report how a strong language model did on tasks from the instruction and the shell alone.

The trials were played once; `results/blind_trials.jsonl` has a row for each: the task, the round,
the reward, the commands, and for a reward below 1 whose fault it was (`text`, `check` or `solver`)
with a note.  Faults of texts and checks of the first round were mended before the second one.  The
third round is of tasks whose texts were reworded after the second.
Counts by family, complexity and domain go to `env_specs/blind_trials.json`, which `tmax analyze`
and the curriculum read.

    python benchmarks/blind_trials.py [--json]
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from benchmarks.script import RESULTS, Target, finish, options
from tmax_gym.reports.statistics.intervals import wilson
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.curriculum import blind_trials

Row = dict[str, Any]
FILE = RESULTS / "blind_trials.jsonl"
FAULTS = ("text", "check", "solver")
LAST = 3
"""The round after which no fault of text or check may be left."""


def trials() -> list[Row]:
    """Return all trials."""
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def grouped(rows: Iterable[Row], key: Callable[[Row], str]) -> Iterator[tuple[str, list[Row]]]:
    """Yield rows by a label, the labels in order."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    yield from sorted(groups.items())


def labels(axis: str) -> Callable[[Row], str]:
    """Return what tells the label of a trial's task on an axis of the catalogue."""
    return lambda row: str(getattr(catalogue.spec(row["task"]), axis))


def tried(rows: list[Row]) -> blind_trials.Tried:
    """Return the counts of trials."""
    return blind_trials.Tried(
        trials=len(rows),
        solved=sum(row["reward"] == 1.0 for row in rows),
        commands=round(statistics.fmean(row["commands"] for row in rows), 2),
    )


def line(label: str, rows: list[Row]) -> str:
    """Return a line of the table."""
    solved = sum(row["reward"] == 1.0 for row in rows)
    low, high = wilson(solved / len(rows), len(rows))
    mean = statistics.fmean(row["reward"] for row in rows)
    commands = statistics.median(row["commands"] for row in rows)
    faults = "  ".join(f"{sum(row['fault'] == kind for row in rows):>6}" for kind in FAULTS)
    return (
        f"{label:<34} {len(rows):>6}  {solved / len(rows):.2f} [{low:.2f}, {high:.2f}]  "
        f"{mean:>6.3f}  {commands:>8.1f}  {faults}"
    )


def tables(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of the tables: by round, complexity and domain."""
    yield f"{'':<34} {'trials':>6}  {'solved':<17}  {'reward':>6}  {'commands':>8}  " + "  ".join(
        f"{kind:>6}" for kind in FAULTS
    )
    yield from (
        line(f"round {label}", some) for label, some in grouped(rows, lambda r: str(r["round"]))
    )
    for axis in ("complexity", "domain"):
        yield from (line(label, some) for label, some in grouped(rows, labels(axis)))
    yield line("all", rows)


def main() -> int:
    """Print the tables, store the figures, return 1 if a target is missed."""
    given = options(__doc__)
    rows = trials()
    counts = {
        axis: {label: tried(some) for label, some in grouped(rows, labels(axis))}
        for axis in blind_trials.AXES
    }
    blind_trials.write(counts)
    last = [row for row in rows if row["round"] == LAST]
    left = sum(row["fault"] in ("text", "check") for row in last)
    unexplained = sum(row["reward"] < 1.0 and row["fault"] not in FAULTS for row in rows)
    targets = {
        "trials": Target(len(rows), 300, at_most=False),
        "trials_of_the_last_round": Target(len(last), 100, at_most=False),
        "faults_of_text_or_check_in_the_last_round": Target(left, 0),
        "rewards_below_one_without_a_cause": Target(unexplained, 0),
    }
    solved = statistics.fmean(row["reward"] == 1.0 for row in rows)
    return finish("blind_trials", {"solved": round(solved, 4)}, targets, given, list(tables(rows)))


if __name__ == "__main__":
    sys.exit(main())

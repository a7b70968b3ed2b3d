"""Format the comparison with peers: tables for the terminal, and the result file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.peer_measures import OUTPUT, Measures
from benchmarks.script import high, median

Verdict = tuple[str, str, float]
Verdicts = Mapping[str, Mapping[str, Verdict]]


def speed(measures: Mapping[str, Measures]) -> list[str]:
    """Return a row for every contender."""
    head = (
        f"{'contender':20} {'start ms':>9} {'pooled':>7} {': p50':>8} {'p99 ms':>8} {'true p50':>9}"
        f" {'p99 ms':>8} {'10 MB s':>8} {'came':>6} {'grew MB':>8} {'back s':>7} {'left':>5}"
    )
    rows = [head]
    for name, seen in measures.items():
        start, colon, true, big, back = (
            _middle(samples)
            for samples in (seen.start, seen.colon, seen.true, seen.big, seen.recovery)
        )
        pooled = f"{_middle(seen.pooled) * 1e3:.1f}" if seen.pooled else "-"
        left = {None: "?", True: "yes", False: "no"}[seen.left_running]
        steps = f"{colon * 1e3:8.3f} {_top(seen.colon) * 1e3:8.3f} {true * 1e3:9.3f}"
        came, grew = seen.big_bytes / OUTPUT, seen.big_memory / 1e6
        rows.append(
            f"{name:20} {start * 1e3:9.1f} {pooled:>7} {steps} {_top(seen.true) * 1e3:8.3f}"
            f" {big:8.2f} {came:6.0%} {grew:8.1f} {back:7.2f} {left:>5}"
        )
    return rows


def broken(verdicts: Verdicts) -> list[str]:
    """Return a row for every case; cells have a time if a call took more than a second."""
    names = list(verdicts)
    width = max((len(name) for name in names), default=0) + 1
    cases = list(next(iter(verdicts.values()), {}))
    rows = [" ".join([f"{'case':32}", *(f"{name:>{width}}" for name in names)])]
    for case in cases:
        cells = [_cell(verdicts[name].get(case, ("-", "", 0.0))) for name in names]
        rows.append(" ".join([f"{case:32}", *(f"{cell:>{width}}" for cell in cells)]))
    counts = [f"{passed}/{run}" for passed, run in map(count, verdicts.values())]
    rows.append(" ".join([f"{'passed / run':32}", *(f"{cell:>{width}}" for cell in counts)]))
    return rows


def count(cases: Mapping[str, Verdict]) -> tuple[int, int]:
    """Return how many cases a contender passed, and how many it ran."""
    words = [verdict for verdict, _, _ in cases.values()]
    return words.count("ok"), len(words) - words.count("-")


def raw(
    measures: Mapping[str, Measures], verdicts: Verdicts, notes: Sequence[str]
) -> dict[str, object]:
    """Return the content of the result file."""
    parts = ("start", "pooled", "colon", "true", "big", "recovery")
    titles = {"true": "/bin/true", "big": "10 MB"}
    return {
        "notes": list(notes),
        "seconds": {
            titles.get(part, part): {
                name: [round(s, 7) for s in getattr(seen, part)] for name, seen in measures.items()
            }
            for part in parts
        },
        "output": {
            name: {"bytes": seen.big_bytes, "memory": seen.big_memory}
            for name, seen in measures.items()
        },
        "left_running": {name: seen.left_running for name, seen in measures.items()},
        "failures": {name: seen.failures for name, seen in measures.items() if seen.failures},
        "break_it": {n: {case: v[0] for case, v in run.items()} for n, run in verdicts.items()},
        "break_it_seconds": {
            n: {case: round(v[2], 1) for case, v in run.items() if v[2] > 1.0}
            for n, run in verdicts.items()
        },
        "break_it_reasons": {
            n: {case: v[1][:300] for case, v in run.items() if v[1]} for n, run in verdicts.items()
        },
    }


def _cell(verdict: Verdict) -> str:
    word, _, seconds = verdict
    return f"{word} {seconds:.1f}s" if seconds > 1.0 else word


def _middle(samples: Sequence[float]) -> float:
    return median(samples) if samples else float("nan")


def _top(samples: Sequence[float]) -> float:
    return high(samples, 99) if samples else float("nan")

"""Write the report of a survey: `report.md`, `report.json` and plots, in one directory.

The same survey gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from tmax_gym.analysis.findings import BALANCES, Survey, goals
from tmax_gym.analysis.measures.balance import AXES, ENOUGH
from tmax_gym.analysis.measures.taxonomy import primitives
from tmax_gym.analysis.measures.texts import percentiles
from tmax_gym.analysis.tables import LISTED, scores, tables
from tmax_gym.analysis.targets import rows
from tmax_gym.reports import svg
from tmax_gym.reports.markdown import to_markdown


def write(survey: Survey, directory: Path) -> None:
    """Write the report into a directory, which is created if needed."""
    directory.mkdir(parents=True, exist_ok=True)
    drawn = dict(_drawn(survey))
    svg.write(directory / "plots", drawn)
    parts = ["# Difficulty and diversity of the catalogue\n"]
    for table in tables(survey):
        parts.append(f"## {table.title}\n\n{to_markdown(table)}")
        if table.note:
            parts.append(f"{table.note}\n")
    parts.append("## Plots\n\n" + "".join(f"![{n}](plots/{n}.svg)\n" for n in sorted(drawn)))
    (directory / "report.md").write_text("\n".join(parts), encoding="utf-8")
    body = json.dumps(numbers(survey), sort_keys=True, indent=1, ensure_ascii=False)
    (directory / "report.json").write_text(body + "\n", encoding="utf-8")


def numbers(survey: Survey) -> dict[str, object]:
    """Return a survey as JSON values, without single tasks."""
    wording, shape, solved = survey.wording, survey.shape, survey.solutions
    out: dict[str, object] = {
        "targets": rows(goals(survey)),
        "tasks": survey.tally.tasks,
        "balance": {s.axes[0]: round(s.balance, 4) for s in survey.spreads},
        "balance_of_pairs": {
            " x ".join(s.axes): round(s.balance, 4) for s in survey.tally.pairs()
        },
        "counts": {axis: survey.tally.of(axis) for axis in AXES},
        "words": wording.words,
        "distinct": [round(value, 4) for value in wording.distinct],
        "neighbours": {
            str(close.texts): [round(v, 4) for v in (close.median, close.near, close.mean)]
            for close in (wording.sampled, wording.whole)
        },
        "reuse": {"all": round(wording.reuse, 4), "across_families": round(wording.across, 4)},
        "growth_of_reuse": [[n, round(reuse, 4)] for n, reuse in wording.growth],
        "contaminated": wording.contaminated,
        "families": dict(shape.families),
        "stage_graphs": shape.graphs,
        "pairs_of_parts": shape.pairs,
        "earlier_parts": dict(shape.firsts),
        "rates": [
            {"agent": r.agent, "complexity": r.complexity, "tasks": r.tasks,
             "reward": round(r.reward, 4), "pass_at": {str(k): round(p, 4) for k, p in r.passed}}
            for r in survey.rates
        ],
        "blind_trials": {label: asdict(tried) for label, tried in survey.blind},
    }  # fmt: skip
    if solved:
        out |= {
            "expanded": len(solved.names),
            "fingerprints": solved.fingerprints,
            "largest_cluster": len(solved.clusters.members),
            "chains": solved.clusters.chains[:LISTED],
            "programs": dict(solved.programs),
            "difficulty": {b: _tenths(s) for b, s in scores(solved).items()},
            "answer_bits": _tenths(solved.bits) if solved.bits else None,
        }
    return out


def _tenths(values: Sequence[float]) -> list[float]:
    return [round(v, 4) for v in percentiles(values)]


def _drawn(survey: Survey) -> Iterator[tuple[str, str]]:
    """Yield every plot by name."""
    spreads = survey.spreads
    yield (
        "balance",
        svg.bars(
            "Balance of the axes; dashes are goals",
            [(s.axes[0], s.balance) for s in spreads],
            most=1.0,
            marks=[BALANCES.get(s.axes[0]) for s in spreads],
        ),
    )
    cells = {(s.axes[0], s.axes[1]): s.balance for s in survey.tally.pairs()}
    yield "pairs", svg.grid("Balance of pairs of axes", AXES, cells)
    counts = survey.tally.of("primitives")
    ranked = sorted((counts.get(name, 0) for name in primitives()), reverse=True)
    title = f"Tasks by primitive skill; dashes at {ENOUGH}"
    yield "primitives", svg.columns(title, ranked, ends=("most", "least"), mark=ENOUGH)
    yield "neighbours", _histogram("Cosine with the nearest other text", survey.wording.cosines)
    shares = sorted(survey.wording.by_family, key=lambda row: -row[2])
    yield "reuse", svg.bars("13-gram reuse by family", [(r[0], r[2]) for r in shares], most=1.0)
    if solved := survey.solutions:
        title = "Largest chains of solutions that are alike, tasks"
        yield "chains", svg.columns(title, solved.clusters.chains[:100], ends=("largest", ""))
        series = [svg.Series(bucket, _density(own)) for bucket, own in scores(solved).items()]
        yield "difficulty", svg.lines("Difficulty by complexity", series, x="D", y="share")
    if survey.rates:
        labels = [(f"{r.agent}, {r.complexity}", r.reward) for r in survey.rates]
        yield "agents", svg.bars("Mean reward", labels, most=1.0)


def _shares(values: Sequence[float], bins: int) -> list[float]:
    """Return the share of values, which lie in [0, 1], in each of `bins` equal intervals."""
    shares = [0.0] * bins
    for value in values:
        shares[min(bins - 1, int(value * bins))] += 1 / len(values)
    return shares


def _histogram(title: str, values: Sequence[float]) -> str:
    return svg.columns(title, _shares(values, 50), ends=("0", "1"))


def _density(values: Sequence[float]) -> tuple[tuple[float, float], ...]:
    return tuple(((i + 0.5) / 25, share) for i, share in enumerate(_shares(values, 25)))

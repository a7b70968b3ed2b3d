"""Reports as text: Markdown for people, CSV for spreadsheets, a row for LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from tmax_gym.bench.reports.loading import LoadedRun
from tmax_gym.reports.markdown import to_markdown
from tmax_gym.reports.page import Table
from tmax_gym.reports.statistics import RunSummary

COLUMNS = (
    "run",
    "task",
    "attempt",
    "reward",
    "ending",
    "steps",
    "tries",
    "setup_seconds",
    "agent_seconds",
    "grading_seconds",
    "working_seconds",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "cost",
    "digest",
    "started",
    "difficulty",
    "category",
)


def markdown(title: str, tables: Sequence[Table]) -> str:
    """Return a report as Markdown."""
    parts = [f"# {title}\n"]
    for table in tables:
        note = f"\n{table.note}\n" if table.note else ""
        parts.append(f"## {table.title}\n\n{to_markdown(table)}{note}")
    return "\n".join(parts)


def csv_text(runs: Sequence[LoadedRun]) -> str:
    """Return every trial as one row; an ungraded one has an empty reward."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for run in runs:
        for record in run.records:
            tags = dict(record.tags)
            used = record.usage
            writer.writerow(
                (
                    run.name,
                    record.task,
                    record.attempt,
                    "" if record.reward is None else repr(record.reward),
                    record.ending,
                    len(record.trajectory.steps),
                    record.trajectory.attempts,
                    record.phases.setup,
                    record.phases.agent,
                    record.phases.grading,
                    round(record.working, 3),
                    used.input_tokens,
                    used.cached_tokens,
                    used.output_tokens,
                    "" if used.cost is None else used.cost,
                    record.digest,
                    record.started,
                    tags.get("difficulty", ""),
                    tags.get("category", ""),
                )
            )
    return out.getvalue()


def latex(runs: Sequence[LoadedRun], found: Sequence[RunSummary]) -> str:
    r"""Return a row a run: name, mean \pm standard error over tasks, then pass@k."""
    ks = sorted({p.k for s in found for p in s.passing if not p.every and p.k > 1})
    head = " & ".join(("run", "mean \\%", *(f"pass@{k}" for k in ks)))
    lines = [f"% {head} \\\\"]
    for run, s in zip(runs, found, strict=True):
        rates = {p.k: f"{100 * p.rate.mean:.1f}" for p in s.passing if not p.every}
        mean = "--"
        if s.reward is not None:
            error = "" if s.reward.task_se is None else f" \\pm {100 * s.reward.task_se:.1f}"
            mean = f"${100 * s.reward.value:.1f}{error}$"
        cells = (_tex(run.name), mean, *(rates.get(k, "--") for k in ks))
        lines.append(" & ".join(cells) + " \\\\")
    return "\n".join(lines) + "\n"


def _tex(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(
        special.get(letter, f"\\{letter}" if letter in "&%$#_{}" else letter) for letter in text
    )

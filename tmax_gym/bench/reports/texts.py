"""Reports as text: Markdown, CSV, and rows for LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from tmax_gym.bench.records import TrialRecord
from tmax_gym.bench.reports.loading import LoadedRun
from tmax_gym.reports.markdown import to_markdown
from tmax_gym.reports.page import Table
from tmax_gym.reports.statistics import RunSummary


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
    rows = [_row(run.name, record) for run in runs for record in run.records]
    writer = csv.DictWriter(out, rows[0] if rows else (), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _row(run: str, record: TrialRecord) -> dict[str, object]:
    tags, used, phases = dict(record.tags), record.usage, record.phases
    return {
        "run": run,
        "task": record.task,
        "attempt": record.attempt,
        "reward": "" if record.reward is None else repr(record.reward),
        "ending": record.ending,
        "steps": len(record.trajectory.steps),
        "tries": record.trajectory.attempts,
        "setup_seconds": phases.setup,
        "agent_seconds": phases.agent,
        "grading_seconds": phases.grading,
        "working_seconds": round(record.working, 3),
        "input_tokens": used.input_tokens,
        "cached_tokens": used.cached_tokens,
        "output_tokens": used.output_tokens,
        "cost": "" if used.cost is None else used.cost,
        "digest": record.digest,
        "started": record.started,
        "difficulty": tags.get("difficulty", ""),
        "category": tags.get("category", ""),
    }


def latex(runs: Sequence[LoadedRun], summaries: Sequence[RunSummary]) -> str:
    r"""Return a row for each run: name, mean \pm standard error over tasks, then pass@k."""
    ks = sorted({p.k for s in summaries for p in s.passing if not p.every and p.k > 1})
    head = " & ".join(("run", "mean \\%", *(f"pass@{k}" for k in ks)))
    lines = [f"% {head} \\\\"]
    for run, s in zip(runs, summaries, strict=True):
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

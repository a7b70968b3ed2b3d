"""A report as files of one directory: HTML, Markdown, CSV, LaTeX, recordings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tmax_gym.bench.reports import texts
from tmax_gym.bench.reports.casts import cast
from tmax_gym.bench.reports.html import Report, page
from tmax_gym.bench.store import stem


def write(report: Report, out: Path, *, casts: bool = True) -> Iterator[Path]:
    """Write the report; yield every file, and the directory of the recordings."""
    out.mkdir(parents=True, exist_ok=True)
    contents = {
        "report.html": page(report),
        "report.md": texts.markdown(report.title, report.tables),
        "trials.csv": texts.csv_text(report.runs),
        "results.tex": texts.latex(report.runs, report.summaries),
    }
    for name, text in contents.items():
        # Terminal output may hold halves of surrogate pairs, which have no bytes in UTF-8.
        (out / name).write_bytes(text.encode("utf-8", "replace"))
        yield out / name
    if casts:
        for n, run in enumerate(report.runs):
            place = out / "casts" / f"{n}-{run.name}"
            place.mkdir(parents=True, exist_ok=True)
            for record in run.records:
                if record.trajectory.steps:
                    file = place / f"{stem(record.key)}.cast"
                    file.write_bytes(cast(record).encode("utf-8", "replace"))
            yield place

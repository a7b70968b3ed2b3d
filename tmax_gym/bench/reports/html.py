"""A report of runs as one HTML file, without scripts and without other files.

It has figures, tables, the heat map and every trial that fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from tmax_gym.bench.records import TrialRecord
from tmax_gym.bench.reports import tables
from tmax_gym.bench.reports.drilldown import Link, anchor, chosen, heat_map
from tmax_gym.bench.reports.loading import LoadedRun
from tmax_gym.bench.reports.published import PUBLISHED, known
from tmax_gym.reports import svg
from tmax_gym.reports.page import Plot, Table, document, section_html
from tmax_gym.reports.statistics import RunSummary
from tmax_gym.reports.statistics.passes import SOLVED

TAGS = ("difficulty", "category")


@dataclass(frozen=True, slots=True)
class Report:
    """The content of a report."""

    title: str
    runs: tuple[LoadedRun, ...]
    summaries: tuple[RunSummary, ...]
    tables: tuple[Table, ...]
    benchmark: str = ""
    """The benchmark whose published figures are shown; "" for none."""


def make(
    runs: Sequence[LoadedRun], *, title: str = "", threshold: float = SOLVED, published: str = ""
) -> Report:
    """Return the report of some runs.

    Args:
        runs: The runs, in the order in which they are shown.
        title: The title; the names of the runs if "".
        threshold: The smallest reward that counts as solved.
        published: The benchmark whose published figures are shown; by the dataset's name if "".
    """
    summaries = tables.summaries(runs, threshold=threshold)
    sections: list[Table | None] = [
        tables.results(runs, summaries),
        tables.passes(runs, summaries, threshold=threshold),
        tables.pairs(runs),
        tables.endings(runs, summaries),
        *(tables.by_tag(runs, tag, threshold=threshold) for tag in TAGS),
        tables.flaky(runs, summaries),
        tables.costs(runs),
    ]
    names = [run.about.dataset for run in runs if run.about] or [run.name for run in runs]
    return Report(
        title or " and ".join(run.name for run in runs),
        tuple(runs),
        summaries,
        tuple(table for table in sections if table is not None),
        published or next(filter(None, map(known, names)), ""),
    )


def page(report: Report, *, link: Link | None = None) -> str:
    """Return the page; with `link`, which gives their addresses, trials are on other pages."""
    if link is not None:
        return document(report.title, [*_parts(report), *_map(report, link)])
    trials = chosen(report.runs)

    def here(run: int, record: TrialRecord) -> str:
        known_here = (run, record.task, record.attempt) in trials
        return f"#{anchor(run, record)}" if known_here else ""

    body = [*_parts(report), *_map(report, here), "<h2>Trials</h2>"]
    total = sum(len(run.records) for run in report.runs)
    if len(trials) < total:
        body.append(
            f'<p class="note">{total - len(trials)} of {total} trials do not fit on one page, '
            "and others are cut; see them whole with: tmax view</p>"
        )
    for n, run in enumerate(report.runs):
        if len(report.runs) > 1:
            body.append(f"<h3>{escape(run.name)}</h3>")
        body += [text for key, text in sorted(trials.items()) if key[0] == n]
    return document(report.title, body)


def _map(report: Report, link: Link) -> Iterator[str]:
    yield "<h2>Tasks and runs</h2>"
    yield (
        '<p class="legend">A cell is the mean reward of the graded trials, hardest tasks first. '
        "● solved, ◐ partly, ○ not, ? not graded; each leads to its trial.</p>"
    )
    yield heat_map(report.runs, link)


def _parts(report: Report) -> Iterator[str]:
    names = [run.name for run in report.runs]
    trials = sum(len(run.records) for run in report.runs)
    tasks = len({record.task for run in report.runs for record in run.records})
    yield f"<h1>{escape(report.title)}</h1>"
    counts = ", ".join(
        f"{count} {what}{'s' if count != 1 else ''}"
        for count, what in ((len(names), "run"), (tasks, "task"), (trials, "trial"))
    )
    yield f'<p class="summary">{counts}</p>'
    for problem in (p for run in report.runs for p in run.problems):
        yield f'<p class="fault">left out: {escape(problem)}</p>'
    note = (
        f"Dashed lines and diamonds: published figures on {report.benchmark}, as printed; not "
        "measured here."
    )
    yield section_html(Plot(_means(names, report), note if report.benchmark in PUBLISHED else ""))
    if rates := _passes(names, report.summaries):
        yield section_html(Plot(rates))
    yield from map(section_html, report.tables)


def _means(names: Sequence[str], report: Report) -> str:
    """Return a plot of the mean of each run with its interval, and of published figures."""
    rows = [
        svg.Mean(name, s.reward.value, (s.reward.interval.low, s.reward.interval.high))
        if s.reward is not None
        else svg.Mean(name, None)
        for name, s in zip(names, report.summaries, strict=True)
    ]
    references = PUBLISHED.get(report.benchmark, ())
    rows += [svg.Mean(f"{r.name} (published)", r.percent / 100) for r in references]
    return svg.means("Mean reward, %, with its 95 % interval over tasks", rows)


def _passes(names: Sequence[str], summaries: Sequence[RunSummary]) -> str:
    """Return a plot of pass@k (solid) and pass^k (dashed); "" if every k is 1."""
    if len({p.k for s in summaries for p in s.passing}) < 2:
        return ""
    series = [
        svg.Series(
            name,
            tuple((float(p.k), p.rate.mean) for p in s.passing if p.every == every),
            twin=every,
        )
        for name, s in zip(names, summaries, strict=True)
        for every in (False, True)
    ]
    title = "Share of tasks that any of k attempts solves (solid), that all of them solve (dashed)"
    return svg.lines(title, series, x="attempts k", y="", y_range=(0.0, 1.0))


def trial_page(title: str, trial: str, *, recording: str) -> str:
    """Return a page with one trial, folded out, and a link to its recording."""
    opened = trial.replace('<details class="trial"', '<details open class="trial"', 1)
    links = f'<p><a href="/">report</a> · <a href="{escape(recording)}">asciicast</a></p>'
    return document(title, [links, f"<h1>{escape(title)}</h1>", opened])

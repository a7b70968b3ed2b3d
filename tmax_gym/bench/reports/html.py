"""A report of runs as one HTML file that needs nothing else: no script, no font, no network.

Covers figures, tables, the heat map and every trial that has room.  Does not cover serving it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from tmax_gym.bench.records import TrialRecord
from tmax_gym.bench.reports import figures, tables
from tmax_gym.bench.reports.drilldown import Link, anchor, chosen, heat_map
from tmax_gym.bench.reports.loading import LoadedRun
from tmax_gym.bench.reports.published import PUBLISHED, known
from tmax_gym.reports.page import Table
from tmax_gym.reports.statistics import RunSummary
from tmax_gym.reports.statistics.passes import SOLVED

TAGS = ("difficulty", "category")
STYLE = """
:root { --line: #d8dee4; --soft: #f6f8fa; --ink: #1b1f24; --dim: #57606a; }
* { box-sizing: border-box; }
body { max-width: 66rem; margin: 0 auto; padding: 1.5rem 1rem 6rem; color: var(--ink);
  background: #fff; font: 16px/1.5 system-ui, -apple-system, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.4rem 0 .6rem; padding-bottom: .25rem;
  border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; overflow-wrap: anywhere; }
.note, .legend { color: var(--dim); font-size: .875rem; max-width: 48rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: right;
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { color: var(--dim); font-weight: 600; vertical-align: bottom; }
svg { max-width: 100%; height: auto; display: block; }
svg text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #333; }
svg .grid { stroke: #e4e8ec; } svg .reference { stroke: #8a6d00; stroke-dasharray: 3 4; }
svg .diamond { fill: #fff; stroke: #8a6d00; stroke-width: 1.5; }
svg .published { fill: #6d5600; font-style: italic; } svg .value { font-size: 12px; fill: #57606a;
  paint-order: stroke; stroke: #fff; stroke-width: 3px; }
.heat { border-collapse: separate; border-spacing: 2px; }
.heat th, .heat td { border: 0; padding: .15rem .5rem; }
.heat th[scope=row] { font-weight: 400; position: sticky; left: 0; background: #fff;
  max-width: 22rem; overflow: hidden; text-overflow: ellipsis; }
.heat thead th:not(:first-child) { text-align: center; }
.heat td { text-align: center; min-width: 5rem; }
.heat .absent { background: repeating-linear-gradient(45deg, #fff 0 4px, #eef0f2 4px 8px); }
.heat .ungraded { background: #fff3cd; }
.heat a { color: inherit; text-decoration: none; padding: 0 .08rem; }
.heat a:hover, .heat a:focus { outline: 2px solid #0072b2; }
.dots { letter-spacing: .05em; font-size: .85em; }
details.trial { border: 1px solid var(--line); border-radius: 6px; margin: .35rem 0; }
details.trial > summary { cursor: pointer; padding: .4rem .7rem; overflow-wrap: anywhere; }
details.trial[open] > summary { background: var(--soft); border-bottom: 1px solid var(--line); }
details.trial:has(:target) { border-color: #0072b2; box-shadow: 0 0 0 2px #0072b255; }
.inside { padding: 0 .7rem .3rem; scroll-margin-top: 3rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; font-size: .875rem;
  margin: .6rem 0; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
pre { margin: .25rem 0; padding: .5rem .7rem; background: var(--soft); border-radius: 4px;
  font: .8rem/1.45 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; }
pre.command { background: #eaf3fb; border-left: 4px solid #0072b2; }
pre.reply { background: #fff; border-left: 4px solid var(--line); color: var(--dim); }
pre.instruction { background: #fbf8ee; }
.step { margin: .9rem 0; } .time { color: var(--dim); font-size: .8rem; }
.bad, .fault { color: #a4291c; } .parts { margin: .8rem 0; }
.summary { color: var(--dim); margin: 0; } .figure { margin: 1rem 0; }
@media (max-width: 40rem) { body { font-size: 15px; } .wide { margin: 0 -1rem; padding: 0 1rem; }
  .heat th[scope=row] { max-width: 11rem; } dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .3rem; } .figure { overflow-x: auto; } .figure svg { min-width: 620px; } }
@media print { details.trial { break-inside: avoid; } }
"""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a report is made of."""

    title: str
    runs: tuple[LoadedRun, ...]
    summaries: tuple[RunSummary, ...]
    tables: tuple[Table, ...]
    benchmark: str = ""
    """Whose published figures are shown; "" for none."""


def make(
    runs: Sequence[LoadedRun], *, title: str = "", threshold: float = SOLVED, published: str = ""
) -> Report:
    """Return the report of some runs.

    Args:
        runs: In the order in which they are shown.
        title: Their names if "".
        threshold: The reward from which on a task counts as solved.
        published: Whose published figures are shown; by the dataset's name if "".
    """
    found = tables.summaries(runs, threshold=threshold)
    made: list[Table | None] = [
        tables.results(runs, found),
        tables.passes(runs, found, threshold=threshold),
        tables.pairs(runs),
        tables.endings(runs, found),
        *(tables.by_tag(runs, tag, threshold=threshold) for tag in TAGS),
        tables.flaky(runs, found),
        tables.costs(runs),
    ]
    names = [run.about.dataset for run in runs if run.about] or [run.name for run in runs]
    return Report(
        title or " and ".join(run.name for run in runs),
        tuple(runs),
        found,
        tuple(table for table in made if table is not None),
        published or next(filter(None, map(known, names)), ""),
    )


def page(report: Report, *, link: Link | None = None) -> str:
    """Return the page; with `link`, trials are shown elsewhere.

    Args:
        report: What is told.
        link: Where a trial is shown; on this page if None.
    """
    if link is not None:
        return _document(report.title, [*_parts(report), *_map(report, link)])
    trials = chosen(report.runs)

    def here(run: int, record: TrialRecord) -> str:
        known_here = (run, record.task, record.attempt) in trials
        return f"#{anchor(run, record)}" if known_here else ""

    body = [*_parts(report), *_map(report, here), "<h2>Trials</h2>"]
    total = sum(len(run.records) for run in report.runs)
    if len(trials) < total:
        body.append(
            f'<p class="note">{total - len(trials)} of {total} trials have no room on one page, '
            "others are cut short; see them whole with: tmax view</p>"
        )
    for n, run in enumerate(report.runs):
        if len(report.runs) > 1:
            body.append(f"<h3>{escape(run.name)}</h3>")
        body += [text for key, text in sorted(trials.items()) if key[0] == n]
    return _document(report.title, body)


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
    references = PUBLISHED.get(report.benchmark, ())
    drawn = figures.means(names, report.summaries, references=references)
    yield f'<div class="figure">{drawn}</div>'
    if references:
        yield (
            f'<p class="legend">Dashed lines and diamonds: published figures on '
            f"{escape(report.benchmark)}, as printed; not measured here.</p>"
        )
    if rates := figures.passes(names, report.summaries):
        yield f'<div class="figure">{rates}</div>'
    for table in report.tables:
        yield f"<h2>{escape(table.title)}</h2>\n{_table(table)}"


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows
    )
    note = f'\n<p class="note">{escape(table.note)}</p>' if table.note else ""
    return (
        f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>'
        f"</table></div>{note}"
    )


def _document(title: str, parts: Sequence[str]) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def trial_page(title: str, trial: str, *, recording: str) -> str:
    """Return a page with one trial, unfolded, and a link to its recording."""
    opened = trial.replace('<details class="trial"', '<details open class="trial"', 1)
    links = f'<p><a href="/">report</a> · <a href="{escape(recording)}">asciicast</a></p>'
    return _document(title, [links, f"<h1>{escape(title)}</h1>", opened])

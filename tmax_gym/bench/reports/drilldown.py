"""The trials of a report as HTML: the heat map of tasks and runs, and every trial by commands.

Long outputs are cut.  If all trials together would make the page too large, some are left out and
counted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from html import escape

from tmax_gym.bench.records import TrialRecord, Usage
from tmax_gym.bench.reports.casts import times
from tmax_gym.bench.reports.loading import LoadedRun
from tmax_gym.bench.reports.tables import NOTHING
from tmax_gym.reports.page import checks_html, fold, output_html, steps_html
from tmax_gym.reports.statistics.means import average

SHOWN = 6_000
"""Largest number of characters of one output or reply."""
LEAST = 200
"""The same if there are many trials: all of them in short are better than a few at length."""
PAGE = 24_000_000
"""Largest number of characters of all trials on a page."""
ROWS = 2_000
"""Largest number of tasks in a heat map."""

Link = Callable[[int, TrialRecord], str]
"""Returns the address of a trial of the n-th run, "" if it is not shown."""


def anchor(run: int, record: TrialRecord) -> str:
    """Return the anchor of a trial on the page."""
    task = hashlib.blake2b(record.task.encode(), digest_size=5).hexdigest()
    return f"t{run}-{task}-{record.attempt}"


def chosen(runs: Sequence[LoadedRun], *, room: int = PAGE) -> dict[tuple[int, str, int], str]:
    """Return the trials that fit on one page, as HTML: round by round, the worst first."""
    ranked = [
        (record.attempt, -1.0 if record.reward is None else record.reward, n, record)
        for n, run in enumerate(runs)
        for record in run.records
    ]
    ranked.sort(key=lambda row: (*row[:3], row[3].task))
    steps = sum(len(record.trajectory.steps) for _, _, _, record in ranked)
    shown = max(LEAST, min(SHOWN, room // (3 * max(1, steps))))
    fitting = {}
    for _, _, n, record in ranked:
        text = trial_html(n, record, shown=shown)
        if (room := room - len(text)) < 0:
            break
        fitting[n, record.task, record.attempt] = text
    return fitting


def heat_map(runs: Sequence[LoadedRun], link: Link) -> str:
    """Return the table of tasks and runs: a cell is a mean reward with links to its trials."""
    cells: dict[str, dict[int, list[TrialRecord]]] = {}
    for n, run in enumerate(runs):
        for record in run.records:
            cells.setdefault(record.task, {}).setdefault(n, []).append(record)
    order = sorted(cells, key=lambda task: (_rank(cells[task]), task))
    head = "".join(f'<th scope="col">{escape(run.name)}</th>' for run in runs)
    rows = [
        f'<tr><th scope="row">{escape(task)}</th>'
        + "".join(_cell(n, cells[task].get(n, []), link) for n in range(len(runs)))
        + "</tr>"
        for task in order[:ROWS]
    ]
    more = f"<p>{len(order) - ROWS} easier tasks are not shown.</p>" if len(order) > ROWS else ""
    return (
        '<div class="wide"><table class="heat"><thead><tr><th>task</th>'
        f"{head}</tr></thead>\n<tbody>\n" + "\n".join(rows) + f"\n</tbody></table></div>{more}"
    )


def _rank(row: dict[int, list[TrialRecord]]) -> float:
    rewards = [r.reward for records in row.values() for r in records if r.reward is not None]
    return average(rewards) if rewards else -1.0


def _cell(run: int, records: Sequence[TrialRecord], link: Link) -> str:
    if not records:
        return '<td class="absent"></td>'
    rewards = [record.reward for record in records if record.reward is not None]
    if not rewards:
        return f'<td class="ungraded" title="not graded">{_dots(run, records, link)}</td>'
    value = average(rewards)
    light, ink = 97 - 52 * value, "#fff" if value > 0.72 else "#1b1f24"
    return (
        f'<td style="background:hsl(205 65% {light:.0f}%);color:{ink}">'
        f"<b>{value:.2f}</b>{_dots(run, records, link)}</td>"
    )


def _dots(run: int, records: Sequence[TrialRecord], link: Link) -> str:
    """Return a link to each trial, with a sign for its reward."""
    out = []
    for record in sorted(records, key=lambda record: record.attempt):
        sign = "?" if record.reward is None else "●" if record.reward >= 1 else "○"
        if record.reward is not None and 0 < record.reward < 1:
            sign = "◐"
        title = f"attempt {record.attempt}: {record.ending} {_reward(record)}"
        where = link(run, record)
        out.append(
            f'<a href="{escape(where)}" title="{escape(title)}">{sign}</a>'
            if where
            else f'<span title="{escape(title)}">{sign}</span>'
        )
    return f' <span class="dots">{"".join(out)}</span>'


def trial_html(run: int, record: TrialRecord, *, shown: int = SHOWN) -> str:
    """Return one trial that folds out: instruction, steps with times, checks."""
    played = record.trajectory
    facts = [
        f"#{record.attempt}",
        _reward(record),
        str(record.ending),
        f"{len(played.steps)} steps",
        f"{record.phases.total:.1f} s" if record.phases.total else "",
    ]
    head = " · ".join(filter(None, facts))
    title = f"<b>{escape(record.task)}</b> {escape(head)}"
    return fold(title, _body(record, shown), anchor=anchor(run, record))


def _body(record: TrialRecord, shown: int) -> Iterator[str]:
    played = record.trajectory
    about = [
        ("began", record.started),
        ("set-up, agent, grading", _phases(record)),
        ("tries", str(played.attempts) if played.attempts > 1 else ""),
        ("tokens", str(record.usage) if record.usage != Usage() else ""),
        ("labels", ", ".join(f"{name}: {value}" for name, value in record.tags)),
    ]
    rows = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in about if value
    )
    yield f"<dl>{rows}</dl>"
    if played.message:
        yield f'<p class="fault">{escape(played.message[:SHOWN])}</p>'
    if record.instruction:
        yield output_html(record.instruction, kind="instruction", shown=len(record.instruction))
    yield from steps_html(played, tuple(times(record)), shown=shown)
    if record.output:
        yield f"<h4>Verifier</h4>{output_html(record.output, shown=shown)}"
    if record.rewards:
        named = ", ".join(f"{name} {value:.3f}" for name, value in record.rewards)
        yield f"<p>Rewards: {escape(named)}</p>"
    yield checks_html(played)


def _phases(record: TrialRecord) -> str:
    phases = record.phases
    if not phases.total:
        return ""
    return f"{phases.setup:.1f} s, {phases.agent:.1f} s, {phases.grading:.1f} s"


def _reward(record: TrialRecord) -> str:
    return f"reward {NOTHING}" if record.reward is None else f"reward {record.reward:.3f}"

"""The progress of a run: a panel on a terminal; elsewhere a line for each trial.

Without a terminal there is also a line with the whole state every half minute.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tmax_gym.bench.records import TrialRecord
from tmax_gym.bench.running.runner import Look
from tmax_gym.bench.screen.board import FINISHED, Snapshot

QUIET_SECONDS = 30.0
SHOWN = 5
MESSAGE = 160
"""Largest number of characters of an error in a line."""


@contextmanager
def watching(title: str, *, stream: TextIO | None = None) -> Iterator[Look]:
    """Yield a function for `run`: it draws on a terminal, and writes lines elsewhere."""
    out = stream or sys.stderr
    console = Console(file=out)
    if not console.is_terminal or console.is_dumb_terminal:
        yield plain(lambda line: print(line, file=out, flush=True))
        return
    with Live(console=console, refresh_per_second=4, transient=True) as live:

        def draw(snapshot: Snapshot, record: TrialRecord | None) -> None:
            live.update(panel(title, snapshot))

        yield draw


def plain(write: Callable[[str], None], *, clock: Callable[[], float] = time.monotonic) -> Look:
    """Return a function that writes a line for each trial, and the state from time to time."""
    last = clock()

    def look(snapshot: Snapshot, record: TrialRecord | None) -> None:
        nonlocal last
        if record is not None:
            write(trial_line(snapshot, record))
        elif clock() - last >= QUIET_SECONDS:
            last = clock()
            write(state_line(snapshot))

    return look


def trial_line(snapshot: Snapshot, record: TrialRecord) -> str:
    """Return one line of a trial that has ended."""
    reward = "  –  " if record.reward is None else f"{record.reward:.3f}"
    why = "" if record.ending in FINISHED else f"  ({record.ending})"
    if record.reward is None and (message := record.trajectory.message.strip()):
        why += f"  {message.splitlines()[0][:MESSAGE]}"
    where = f"[{snapshot.done}/{snapshot.total}]"
    return f"{where} {reward}  {record.phases.total:6.1f} s  {record.task} #{record.attempt}{why}"


def state_line(snapshot: Snapshot) -> str:
    """Return the whole state in one line."""
    parts = [f"{snapshot.done}/{snapshot.total} trials", f"mean {mean_text(snapshot)}"]
    if snapshot.left is not None:
        parts.append(f"{clock_text(snapshot.left)} left")
    if snapshot.running:
        parts.append(f"{len(snapshot.running)} running")
    parts += [f"{count} {ending}" for ending, count in snapshot.failures]
    return ", ".join(parts)


def mean_text(snapshot: Snapshot) -> str:
    """Return the mean reward and its error."""
    if snapshot.mean is None:
        return "–"
    error = "" if snapshot.error is None else f" ± {snapshot.error:.3f}"
    return f"{snapshot.mean:.3f}{error}"


def clock_text(seconds: float) -> str:
    """Return a duration.

    >>> clock_text(59.6), clock_text(3725)
    ('1:00', '1:02:05')
    """
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    head = f"{hours}:{minutes:02}" if hours else str(minutes)
    return f"{head}:{whole % 60:02}"


def took_text(seconds: float) -> str:
    """Return a short duration with a decimal, a long one as on a clock."""
    return clock_text(seconds) if seconds >= 60 else f"{seconds:.1f} s"


def panel(title: str, snapshot: Snapshot) -> RenderableType:
    """Return the panel for a terminal."""
    head = Table.grid(padding=(0, 2))
    head.add_row(
        Text(title, style="bold"),
        ProgressBar(total=max(1, snapshot.total), completed=snapshot.done, width=30),
        f"{snapshot.done}/{snapshot.total}",
        f"{clock_text(snapshot.seconds)} gone",
        "" if snapshot.left is None else f"{clock_text(snapshot.left)} left",
        Text("stopping", style="bold yellow") if snapshot.stopping else "",
    )
    facts = Table.grid(padding=(0, 2))
    facts.add_row("mean reward", mean_text(snapshot), f"over {snapshot.graded} graded trials")
    usage = str(snapshot.usage) if snapshot.usage.calls else ""
    facts.add_row("working time", clock_text(snapshot.working), usage)
    failures = ", ".join(f"{count} {ending}" for ending, count in snapshot.failures) or "none"
    facts.add_row("cut short", failures)
    return Group(head, facts, _trials(snapshot))


def _trials(snapshot: Snapshot) -> Table:
    table = Table(box=None, padding=(0, 2))
    for name in ("running", "for", "slowest so far", "took"):
        table.add_column(name, justify="right" if name in ("for", "took") else "left")
    for place in range(min(SHOWN, max(len(snapshot.running), len(snapshot.slowest)))):
        row: list[str | Text] = ["", "", "", ""]
        if place < len(snapshot.running):
            trial = snapshot.running[place]
            # Text, because names may look like markup ("a[bold]").
            row[:2] = [Text(f"{trial.key[0]} #{trial.key[1]}"), took_text(trial.seconds)]
        if place < len(snapshot.slowest):
            (task, attempt), seconds = snapshot.slowest[place]
            row[2:] = [Text(f"{task} #{attempt}"), took_text(seconds)]
        table.add_row(*row)
    return table

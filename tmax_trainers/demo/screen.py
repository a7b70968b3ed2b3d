"""The demo's screen: stages with bars and times left on a terminal, plain lines elsewhere.

Covers progress and lines of text.  Does not cover what the lines say.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class Stage:
    """One stage of the demo; safe to advance from many threads."""

    def __init__(self, progress: Progress | None, name: str, total: int) -> None:
        self._progress = progress
        self._task = progress.add_task(name, total=total, note="") if progress else None

    def advance(self, note: str = "") -> None:
        """Count one more piece of work; the note replaces the one before where there is one."""
        if self._progress is not None and self._task is not None:
            fields = {"note": note} if note else {}
            self._progress.update(self._task, advance=1, **fields)  # type: ignore[arg-type]

    def end(self, note: str) -> None:
        """Fill the bar: a stage may end before all its work."""
        if self._progress is not None and self._task is not None:
            done = self._progress.tasks[self._task].completed
            self._progress.update(self._task, total=done or 1, completed=done or 1, note=note)


class Screen:
    """Where the demo says what it does."""

    def __init__(self, console: Console | None = None, *, quiet: bool = False) -> None:
        self._console = console or Console(highlight=False, soft_wrap=True)
        self._quiet = quiet
        self._began = time.monotonic()
        self._progress = self._bars() if self._console.is_terminal and not quiet else None

    def __enter__(self) -> Screen:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(self, *raised: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    @property
    def seconds(self) -> float:
        """Return the seconds since the screen was made."""
        return time.monotonic() - self._began

    def line(self, text: str) -> None:
        """Print text, above the bars where there are any."""
        if self._quiet:
            return
        if self._progress is not None:
            self._progress.console.print(text, markup=False)
        else:
            self._console.print(text, markup=False)

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Stage]:
        """Show a stage while it runs; plain screens print one line when it begins."""
        if self._progress is None:
            self.line(f"[{self.seconds:5.0f} s] {name}")
        stage = Stage(self._progress, name, total)
        yield stage
        stage.end("")

    def _bars(self) -> Progress:
        return Progress(
            TextColumn("{task.description:<42}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=self._console,
        )

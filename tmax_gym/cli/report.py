"""`tmax report` and `tmax view`: show runs as files, and in a browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

Runs = Annotated[
    list[Path],
    typer.Argument(help="Runs, Harbor jobs, JSONL of trajectories or of trials."),
]
Published = Annotated[
    str, typer.Option(help="Also show published figures: tblite, terminal-bench-2.0 or -2.1.")
]


def report(
    runs: Runs,
    *,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Directory; RUN/report by default.")
    ] = None,
    title: Annotated[str, typer.Option(help="Title; the names of the runs by default.")] = "",
    threshold: Annotated[float, typer.Option(help="Smallest reward that solves a task.")] = 1.0,
    published: Published = "",
    casts: Annotated[bool, typer.Option("--casts/--no-casts", help="Write recordings too.")] = True,
) -> None:
    """Write a report of runs: HTML, Markdown, CSV, a LaTeX row, asciicasts."""
    from tmax_gym.bench.reports.html import make
    from tmax_gym.bench.reports.loading import load
    from tmax_gym.bench.reports.writing import write

    content = make(
        [load(path) for path in runs], title=title, threshold=threshold, published=published
    )
    first = runs[0]
    directory = out or (first / "report" if first.is_dir() else first.with_suffix(".report"))
    for file in write(content, directory, casts=casts):
        print(file)


def view(
    runs: Runs,
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one.")] = 8000,
    published: Published = "",
) -> None:
    """Serve runs to a browser on this machine, until interrupted."""
    import signal
    import threading

    from tmax_gym.bench.reports.serving import Viewer, serving

    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with serving(Viewer(runs, port=port, published=published)) as viewer:
        print(viewer.url, flush=True)
        while not ended.wait(0.5):
            pass
    print("stopped", file=sys.stderr)

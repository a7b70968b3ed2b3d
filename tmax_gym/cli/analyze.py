"""`tmax analyze`: measure the difficulty and diversity of the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tmax_gym.cli import screen
from tmax_gym.cli.options import Backend, Image

EVERY = 100
"""Expanded tasks between two lines of progress."""


def analyze(
    *,
    out: Annotated[
        Path | None, typer.Option(help="Directory for report.md, report.json and plots.")
    ] = None,
    sample: Annotated[
        int, typer.Option(min=0, help="Number of tasks, spread over families; all if 0.")
    ] = 0,
    expand: Annotated[
        int | None,
        typer.Option(min=0, help="Number of tasks to expand for their solutions; all by default."),
    ] = None,
    dropout: Annotated[
        int,
        typer.Option(
            "--play",
            min=0,
            help="Number of tasks of every complexity that the dropout agent plays.",
        ),
    ] = 0,
    results: Annotated[
        Path | None, typer.Option(help="A run of an agent, to report by complexity.")
    ] = None,
    backend: Backend = "auto",
    image: Image = None,
    seed: Annotated[int, typer.Option(help="Seed of the sample and of the dropout agent.")] = 0,
    check: Annotated[bool, typer.Option("--check", help="Exit 1 if a goal is missed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print only one line of JSON.")] = False,
) -> None:
    """Measure balance, diversity, difficulty and contamination of the catalogue."""
    from tmax_gym.analysis import findings, pages, play, tables, targets
    from tmax_gym.analysis.survey import survey
    from tmax_gym.proofs.validate import sample as spread
    from tmax_gym.reports.markdown import to_markdown
    from tmax_gym.reports.statistics import read_run
    from tmax_gym.sandboxes import backend as backend_named
    from tmax_gym.tasks import catalogue

    specs = catalogue.select()
    if sample:
        drawn = frozenset(spread(catalogue.names(), sample, seed))
        specs = tuple(spec for spec in specs if spec.name in drawn)
    run = read_run(results) if results else None
    chosen = play.chosen(specs, dropout, seed=seed)
    dropped = (
        play.play(chosen, backend_named(backend), image=image, seed=seed, progress=screen.progress)
        if chosen
        else ()
    )
    counter = screen.counter("tasks expanded", every=EVERY)
    result = survey(specs, expand=expand, dropped=dropped, run=run, progress=counter)
    if out:
        pages.write(result, out)
    reached = findings.goals(result)
    if as_json:
        print(targets.last_line(reached))
    else:
        missed = sum(not goal.met for goal in reached.values())
        where = f"; the report is in {out}" if out else ""
        print(to_markdown(tables.goal_table(reached)), end="")
        if result.blind:
            print(f"\nBlind trials:\n\n{to_markdown(tables.blind_table(result))}")
        print(f"{len(reached) - missed} of {len(reached)} goals met{where}")
    if check and not all(goal.met for goal in reached.values()):
        raise typer.Exit(1)

"""`tmax naturalness`: measure how natural the instructions of the catalogue read."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tmax_gym.analysis.targets import Target, last_line
from tmax_gym.rng import Rng
from tmax_gym.tasks import catalogue
from tmax_trainers.policies.naturalness import load_reader, measure

MEDIAN, HIGH = 3.8, 4.6
"""Goals; texts that people wrote (Terminal-Bench 2) have 3.59 and 4.71."""
EVERY = 50
"""Texts between two lines of progress."""


def run(
    *,
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="Texts, drawn at random.")] = (
        400
    ),
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    model: Annotated[str, typer.Option(help="A directory, or a name of the hub.")] = "",
    check: Annotated[bool, typer.Option("--check", help="Exit 1 if a goal is missed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print only one line of JSON.")] = False,
) -> None:
    """Measure the surprise of a small language model at the prose of instructions."""

    def progress(number: int) -> None:
        if number % EVERY == 0:
            print(f"{number} texts", file=sys.stderr)

    names = Rng("naturalness", seed).sample(catalogue.names(), min(count, len(catalogue.names())))
    texts = catalogue.instructions(names)
    seen = measure((texts[name] for name in sorted(texts)), load_reader(model), progress=progress)
    reached = {
        "naturalness_median": Target(seen.median, MEDIAN),
        "naturalness_p90": Target(seen.high, HIGH),
    }
    if as_json:
        print(last_line(reached))
    else:
        print(
            f"{seen.texts} texts, nats a prose token: p10 {seen.low:.2f}, median "
            f"{seen.median:.2f} (goal {MEDIAN}), p90 {seen.high:.2f} (goal {HIGH})"
        )
    if check and not all(goal.met for goal in reached.values()):
        raise typer.Exit(1)

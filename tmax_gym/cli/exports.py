"""`tmax export`: write our tasks as Harbor task directories, or as rows for other trainers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

exports = typer.Typer(no_args_is_help=True, help="Write tasks in other formats.")

Tasks = Annotated[
    list[str] | None, typer.Argument(help="Tasks or families; all tasks if none is given.")
]
Sample = Annotated[int, typer.Option(help="Only so many tasks, spread over families.")]
Seed = Annotated[int, typer.Option(help="Seed of the sample.")]
Split = Annotated[str | None, typer.Option(help="train, val or test.")]


@exports.callback()
def _group() -> None:
    """Write tasks in other formats."""


@exports.command("harbor")
def harbor(
    place: Annotated[Path, typer.Argument(help="Directory that gets a directory for every task.")],
    tasks: Tasks = None,
    *,
    sample: Sample = 0,
    seed: Seed = 0,
    split: Split = None,
    base: Annotated[
        str, typer.Option(help="Base image of the Dockerfiles; {image} is the task's own.")
    ] = "tmax/{image}:latest",
    verifier: Annotated[
        Literal["separate", "shared"], typer.Option(help="`shared` for old runners.")
    ] = "separate",
    network: Annotated[
        Literal["no-network", "public"],
        typer.Option(
            help="Network of the agent; one that is installed into containers needs `public`."
        ),
    ] = "no-network",
) -> None:
    """Write Harbor task directories: a graded verifier, a solution, a Dockerfile."""
    from tmax_gym.harbor.export.export import ExportOptions, export
    from tmax_gym.tasks import catalogue

    names = _chosen(tasks or (), sample=sample, seed=seed, split=split)
    options = ExportOptions(base=base, verifier=verifier, network=network)
    for name in names:
        print(export(catalogue.load(name), place, options=options), flush=True)
    print(f"{len(names)} tasks in {place}")


@exports.command("rows")
def rows(
    file: Annotated[Path, typer.Argument(help="The JSON Lines file that is written.")],
    tasks: Tasks = None,
    *,
    sample: Sample = 0,
    seed: Seed = 0,
    split: Split = None,
    dialect: Annotated[
        Literal["hermes", "qwen3", "fenced"], typer.Option(help="How replies hold a command.")
    ] = "hermes",
) -> None:
    """Write the tasks as a dataset that verl, SkyRL and open-instruct read."""
    from tmax_gym.adapters.rows import lines

    names = _chosen(tasks or (), sample=sample, seed=seed, split=split)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8") as out:
        out.writelines(lines(names, dialect=dialect))
    print(f"{len(names)} tasks in {file}")


def _chosen(tasks: Sequence[str], *, sample: int, seed: int, split: str | None) -> tuple[str, ...]:
    """Return the names of the tasks that the arguments choose, sorted."""
    from tmax_gym import families
    from tmax_gym.proofs import validate
    from tmax_gym.tasks import catalogue

    wanted = {spec.name for spec in catalogue.select(split=split or None)}
    if tasks:
        named = {catalogue.spec(t).name for t in tasks if t not in families.slugs()}
        wanted &= named | {n for n in wanted if n.partition(".")[0] in tasks}
    names = tuple(sorted(wanted))
    return validate.sample(names, sample, seed) if sample else names

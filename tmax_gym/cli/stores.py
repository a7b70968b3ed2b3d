"""`tmax images` and `tmax catalogue`: list, build and check what is stored."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from tmax_gym.cli import screen
from tmax_gym.errors import TaskNotFound

EVERY = 500
"""Tasks between two lines of progress."""

images = typer.Typer(no_args_is_help=True, help="Base root file systems.")
catalogue = typer.Typer(no_args_is_help=True, help="The stored catalogue of tasks.")


@images.command("list")
def list_images() -> None:
    """List the images that sandboxes can start from; `*` marks the default one."""
    from tmax_gym.sandboxes import images as roots

    for name in roots.available():
        print(
            f"{'*' if name == roots.default_image() else ' '} {name:<16} {roots.resolve(name).id}"
        )


@images.command("build")
def build_image(
    name: Annotated[
        str,
        typer.Argument(help="core: tools of most tasks; poly: C++, Go, Rust too."),
    ],
    *,
    again: Annotated[bool, typer.Option("--again", help="Build it even if it exists.")] = False,
) -> None:
    """Build an image from Debian packages and cache it."""
    from tmax_gym.sandboxes import images as roots

    start = time.monotonic()
    roots.build(name, screen.progress, again=again)
    print(f"image {name} is ready ({time.monotonic() - start:.1f} s)")


@images.command("import")
def import_image(
    name: Annotated[str, typer.Argument(help="Name of the new image.")],
    tarball: Annotated[Path, typer.Argument(help="As written by `docker export`.")],
) -> None:
    """Make an image from a tarball of a root file system."""
    from tmax_gym.sandboxes import images as roots

    roots.import_tar(name, tarball)
    print(f"image {name} is ready")


@images.command("prune")
def prune_images(
    *,
    engine: Annotated[str, typer.Option(help="docker or podman.")] = "docker",
) -> None:
    """Remove unused images that were built from datasets' Dockerfiles."""
    from tmax_gym.sandboxes.docker.engine import Engine, find
    from tmax_gym.sandboxes.docker.images import build

    removed = build.prune(Engine(find(engine)))
    print("\n".join([*removed, f"{len(removed)} images removed"]))


@catalogue.command("build")
def build_catalogue(
    *,
    target: Annotated[
        Path | None, typer.Option(help="Directory; the catalogue's own by default.")
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(min=1, help="Tasks per family, on average; the whole catalogue by default."),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
) -> None:
    """Write the catalogue again from the generator."""
    from tmax_gym.tasks import build

    start = time.monotonic()
    specs = build.build(
        target=target, most=most, jobs=jobs, progress=screen.counter("tasks", every=EVERY)
    )
    print(f"{len(specs)} tasks in {time.monotonic() - start:.1f} s")


@catalogue.command()
def check(
    *,
    jobs: Annotated[int, typer.Option(min=1, help="Processes, each with another hash seed.")] = 2,
) -> None:
    """Regenerate every task; compare its digest with the stored one, and its checks with its proof.

    Exit status 1 if any differs.
    """
    from tmax_gym.sandboxes import tmax_processes

    start = time.monotonic()
    parts = [("catalogue", "differing", "--shard", f"{n}/{jobs}") for n in range(1, jobs + 1)]
    lines = [line for out in tmax_processes.run(parts) for line in out.splitlines()]
    counts = [int(line.split()[1]) for line in lines if line.startswith("checked ")]
    wrong = [line for line in lines if not line.startswith("checked ")]
    print("\n".join([*wrong, f"{sum(counts)} digests recomputed, {len(wrong)} differ"]))
    print(f"{jobs} processes with different hash seeds, {time.monotonic() - start:.1f} s")
    if wrong:
        raise typer.Exit(1)


@catalogue.command(hidden=True)
def differing(
    *, shard: Annotated[str, typer.Option(help="Part i of n, written i/n.")] = "1/1"
) -> None:
    """Print the tasks of a part that differ from the stored ones, and how many were checked."""
    from tmax_gym.proofs import evidence
    from tmax_gym.proofs.validate import shard as part_of
    from tmax_gym.tasks import catalogue as tasks

    names = part_of(tasks.names(), shard)
    rows = evidence.read(evidence.stored())
    for line in evidence.differing([tasks.spec(name) for name in names], rows, jobs=1):
        print(line)
    print(f"checked {len(names)}")


@catalogue.command()
def stats() -> None:
    """Count the tasks by every label."""
    from tmax_gym.tasks import catalogue as tasks

    if not (specs := tasks.select()):
        raise TaskNotFound("the catalogue is empty: run tmax catalogue build")
    print("\n".join(screen.counts(specs)))

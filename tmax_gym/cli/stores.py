"""Commands of what is stored: `tmax images` and `tmax catalogue`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from tmax_gym.errors import TaskNotFound

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
    name: Annotated[str, typer.Argument(help="core: a Debian with the tools of the tasks.")],
    *,
    again: Annotated[bool, typer.Option("--again", help="Build it even if it exists.")] = False,
) -> None:
    """Build an image from Debian packages and cache it."""
    from tmax_gym.sandboxes import images as roots

    start = time.monotonic()
    roots.build(name, lambda line: print(line, file=sys.stderr, flush=True), again=again)
    print(f"image {name} is ready ({time.monotonic() - start:.1f} s)")


@images.command("import")
def import_image(
    name: Annotated[str, typer.Argument(help="What to call it.")],
    tarball: Annotated[Path, typer.Argument(help="As written by `docker export`.")],
) -> None:
    """Make an image from a tarball of a root file system."""
    from tmax_gym.sandboxes import images as roots

    roots.import_tar(name, tarball)
    print(f"image {name} is ready")


@catalogue.command("build")
def build_catalogue(
    *,
    target: Annotated[
        Path | None, typer.Option(help="Directory; the catalogue's own if not given.")
    ] = None,
) -> None:
    """Write the catalogue anew from the generator."""
    from tmax_gym import build

    start = time.monotonic()
    specs = build.build(target=target)
    print(f"{len(specs)} tasks in {time.monotonic() - start:.1f} s")


@catalogue.command()
def stats() -> None:
    """Count the tasks by every label."""
    from tmax_gym import catalogue as tasks
    from tmax_gym import screen

    if not (found := tasks.select()):
        raise TaskNotFound("the catalogue is empty: run tmax catalogue build")
    print("\n".join(screen.counts(found)))

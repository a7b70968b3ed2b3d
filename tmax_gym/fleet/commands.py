"""`tmax fleet`: start nodes that work for the driver of a fleet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

fleet = typer.Typer(help="Nodes that play and validate for a driver elsewhere.")


@fleet.callback()
def _group() -> None:
    """Nodes that play and validate for a driver elsewhere."""


@fleet.command()
def node(
    file: Annotated[Path, typer.Argument(help="Where the driver writes its address.")],
    *,
    room: Annotated[int, typer.Option(min=1, help="Leases at the same time.")] = 64,
    idle: Annotated[
        float, typer.Option(min=0, help="Seconds without a driver to end after; 0: with the first.")
    ] = 600.0,
    name: Annotated[str, typer.Option(help="Of this node; the host's name if not given.")] = "",
) -> None:
    """Work for the drivers whose address is in a file, one after the other."""
    from tmax_gym.fleet.serving import serve

    drivers = serve(file, room=room, idle=idle, name=name)
    print(f"worked for {drivers} drivers")

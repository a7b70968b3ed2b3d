"""Find commands of other packages by the entry point group `tmax.commands`.

A command is loaded only when it is called.
"""

from __future__ import annotations

from importlib import metadata
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from tmax_gym.errors import TmaxError

GROUP = "tmax.commands"


class Commands(TyperGroup):
    """The commands of this package and those of others."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return every name."""
        return [*super().list_commands(ctx), *sorted(_plugins())]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; for a plugin, a stand-in that loads it when invoked."""
        command = super().get_command(ctx, cmd_name)
        if command is None and cmd_name in _plugins():
            return _stand_in(_plugins()[cmd_name])
        return command


def loaded(app: typer.Typer) -> typer.Typer:
    """Return an app with the commands of others in it, not stand-ins: for a reference of them."""
    whole = typer.Typer(name="tmax", help=app.info.help, add_completion=False)
    whole.registered_commands = list(app.registered_commands)
    whole.registered_groups = list(app.registered_groups)
    for name, point in sorted(_plugins().items()):
        whole.command(name)(point.load())
    return whole


def _plugins() -> dict[str, metadata.EntryPoint]:
    return {point.name: point for point in metadata.entry_points(group=GROUP)}


def _stand_in(point: metadata.EntryPoint) -> Any:
    """Return a command that loads the plugin only to run it: `--help` stays quick."""
    stand_in = typer.Typer(add_completion=False)

    @stand_in.command(
        point.name,
        help=f"See: tmax {point.name} --help  (from {point.module.partition('.')[0]})",
        context_settings={"ignore_unknown_options": True, "help_option_names": []},
    )
    def call(arguments: Annotated[list[str] | None, typer.Argument()] = None) -> None:
        try:
            function = point.load()
        except ModuleNotFoundError as error:
            raise TmaxError(
                f"tmax {point.name} needs the package {error.name}, which is not installed.\n"
                "Install it with: pip install 'tmax-gym[train]'"
            ) from error
        loaded = typer.Typer(add_completion=False)
        loaded.command(point.name)(function)
        typer.main.get_command(loaded).main(arguments or [], prog_name=f"tmax {point.name}")

    return typer.main.get_command(stand_in)

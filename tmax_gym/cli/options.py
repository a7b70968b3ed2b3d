"""Command-line options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Backends = Literal["auto", "native", "docker", "podman", "apptainer", "singularity", "gvisor",
                   "kubernetes"]  # fmt: skip
Backend = Annotated[Backends, typer.Option(help="Where sandboxes run.")]
Sandbox = Annotated[Backends, typer.Option("-s", "--sandbox", help="Where sandboxes run.")]
Image = Annotated[str | None, typer.Option(help="Base image; the default one if not given.")]
Jobs = Annotated[int, typer.Option("-j", "--jobs", min=1, help="Trials at once on this machine.")]
Fleet = Annotated[
    str,
    typer.Option(help="Run on other machines: local:N, ray:ADDRESS, slurm:FILE or nodes:FILE."),
]
Leases = Annotated[
    Path | None,
    typer.Option(help="File of the fleet's leases and results; a stopped run goes on from it."),
]
Host = Annotated[
    str, typer.Option(help="Address of this machine that nodes of a fleet can reach; its name.")
]

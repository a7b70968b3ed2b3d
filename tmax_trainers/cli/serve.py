"""`tmax serve`: start a vLLM server with the right flags, in the foreground.

The server is ready when its address is printed.  In a cluster, start one on each machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tmax_trainers.engines.vllm import plugin
from tmax_trainers.engines.vllm.launch import READY, Server, ServerOptions, command


def run(
    model: Annotated[str, typer.Argument(help="A directory, or a name of the hub.")],
    *,
    python: Annotated[str, typer.Option(help="Python with vLLM installed.")] = "",
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes a free one.")] = 8000,
    dtype: Annotated[str, typer.Option(help="As vLLM's --dtype.")] = "auto",
    max_model_len: Annotated[int | None, typer.Option(help="Longest sequence.")] = None,
    fp32_head: Annotated[bool, typer.Option(help="Logits in float32.")] = True,
    transfer: Annotated[str, typer.Option(help="How weights arrive: tmax_files or nccl.")] = (
        plugin.NAME
    ),
    log: Annotated[Path | None, typer.Option(help="Log file of the server.")] = None,
    ready: Annotated[float, typer.Option(help="Seconds until it must answer.")] = READY,
    more: Annotated[list[str] | None, typer.Option("--arg", help="Further argument.")] = None,
    dry_run: Annotated[bool, typer.Option(help="Print the command line only.")] = False,
) -> None:
    """Serve a policy for training: token ids in and out, weights replaced in flight."""
    options = ServerOptions(
        model, host=host, port=port, dtype=dtype, max_model_len=max_model_len,
        fp32_head=fp32_head, transfer=transfer, more=tuple(more or ()),
        **({"python": python} if python else {}),
    )  # fmt: skip
    if dry_run:
        print(" ".join(command(options)))
        return
    with Server(options, log=log, ready=ready) as server:
        print(f"serving {model} at {server.url} (log: {server.log})", flush=True)
        try:
            raise typer.Exit(server.wait())
        except KeyboardInterrupt:
            print("stopping")

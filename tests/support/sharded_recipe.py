"""A recipe in two gloo ranks: killed and resumed, in one piece, with whole weights, and in one.

python -m tests.support.sharded_recipe OUT

Writes below OUT the runs `killed` and `whole`, which two ranks with sharded weights make, and
`alone`, which one process makes: all end with the same step.  FSDP is configured as
`recipes/accelerate/fsdp.yaml` has it.  Two ranks with copies of the weights take the two steps of
`copies`.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import torch
import yaml
from rich.console import Console

from tests.support.coin_recipe import CoinBook, coin_recipe
from tmax_trainers.dppo import checkpoints
from tmax_trainers.recipes import files, run
from tmax_trainers.recipes.recipe import Recipe

# The epsilon is large because Adam else divides rounding errors by themselves.
SIZES = ("saving.evaluate_every=0", "saving.checkpoint_every=1", "optimization.epsilon=1e-3",
         "optimization.gain_factor=2")  # fmt: skip
LONG = 1000
"""Steps of the run that is killed."""


def environment(rank: int, ranks: int, port: int, *, sharded: bool) -> dict[str, str]:
    """Return what `accelerate launch` tells a rank."""
    if ranks == 1:
        return {}
    told = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(ranks)}
    told |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    if not sharded:
        return told
    file = files.PACKAGED / "accelerate" / "fsdp.yaml"
    config = yaml.safe_load(file.read_text(encoding="utf-8"))["fsdp_config"]
    told |= {key.upper(): str(value) for key, value in config.items()}
    return told | {"ACCELERATE_USE_FSDP": "true"}


def sharded_recipe(steps: int, ranks: int) -> Recipe:
    """Return the recipe whose result depends on no number of ranks."""
    # Two ranks have two micro-batches each; the same four for one process.
    return coin_recipe(
        *SIZES, f"optimization.micro_batches={4 // ranks}", f"optimization.steps={steps}"
    )


def start(
    out: Path, recipe: Recipe, *, ranks: int, sharded: bool = True, resume: bool = False
) -> list[int]:
    """Start the processes of a run; return their ids."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    gc.freeze()  # a trainer starts full collections: they need not look at modules
    started = []
    for rank in range(ranks):
        # A fork spares each process the import of torch, which starts no thread by itself.
        if process := os.fork():
            started.append(process)
            continue
        os.environ.update(environment(rank, ranks, port, sharded=sharded))
        code = 1
        try:
            run.train(recipe, out, resume=resume, console=Console(file=StringIO()))
            code = 0
        finally:
            # Threads of gloo can end a process that leaves by the ordinary way (torch 2.13).
            if code:
                traceback.print_exc()
            sys.stderr.flush()
            os._exit(code)
    return started


def wait(processes: Sequence[int]) -> None:
    """Wait for the end of processes; raise where one failed."""
    codes = [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes]
    if any(codes):
        raise SystemExit(f"ranks ended with {codes}")


def kill_after_two_steps(out: Path) -> int:
    """Kill a run with SIGKILL after its second checkpoint; return the last complete step."""
    ranks = start(out, sharded_recipe(LONG, 2), ranks=2)
    while not (newest := checkpoints.latest(out)) or newest[0] < 2:
        if any(os.waitpid(rank, os.WNOHANG)[0] for rank in ranks):
            raise SystemExit("a rank ended before its second checkpoint")
        time.sleep(0.02)
    for rank in ranks:
        os.kill(rank, signal.SIGKILL)
    for rank in ranks:
        os.waitpid(rank, 0)
    newest = checkpoints.latest(out)
    assert newest is not None
    return newest[0]


def main() -> None:
    """Run everything."""
    out = Path(sys.argv[1])
    torch.set_num_threads(1)
    run.task_book = CoinBook  # type: ignore[assignment]
    last = kill_after_two_steps(out / "killed") + 1
    wait(start(out / "killed", sharded_recipe(last, 2), ranks=2, resume=True))
    wait(start(out / "whole", sharded_recipe(last, 2), ranks=2))
    wait(start(out / "alone", sharded_recipe(last, 1), ranks=1))
    recipe = coin_recipe("optimization.steps=2", "optimization.micro_batches=1")
    wait(start(out / "copies", recipe, ranks=2, sharded=False))


if __name__ == "__main__":
    main()

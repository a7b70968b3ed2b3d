"""`tmax train RECIPE`: a run from a file, or a description of what would run."""

from __future__ import annotations

import atexit
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tmax_gym.errors import RecipeError, TmaxError
from tmax_trainers.recipes import files
from tmax_trainers.recipes.plan.estimate import Plan, lines
from tmax_trainers.recipes.plan.refusals import check
from tmax_trainers.recipes.recipe import Recipe


def run(
    recipe: Annotated[
        str, typer.Argument(help="A packaged recipe (cpu_tiny, tmax_9b, ...) or a YAML file.")
    ] = "",
    *,
    override: Annotated[
        list[str] | None,
        typer.Option("--set", help="section.key=value; may be given several times."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where files are written; runs/<recipe> by default.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the last checkpoint.")
    ] = False,
    fleet: Annotated[
        str,
        typer.Option(help="Play on other machines: local:N, ray:ADDRESS, slurm:FILE, nodes:FILE."),
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would run, and the memory of a GPU.")
    ] = False,
) -> None:
    """Train a policy on terminal tasks as a recipe says."""
    if not recipe:
        raise RecipeError(f"name a recipe: {', '.join(files.names())}, or a file")
    more = [f"rollouts.fleet={fleet}"] if fleet else []
    chosen = files.read(recipe, [*(override or ()), *more])
    if dry_run:
        print("\n".join(described(recipe, chosen, check(chosen))))
        return
    from tmax_trainers.recipes.run import train

    atexit.register(_leave)
    console = Console(highlight=False, soft_wrap=True)
    outcome = train(chosen, out or Path("runs") / chosen.name, resume=resume, console=console)
    console.print(f"{outcome.steps} steps in {outcome.seconds:.0f} s")
    if outcome.best is not None:
        console.print(
            f"best: checkpoint-{outcome.best.step}, held-out reward {outcome.best.reward:.3f} "
            f"[{outcome.best.low:.3f}, {outcome.best.high:.3f}]"
        )


def described(name: str, recipe: Recipe, plan: Plan) -> list[str]:
    """Return what would run: all values, what follows from them, and the command for this name."""
    rollouts, steps = recipe.rollouts, recipe.optimization.steps
    batch = rollouts.groups_per_step * rollouts.group_size
    ahead = (rollouts.max_staleness + 1) * batch
    processes = recipe.cluster.trainer_processes
    shared = recipe.optimization.sequence_parallel
    rows = processes // shared * recipe.optimization.micro_batches
    return [
        files.dump(recipe).rstrip(),
        "",
        f"# a step: {rollouts.groups_per_step} groups x {rollouts.group_size} = {batch} episodes; "
        f"{steps} steps = {batch * steps:,} episodes that are trained on",
        f"# at most {ahead:,} episodes ahead of the trainer, {rollouts.concurrent} of them running",
        f"# an episode: {rollouts.max_steps} commands, {rollouts.response_tokens:,} tokens after "
        f"its prompt, {rollouts.turn_tokens:,} a reply",
        f"# a batch is cut into {rows} micro-batches over {processes} trainer process(es)",
        *(f"# {line}" for line in lines(recipe, plan)),
        f"# run it with: {_command(name, recipe)}",
    ]


def _command(name: str, recipe: Recipe) -> str:
    """Return what starts the recipe, on the first of its machines."""
    processes = recipe.cluster.trainer_processes
    if processes == 1 and not recipe.cluster.accelerate:
        return f"tmax train {name}"
    config = ""
    if recipe.cluster.accelerate:
        config = f"--config_file {files.accelerate_file(recipe.cluster.accelerate)} "
    return (
        f"accelerate launch {config}--num_processes {processes} -m tmax_trainers.cli.train {name}"
    )


def _leave() -> None:
    """End the process group: gloo's thread drops its last tensors while Python is torn down."""
    import torch.distributed as dist

    if dist.is_available() and dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":  # for `accelerate launch -m`
    try:
        typer.run(run)
    except TmaxError as error:
        sys.exit(f"tmax train: {error}")

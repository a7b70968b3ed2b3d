"""The `tmax` command.

Covers the doctor, looking at tasks, playing and proving them, comparing runs, measuring the
catalogue, storing it, and base images;
`tmax demo` and the like come from other packages through the entry point group
`tmax.commands`.  Every command imports what it needs when it runs.
Errors of this package end here: one message, exit status 1.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tmax_gym.cli import analyze, compare, stores
from tmax_gym.cli.plugins import Commands
from tmax_gym.errors import TmaxError

if TYPE_CHECKING:
    from tmax_gym.agents import Agent
    from tmax_gym.task import Task
    from tmax_gym.validate import Proof

BackendName = Annotated[
    Literal["auto", "native", "docker", "podman", "apptainer", "singularity"],
    typer.Option(help="Where sandboxes run."),
]
Image = Annotated[str | None, typer.Option(help="Base image; the default one if not given.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]

STORE_EVERY = 50
"""Proofs between two writes of the evidence: what an interrupted sweep may lose."""

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Graded tasks in real, isolated terminals.",
)
app.add_typer(stores.images, name="images")
app.add_typer(stores.catalogue, name="catalogue")
app.command("compare")(compare.compare)
app.command("analyze")(analyze.analyze)


def main() -> None:
    """Run the command line; the only place where errors become an exit status."""
    try:
        app()
    except TmaxError as error:
        print(f"tmax: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


@app.command()
def doctor(as_json: Json = False) -> None:
    """Say what works on this machine, what does not, and what to do about it."""
    from tmax_gym import doctor as doctors
    from tmax_gym import screen

    found = []
    for finding in doctors.examine():
        found.append(finding)
        print(json.dumps(asdict(finding)) if as_json else screen.finding(finding), flush=True)
    if not doctors.healthy(found):
        raise typer.Exit(1)


@app.command("list")
def list_tasks(
    *,
    domain: Annotated[str | None, typer.Option(help="For example: security.")] = None,
    family: Annotated[str | None, typer.Option(help="Slug of the last stage's family.")] = None,
    split: Annotated[str | None, typer.Option(help="train, val or test.")] = None,
    complexity: Annotated[
        str | None, typer.Option(help="short, moderate, complex or intricate.")
    ] = None,
    fixture: Annotated[str | None, typer.Option(help="For example: image.")] = None,
    verifier: Annotated[str | None, typer.Option(help="For example: exact_text.")] = None,
    as_json: Json = False,
) -> None:
    """List tasks with these labels: name, domain, complexity, split, fixture, verifier."""
    from tmax_gym import catalogue, screen

    found = catalogue.select(
        domain=domain,
        family=family,
        split=split,
        complexity=complexity,
        fixture=fixture,
        verifier=verifier,
    )
    for line in (spec.to_json() for spec in found) if as_json else screen.rows(found):
        print(line)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A task, with or without `tmax/`.")],
    *,
    oracle: Annotated[bool, typer.Option("--oracle", help="The reference solution too.")] = False,
) -> None:
    """Show a task: axes, instruction, files, deliverables, grading."""
    from tmax_gym import catalogue, screen

    print(screen.described(catalogue.load(name), oracle=oracle))


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="A task, with or without `tmax/`.")],
    *,
    agent: Annotated[
        str, typer.Option(help="oracle, noop, alternative, or a mistake or cheat by its name.")
    ] = "oracle",
    backend: BackendName = "auto",
    image: Image = None,
    seed: Annotated[int, typer.Option(help="Of the episode.")] = 0,
    as_json: Json = False,
) -> None:
    """Play one episode in a sandbox and show it with its verdict."""
    from tmax_gym import catalogue, screen, trajectory
    from tmax_gym.rollout import rollout

    task = catalogue.load(name)
    played = rollout(task, _agent(task, agent), backend=backend, image=image, seed=seed)
    if as_json:
        print(trajectory.to_json(played))
    else:
        print(f"{task.instruction}\n")
        print("\n".join(screen.episode(played)))
    if played.reward is None:
        raise TmaxError(f"nothing was graded: {played.ending}: {played.message}")


def _agent(task: Task, name: str) -> Agent:
    from tmax_gym import agents, hostile

    if name == "oracle":
        return agents.oracle(task)
    if name == "noop":
        return agents.noop()
    if name == "alternative" and task.alternative is not None:
        return agents.ScriptedAgent(task.alternative, name=name)
    ways = {a.name: a for a in (*task.mutants, *task.exploits, *hostile.attempts(task))}
    if name not in ways:
        raise TmaxError(
            f"no agent is called {name!r} for {task.name}.\n"
            f"There are: {', '.join(('oracle', 'noop', 'alternative', *ways))}"
        )
    return agents.ScriptedAgent(ways[name].commands, name=name)


@app.command()
def validate(
    tasks: Annotated[
        list[str] | None, typer.Argument(help="Tasks or families; all tasks if none is given.")
    ] = None,
    *,
    sample: Annotated[int, typer.Option(help="Prove only so many, spread over families.")] = 0,
    seed: Annotated[int, typer.Option(help="Of the sample.")] = 0,
    cheats: Annotated[
        bool, typer.Option("--cheats", help="Mistakes, exploits and hostile agents too.")
    ] = False,
    keep: Annotated[bool, typer.Option("--store", help="Store evidence in env_specs/.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Tasks at the same time.")] = 2,
    backend: BackendName = "auto",
    image: Image = None,
    as_json: Json = False,
) -> None:
    """Prove tasks: oracle earns 1, nothing done earns 0.  Exit status 1 if any is not proven."""
    from tmax_gym import screen
    from tmax_gym import validate as proofs
    from tmax_gym.sandboxes import backend as backend_named
    from tmax_gym.sandboxes.images import default_image

    start = time.monotonic()
    names = _names(tasks or ())
    names = proofs.sample(names, sample, seed) if sample else names
    if keep:
        names = _unproven(names, cheats=cheats)
    found: list[Proof] = []
    for proof in proofs.sweep(
        names, backend_named(backend), image=image or default_image(), cheats=cheats, jobs=jobs
    ):
        found.append(proof)
        print(proof.to_json() if as_json else screen.proof(proof), flush=True)
        if keep and len(found) % STORE_EVERY == 0:
            _store(found)
    if keep:
        _store(found)
    failed = sum(bool(proof.problems) for proof in found)
    seconds = round(time.monotonic() - start, 1)
    proven = len(found) - failed
    if as_json:
        print(json.dumps({"proven": proven, "failed": failed, "seconds": seconds}))
    else:
        print(f"{proven} proven, {failed} failed in {seconds} s")
    if failed or not (found or keep):
        raise typer.Exit(1)


def _unproven(names: Sequence[str], *, cheats: bool) -> tuple[str, ...]:
    """Return the tasks without stored evidence for what they are now."""
    from tmax_gym import catalogue
    from tmax_gym import validate as proofs

    stored = proofs.read_evidence(catalogue.root() / "evidence.jsonl.gz")
    left = tuple(n for n in names if not proofs.is_current(stored.get(n), cheats=cheats))
    print(f"{len(names) - len(left)} of {len(names)} have current evidence", flush=True)
    return left


def _names(wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the tasks that these names and families mean, in order and once each."""
    from tmax_gym import catalogue, families

    if not wanted:
        return catalogue.names()
    found: list[str] = []
    for word in wanted:
        if word in families.slugs():
            found += [spec.name for spec in catalogue.select(family=word)]
        else:
            found.append(catalogue.spec(word).name)
    return tuple(dict.fromkeys(found))


def _store(found: Sequence[Proof]) -> None:
    """Merge proofs into the stored evidence; tasks that no longer exist are forgotten."""
    from tmax_gym import catalogue
    from tmax_gym import validate as proofs

    file = catalogue.root() / "evidence.jsonl.gz"
    stored: dict[str, Any] = proofs.read_evidence(file)
    known = set(catalogue.names())
    merged = {name: proofs.Proof(**row) for name, row in stored.items() if name in known}
    proofs.write_evidence(file, {**merged, **{proof.name: proof for proof in found}}.values())

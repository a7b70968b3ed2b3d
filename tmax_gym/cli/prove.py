"""`tmax validate`: proofs of tasks, resumable, and the evidence that they leave."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from tmax_gym.proofs.validate import Depth, Proof
    from tmax_gym.tasks.spec import TaskSpec

STORE_EVERY = 25
"""Proofs between two writes of the evidence: what an interrupted sweep may lose."""


def validate(
    tasks: Annotated[
        list[str] | None, typer.Argument(help="Tasks or families; all tasks if none is given.")
    ] = None,
    *,
    sample: Annotated[int, typer.Option(help="Prove only so many, spread over families.")] = 0,
    seed: Annotated[int, typer.Option(help="Of the sample.")] = 0,
    shard: Annotated[str, typer.Option(help="Prove part i of n only, given as i/n.")] = "1/1",
    cheats: Annotated[
        bool, typer.Option("--cheats", help="Mistakes, exploits and hostile agents too.")
    ] = False,
    deep: Annotated[
        bool,
        typer.Option("--deep", help="Also prefixes, commands left out, and final files twice."),
    ] = False,
    keep: Annotated[
        bool,
        typer.Option("--store", help="Store evidence in env_specs/ as it comes; skip what has it."),
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Tasks at the same time.")] = 2,
    backend: Annotated[
        Literal["auto", "native", "docker", "podman", "apptainer", "singularity"],
        typer.Option(help="Where sandboxes run."),
    ] = "auto",
    image: Annotated[
        str | None, typer.Option(help="Base image; the one that each task names if not given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")] = False,
) -> None:
    """Prove tasks: oracle earns 1, nothing done earns 0.  Exit status 1 if any is not proven."""
    from tmax_gym.cli import screen
    from tmax_gym.proofs import validate as proofs
    from tmax_gym.sandboxes import backend as backend_named

    start = time.monotonic()
    depth = proofs.Depth(cheats=cheats, deep=deep)
    names = _names(tasks or (), image)
    names = proofs.shard(proofs.sample(names, sample, seed) if sample else names, shard)
    if keep:
        names = _unproven(names, depth, jobs)
    found: list[Proof] = []
    new: list[Proof] = []
    sweep = proofs.sweep(names, backend_named(backend), image=image, depth=depth, jobs=jobs)
    try:
        for proof in sweep:
            found.append(proof)
            new.append(proof)
            print(proof.to_json() if as_json else screen.proof(proof), flush=True)
            if keep and len(new) >= STORE_EVERY:
                _store(new)
                new = []
    finally:
        if keep and new:
            _store(new)
    _report(found, time.monotonic() - start, as_json=as_json)
    if any(p.problems and not p.undecided for p in found) or not (found or keep):
        raise typer.Exit(1)


def _report(found: Sequence[Proof], seconds: float, *, as_json: bool) -> None:
    """Print what is wrong, once more at the end, and the counts."""
    undecided = [proof for proof in found if proof.undecided]
    failed = [proof for proof in found if proof.problems and not proof.undecided]
    proven = len(found) - len(failed) - len(undecided)
    if as_json:
        counts = {"proven": proven, "failed": len(failed), "undecided": len(undecided)}
        print(json.dumps({**counts, "seconds": round(seconds, 1)}))
        return
    for title, proofs in (("not proven", failed), ("machines failed", undecided)):
        if proofs:
            width = max(len(proof.name) for proof in proofs)
            rows = [f"{proof.name:{width}}  {proof.problems[0]}" for proof in proofs]
            print("\n".join(["", f"# {title}", *rows]))
    more = f", {len(undecided)} undecided" if undecided else ""
    each = f", {seconds / len(found):.2f} s a task" if found else ""
    print(f"{proven} proven, {len(failed)} failed{more} in {seconds:.1f} s{each}")


def _unproven(names: Sequence[str], depth: Depth, jobs: int) -> tuple[str, ...]:
    """Return the tasks without stored evidence for what they are now."""
    from tmax_gym.proofs import evidence

    if carried := evidence.carry(evidence.stored(), jobs=jobs):
        print(f"{carried} proofs hold for new words", flush=True)
    stored = evidence.read(evidence.stored())
    left = tuple(n for n in names if not evidence.is_current(stored.get(n), depth=depth))
    print(f"{len(names) - len(left)} of {len(names)} have current evidence", flush=True)
    return left


def _names(wanted: Sequence[str], image: str | None) -> tuple[str, ...]:
    """Return the tasks that these names and families mean, in order and once each.

    Without an image given, those whose own is not here are left out, with a line on them.

    Raises:
        ImageError: One of them was asked for by its name.
    """
    from tmax_gym import families
    from tmax_gym.errors import ImageError
    from tmax_gym.tasks import catalogue

    named = [catalogue.spec(word) for word in wanted if word not in families.slugs()]
    found: list[TaskSpec] = [] if wanted else list(catalogue.select())
    for word in wanted:
        if word in families.slugs():
            found += catalogue.select(family=word)
        else:
            found.append(catalogue.spec(word))
    if image is None:
        _, missing = catalogue.runnable(named)
        if missing:
            raise ImageError("\n".join(missing))
        kept, missing = catalogue.runnable(found)
        found = list(kept)
        for line in missing:
            print(f"left out: {line}", file=sys.stderr)
    return tuple(dict.fromkeys(spec.name for spec in found))


def _store(found: Sequence[Proof]) -> None:
    from tmax_gym.proofs import evidence

    evidence.add(evidence.stored(), found)

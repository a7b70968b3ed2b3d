"""`tmax validate`: prove tasks, and store the proofs so that a sweep can be resumed."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tmax_gym.cli.options import Backend, Fleet, Host, Leases

if TYPE_CHECKING:
    from tmax_gym.proofs.validate import Depth, Proof
    from tmax_gym.tasks.spec import TaskSpec

    Part = tuple[Sequence[str], Depth]

STORE_EVERY = 25
"""Proofs between two writes of the evidence; an interrupted sweep may lose them."""


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
    cheat_sample: Annotated[
        int, typer.Option(help="Try cheats on only so many, spread over families.")
    ] = 0,
    deep: Annotated[
        bool,
        typer.Option("--deep", help="Also prefixes, commands left out, and final files twice."),
    ] = False,
    keep: Annotated[
        bool,
        typer.Option("--store", help="Store evidence in env_specs/ as it comes; skip what has it."),
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Tasks at the same time.")] = 2,
    backend: Backend = "auto",
    image: Annotated[
        str | None, typer.Option(help="Base image; the one that each task names if not given.")
    ] = None,
    fleet: Fleet = "",
    leases: Leases = None,
    host: Host = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")] = False,
) -> None:
    """Prove tasks: oracle earns 1, nothing done earns 0.  Exit status 1 if any is not proven."""
    from tmax_gym.cli import screen
    from tmax_gym.proofs import validate

    start = time.monotonic()
    depth = validate.Depth(cheats=cheats, deep=deep)
    names = _names(tasks or (), image)
    names = validate.shard(validate.sample(names, sample, seed) if sample else names, shard)
    if keep:
        names = _unproven(names, depth, jobs)
    proofs: list[Proof] = []
    new: list[Proof] = []
    cheated = frozenset(names if cheats else validate.sample(names, cheat_sample, seed))
    parts = (
        ([n for n in names if n in cheated], validate.Depth(cheats=True, deep=deep)),
        ([n for n in names if n not in cheated], validate.Depth(deep=deep)),
    )
    if fleet:
        sweep = _on_fleet(parts, (fleet, host, leases), backend=backend, image=image)
    else:
        sweep = _here(parts, backend=backend, image=image, jobs=jobs)
    try:
        for proof in sweep:
            proofs.append(proof)
            new.append(proof)
            print(proof.to_json() if as_json else screen.proof(proof), flush=True)
            if keep and len(new) >= STORE_EVERY:
                _store(new)
                new = []
    finally:
        if keep and new:
            _store(new)
    _report(proofs, time.monotonic() - start, as_json=as_json)
    if any(p.problems and not p.undecided for p in proofs) or not (proofs or keep):
        raise typer.Exit(1)


def _here(parts: Sequence[Part], *, backend: str, image: str | None, jobs: int) -> Iterator[Proof]:
    from tmax_gym.proofs import validate
    from tmax_gym.sandboxes import backend as backend_named

    for names, depth in parts:
        yield from validate.sweep(
            names, backend_named(backend), image=image, depth=depth, jobs=jobs
        )


def _on_fleet(
    parts: Sequence[Part], fleet: tuple[str, str, Path | None], *, backend: str, image: str | None
) -> Iterator[Proof]:
    from tmax_gym.fleet.clusters import open_cluster
    from tmax_gym.fleet.driver import Driver
    from tmax_gym.fleet.leases import MEMORY, LeaseBook
    from tmax_gym.proofs import fleet as fleets

    name, host, leases = fleet
    job = fleets.Proofs(backend, image)
    book = LeaseBook(leases or MEMORY, job=job.digest)
    works = (w for names, depth in parts for w in fleets.works(names, depth, image=image))
    with Driver(open_cluster(name, host=host), book, job) as driver:
        yield from fleets.sweep(driver, works, backend=backend)
        print(driver.timings, file=sys.stderr)


def _report(proofs: Sequence[Proof], seconds: float, *, as_json: bool) -> None:
    """Print all problems again at the end, and the counts."""
    undecided = [proof for proof in proofs if proof.undecided]
    failed = [proof for proof in proofs if proof.problems and not proof.undecided]
    proven = len(proofs) - len(failed) - len(undecided)
    if as_json:
        counts = {"proven": proven, "failed": len(failed), "undecided": len(undecided)}
        print(json.dumps({**counts, "seconds": round(seconds, 1)}))
        return
    for title, listed in (("not proven", failed), ("machines failed", undecided)):
        if listed:
            width = max(len(proof.name) for proof in listed)
            rows = [f"{proof.name:{width}}  {proof.problems[0]}" for proof in listed]
            print("\n".join(["", f"# {title}", *rows]))
    more = f", {len(undecided)} undecided" if undecided else ""
    each = f", {seconds / len(proofs):.2f} s a task" if proofs else ""
    print(f"{proven} proven, {len(failed)} failed{more} in {seconds:.1f} s{each}")


def _unproven(names: Sequence[str], depth: Depth, jobs: int) -> tuple[str, ...]:
    """Return the tasks without current evidence."""
    from tmax_gym.proofs import evidence

    if carried := evidence.carry(evidence.stored(), jobs=jobs):
        print(f"{carried} proofs hold for new texts", flush=True)
    stored = evidence.read(evidence.stored())
    left = tuple(n for n in names if not evidence.is_current(stored.get(n), depth=depth))
    print(f"{len(names) - len(left)} of {len(names)} have current evidence", flush=True)
    return left


def _names(wanted: Sequence[str], image: str | None) -> tuple[str, ...]:
    """Return the tasks with these names or of these families, in order, each once.

    Unless an image is given, tasks whose own image is missing are left out and listed.

    Raises:
        ImageError: A task that was given by name is among them.
    """
    from tmax_gym import families
    from tmax_gym.errors import ImageError
    from tmax_gym.tasks import catalogue

    named = [catalogue.spec(word) for word in wanted if word not in families.slugs()]
    specs: list[TaskSpec] = [] if wanted else list(catalogue.select())
    for word in wanted:
        if word in families.slugs():
            specs += catalogue.select(family=word)
        else:
            specs.append(catalogue.spec(word))
    if image is None:
        _, missing = catalogue.runnable(named)
        if missing:
            raise ImageError("\n".join(missing))
        kept, missing = catalogue.runnable(specs)
        specs = list(kept)
        for line in missing:
            print(f"left out: {line}", file=sys.stderr)
    return tuple(dict.fromkeys(spec.name for spec in specs))


def _store(proofs: Sequence[Proof]) -> None:
    from tmax_gym.proofs import evidence

    evidence.add(evidence.stored(), proofs)

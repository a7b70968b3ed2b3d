"""What a make file has to do: its inputs now, those that come later, and what else it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.families.contract import Following, World
from tmax_gym.families.products import Case, Program
from tmax_gym.families.shared import program_runs
from tmax_gym.nodes import Node

FOLDERS = (("in", "out"), ("inputs", "outputs"), ("raw", "results"), ("drop", "answers"))
LATER = 2
"""Inputs that the verifier adds."""


@dataclass(frozen=True, slots=True)
class Input:
    """One input of the make file."""

    name: str
    """Without its ending."""
    case: Case


@dataclass(frozen=True, kw_only=True)
class Plant(World):
    """The decided facts."""

    home: str
    makefile: str
    source: str
    target: str
    """The directories of the inputs and of the outputs, relative to `home`."""
    ending: str
    result: str
    binary: str
    """Where the make file compiles the program to, relative to `home`; "" if it need not."""
    joined: str
    """The file of all outputs together, relative to `home`; "" if there is none."""
    parallel: bool
    """Whether several jobs at a time are promised."""
    failing: bool
    """Whether some right run ends with a status other than 0."""
    standing: tuple[Input, ...]
    """The inputs of the world, in byte order."""
    later: tuple[Input, ...]
    """The inputs that the verifier adds, in byte order."""
    changed: Case
    """What the verifier makes of the first input."""

    def input(self, name: str) -> str:
        """Return the path of an input."""
        return f"{self.home}/{self.source}/{name}.{self.ending}"

    def output(self, name: str) -> str:
        """Return the path of an output."""
        return f"{self.home}/{self.target}/{name}.{self.result}"


def drawn_plant(ctx: Following[Program]) -> Plant:
    """Return the facts for the program of an earlier stage."""
    product = ctx.product
    rng = ctx.rng.fork("plant", product.noun)
    count = ctx.knob(3, 7) + rng.integer(0, 1)
    *cases, changed = program_runs.drawn(product, rng.fork("cases"), count + LATER + 1)
    names = program_runs.input_names(product, rng.fork("names"), len(cases))
    every = [Input(name, case) for name, case in zip(names, cases, strict=True)]
    later = sorted(rng.sample(range(len(every)), LATER))
    standing = [one for number, one in enumerate(every) if number not in later]
    source, target = rng.choice(FOLDERS)
    ending, result = rng.choice(program_runs.ENDINGS), rng.choice(program_runs.RESULTS)
    stem = product.source.rpartition("/")[2].partition(".")[0]
    binary = f"{rng.choice(('bin', 'build'))}/{stem}"
    joined = rng.choice(("all.txt", "joined.txt", "everything.txt"))
    makefile = ctx.path("Makefile")
    joined = joined if rng.chance(0.5) else ""
    extra = (ctx.path(joined),) if joined else ()
    return Plant(
        nodes=_files(ctx.path(source), ending, standing, changed),
        outputs=(makefile, ctx.path(target), *extra),
        home=ctx.home,
        makefile=makefile,
        source=source,
        target=target,
        ending=ending,
        result=result,
        binary=binary if product.build else "",
        joined=joined,
        parallel=rng.chance(0.4),
        failing=program_runs.failing([*cases, changed]),
        standing=tuple(standing),
        later=tuple(every[number] for number in later),
        changed=changed,
    )


def _files(folder: str, ending: str, standing: Sequence[Input], other: Case) -> tuple[Node, ...]:
    """Return the inputs, and a file beside them that is none."""
    kept = [Node(f"{folder}/{one.name}.{ending}", data=one.case.stdin) for one in standing]
    return (*kept, Node(f"{folder}/{standing[-1].name}.{ending}.bak", data=other.stdin))

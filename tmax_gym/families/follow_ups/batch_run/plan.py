"""What a batch consists of: its files, where outputs go, and what is said about each run."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.families.contract import Following, World
from tmax_gym.families.products import Case, Program
from tmax_gym.families.shared import program_runs
from tmax_gym.nodes import Node
from tmax_gym.nodes import text as text_file
from tmax_gym.rng import Rng

SEPARATORS = {",": "csv", "\t": "tsv", ";": "csv"}
"""Separators of the summary, with the ending of its name."""
BYSTANDERS = 2
"""Files in the inbox that are not to be run."""
FOLDERS = (("north", "south"), ("day", "night"), ("first", "second", "third"), ("old", "new"))


@dataclass(frozen=True, slots=True)
class Job:
    """One run of the batch."""

    name: str
    """The input's path relative to the inbox."""
    case: Case


@dataclass(frozen=True, kw_only=True)
class Batch(World):
    """The decided facts."""

    inbox: str
    results: str
    summary: str
    order: str
    """The file that names the inputs; "" if all files with an ending are to be run."""
    ending: str
    result: str
    """The ending of an output."""
    whole: bool
    """Whether the name of an output keeps the ending of the input."""
    nested: bool
    blanks: bool
    columns: tuple[str, ...]
    separator: str
    jobs: tuple[Job, ...]

    def target(self, name: str) -> str:
        """Return the path of an output relative to the results.

        `name` is the input's.
        """
        stem = name if self.whole else name.rpartition(".")[0]
        return f"{stem}.{self.result}"

    def row(self, job: Job, printed: bytes) -> tuple[str, ...]:
        """Return the row of the summary for a run that printed this."""
        cells = {
            "file": job.name,
            "status": str(job.case.status),
            "lines": str(printed.count(b"\n")),
            "bytes": str(len(printed)),
        }
        return tuple(
            cells.get(column) or hashlib.new(column, printed).hexdigest() for column in self.columns
        )


def drawn_batch(ctx: Following[Program]) -> Batch:
    """Return a batch for the program of an earlier stage."""
    rng = ctx.rng.fork("batch", ctx.product.noun)
    count = ctx.knob(4, 12) + rng.integer(0, 2)
    cases = program_runs.drawn(ctx.product, ctx.rng.fork("cases"), count + BYSTANDERS)
    ending, separator = rng.choice(program_runs.ENDINGS), rng.choice(tuple(SEPARATORS))
    nested, blanks, listed = (rng.chance(share) for share in (0.4, 0.4, 0.5))
    names = program_runs.input_names(ctx.product, rng.fork("names"), len(cases))
    inputs = [f"{name}.{ending}" for name in _placed(names, rng, nested=nested, blanks=blanks)]
    jobs = [Job(name, case) for name, case in zip(inputs, cases, strict=True)]
    rest = [jobs.pop(rng.integer(1, len(jobs) - 1)) for _ in range(BYSTANDERS)]
    inbox = ctx.path(rng.choice(("inbox", "incoming", "queue", "waiting", "batch")))
    order = ctx.path(rng.choice(("order.txt", "jobs.txt", "todo.txt"))) if listed else ""
    jobs = rng.shuffled(jobs) if listed else sorted(jobs, key=lambda job: job.name.encode())
    results = ctx.path(rng.choice(("results", "output", "done", "answers")))
    summary = ctx.path(f"{rng.choice(('summary', 'runs', 'report'))}.{SEPARATORS[separator]}")
    return Batch(
        nodes=_files(inbox, order, jobs, rest),
        outputs=(results, summary),
        inbox=inbox,
        results=results,
        summary=summary,
        order=order,
        ending=ending,
        result=rng.choice(program_runs.RESULTS),
        whole=rng.chance(0.3),
        nested=nested,
        blanks=blanks,
        columns=_columns(rng.fork("columns"), cases),
        separator=separator,
        jobs=tuple(jobs),
    )


def _placed(names: Sequence[str], rng: Rng, *, nested: bool, blanks: bool) -> list[str]:
    """Return names of which some lie in subdirectories, and some contain a blank."""
    placed = [
        name.replace("-", " ", 1) if blanks and number % 3 == 1 else name
        for number, name in enumerate(names)
    ]
    if not nested:
        return placed
    folders = ("", *rng.choice(FOLDERS))
    return [
        f"{folder}/{name}".lstrip("/")
        for name, folder in zip(placed, [rng.choice(folders) for _ in placed], strict=True)
    ]


def _columns(rng: Rng, cases: Sequence[Case]) -> tuple[str, ...]:
    """Return the columns of the summary: a name, a digest, and one to three measures."""
    measures = rng.sample(("lines", "bytes"), rng.integer(1, 2))
    if program_runs.failing(cases) or rng.chance(0.5):
        measures.append("status")
    measures.append(rng.choice(("sha256", "sha1", "md5")))
    return ("file", *rng.shuffled(measures))


def _files(inbox: str, order: str, jobs: Sequence[Job], rest: Sequence[Job]) -> tuple[Node, ...]:
    """Return the inputs, files that are none, and the list of those to be run, if any."""
    apart = rest if order else [Job(f"{job.name}.bak", job.case) for job in rest]
    nodes = [Node(f"{inbox}/{job.name}", data=job.case.stdin) for job in (*jobs, *apart)]
    if order:
        nodes.append(text_file(order, "".join(f"{job.name}\n" for job in jobs)))
    return tuple(nodes)

"""SCI-05 affine align: pairwise alignment with affine gaps, and one answer out of many.

The task asks for a program that is tried on hidden sequences, and for a table of given ones.  The
rule that picks one of several equally good alignments differs from task to task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass

from tmax_gym.axes import Language
from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.products import Case, Product, Program, Table
from tmax_gym.families.scientific_computing.affine_align import alignment, instruction
from tmax_gym.families.scientific_computing.affine_align.rendering import render
from tmax_gym.families.shared import sources
from tmax_gym.later import Later
from tmax_gym.nodes import prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import slugged
from tmax_gym.world import toolchains

CASES = 8
ROWS = 3
"""Fewest rows of a table that a later stage can work on."""
WRONG = 4
"""Most mistakes of a task; a proof runs each of them."""


@dataclass(frozen=True, kw_only=True)
class Bench(World):
    """The decided facts."""

    plan: alignment.Plan
    programs: sources.Sources
    sheet: str
    reads: str
    target: str
    report: str
    given: tuple[alignment.Record, ...]
    unseen: Sequence[tuple[alignment.Record, ...]]
    streams: Sequence[bytes]


class AffineAlign(Family[Bench]):
    """Gotoh's recurrence, traced to the last tie."""

    id = "SCI-05"
    slug = "affine-align"
    domain = "scientific_computing"
    skill = "Algorithmic"
    primitives = (
        "Primer design and sequence alignment",
        "Bioinformatics format parsing (FASTA, PDB)",
        "Reference dataset comparison",
        "Reproducible computation pipelines",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence", "exact_text")
    languages = ("c", "cpp", "go", "rust", "python", "multi")
    tools = ("bash", "sed")
    followed_by = {  # noqa: RUF012
        "batch-run": ("aligner", "Sequences from other runs are waiting to be aligned."),
        "command-wrapper": ("aligner", "The people in the lab want a command with options."),
        "sqlite-load": ("table", "The alignments should be kept in a database for queries."),
        "export-diff": (
            "table",
            "We want to know what differs from the output of the old tool.",
        ),
        "json-feed": ("table", "The viewer of the lab reads alignments as JSON."),
    }

    def world(self, ctx: Context) -> Bench:
        """Return the scoring sheet, given sequences, and hidden ones."""
        rng = ctx.rng.fork("bench")
        plan = alignment.drawn(rng.fork("plan"), ctx.level)
        programs = sources.sources(ctx, rng.choice(("align", "aligner", "pairs")), scripts=_SCRIPT)
        sheet = ctx.path(rng.choice(("scoring.txt", "scores.tab", "prices.txt")))
        reads = ctx.path(f"{ctx.skin.stem(rng)}.fa")
        target = ctx.path(rng.choice(("target.fa", "reference.fa", "template.fa")))
        report = ctx.path("alignments.csv")
        given = _named(ctx, rng.fork("given"), plan, count=ctx.knob(2, 7), size=ctx.knob(18, 28))
        unseen = Later(
            lambda: (
                _named(ctx, rng.fork("unseen", n), plan, count=1 + n % 3, size=12 + n)
                for n in range(CASES)
            )
        )
        layout = rng.fork("layout")
        return Bench(
            nodes=(
                prose(sheet, alignment.sheet(plan)),
                text(target, _fasta(layout, given[:1])),
                text(reads, _fasta(layout, given[1:])),
            ),
            outputs=(*(program.path for program in programs), report),
            plan=plan,
            programs=programs,
            sheet=sheet,
            reads=reads,
            target=target,
            report=report,
            given=given,
            unseen=unseen,
            # A copy, so that the same is drawn in whichever thread this is read first.
            streams=Later(lambda: _streams(copy(layout), unseen)),
        )

    def oracle(self, ctx: Context, world: Bench) -> tuple[str, ...]:
        """Return a look at the sheet, the aligner, and the table."""
        return (f"cat {world.sheet}; head -n 4 {world.reads}", *_solved(world, world.plan))

    def checks(self, ctx: Context, world: Bench) -> tuple[Check | Gate, ...]:
        """Return the hidden sequences and the table; the task's verifier says which weighs more."""
        table, program = {"exact_text": (3.0, 1.0)}.get(ctx.verifier, (1.0, 3.0))
        cases = [
            (stream, _said(world.plan, records))
            for stream, records in zip(world.streams, world.unseen, strict=True)
        ]
        rows = alignment.rows(world.plan, world.given)
        header = world.plan.columns
        return (
            unchanged("inputs", world.nodes),
            exact.rows("table", world.report, rows, header=header, weight=table),
            *sources.equivalence("aligner", world.programs, cases, weight=program),
        )

    def products(self, ctx: Context, world: Bench) -> Mapping[str, Product]:
        """Return the aligner, and the table if it has several rows."""
        first, plan = world.programs[0], world.plan

        def case(rng: Rng) -> Case:
            count = rng.integer(1, 3)
            records = _named(ctx, rng.fork("records"), plan, count=count, size=14)
            return Case(_fasta(rng.fork("layout"), records).encode(), _said(plan, records))

        build = toolchains.build(first.language, first.path, "{out}")
        run = toolchains.start(first.language, first.path, "{out}")
        products: dict[str, Product] = {
            "aligner": Program(first.path, " ".join(run), case, "sequence files", " ".join(build))
        }
        rows = tuple(alignment.rows(plan, world.given))
        if len(rows) >= ROWS:
            products["table"] = Table(world.report, plan.columns, rows, "alignments")
        return products

    def say(self, ctx: Context, world: Bench) -> tuple[Obligation, ...]:
        """Return the prescribed alignment and the table."""
        paths = {
            "sheet": world.sheet,
            "reads": world.reads,
            "target": world.target,
            "report": world.report,
        }
        return instruction.say(world.plan, world.programs, paths)

    def mutants(self, ctx: Context, world: Bench) -> tuple[Attempt, ...]:
        """Return aligners with one rule misread that shows, and one without a table."""
        right = [_said(world.plan, records) for records in world.unseen]
        attempts = []
        for name, plan in alignment.mistakes(world.plan):
            if [_said(plan, records) for records in world.unseen] != right:
                attempts.append(Attempt(name, _solved(world, world.plan, wrong=plan)))
        return (*attempts[:WRONG], Attempt("no table", _built(world, world.plan, world.plan)))

    def exploits(self, ctx: Context, world: Bench) -> tuple[Attempt, ...]:
        """Return a header alone, a program that prints its input, and one fixed answer."""
        return (
            Attempt("header", (f"echo {','.join(world.plan.columns)} > {world.report}",)),
            *sources.cheats(world.programs, "q1 10 10M"),
        )


_SCRIPT: tuple[Language, ...] = ("python",)


def _built(world: Bench, plan: alignment.Plan, wrong: alignment.Plan) -> tuple[str, ...]:
    writer = sources.last_wrong(
        world.programs,
        lambda language: render(plan, language),
        lambda language: render(wrong, language),
    )
    return sources.written(world.programs, writer)


def _streams(layout: Rng, unseen: Sequence[Sequence[alignment.Record]]) -> tuple[bytes, ...]:
    """Return what the program reads for each case."""
    return tuple(_fasta(layout, records).encode() for records in unseen)


def _solved(
    world: Bench, plan: alignment.Plan, *, wrong: alignment.Plan | None = None
) -> tuple[str, ...]:
    """Return the commands that write the programs and the table, with the last one's words."""
    header = ",".join(plan.columns)
    call = world.programs[-1].call
    return (
        *_built(world, plan, wrong or plan),
        f"(echo {header}; cat {world.target} {world.reads} | {call} | sed 's/ /,/g') "
        f"> {world.report}",
    )


def _said(plan: alignment.Plan, records: tuple[alignment.Record, ...]) -> bytes:
    return "".join(" ".join(row) + "\n" for row in alignment.rows(plan, records)).encode()


def _named(
    ctx: Context, rng: Rng, plan: alignment.Plan, *, count: int, size: int
) -> tuple[alignment.Record, ...]:
    """Return a target and queries of about this size, under names of the place."""
    sizes = (size, max(8, size - 5))
    records = alignment.records(rng, queries=count, sizes=sizes, plan=plan)
    first = slugged(ctx.skin.place(rng))
    return (
        (first, records[0][1]),
        *(
            (ctx.skin.code(rng) + f".{n}", query)
            for n, (_, query) in enumerate(records[1:], start=1)
        ),
    )


def _fasta(rng: Rng, records: Sequence[alignment.Record]) -> str:
    """Return records as files of the field have them: notes, wrapped lines, soft masks."""
    lines = []
    for name, sequence in records:
        lines.append(f">{name}" + rng.choice(("", " len=" + str(len(sequence)), " run A")))
        at = rng.integer(0, len(sequence) - 3)
        masked = sequence[:at] + sequence[at : at + 4].lower() + sequence[at + 4 :]
        width = rng.choice((10, 12, 60))
        lines += [masked[n : n + width] for n in range(0, len(masked), width)]
    return "".join(f"{line}\n" for line in lines)


FAMILY = AffineAlign()

"""DPR-08 reversible mask: values are masked in their own format, and restored with a key.

A program for hidden tables and keys, and given tables in both directions.  The scheme is on a
sheet: a Feistel network whose halves, rounds and mixing differ in every task.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.axes import Language
from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, Port, World, write_file
from tmax_gym.families.data_processing.reversible_mask import masking, words
from tmax_gym.families.data_processing.reversible_mask.rendering import render
from tmax_gym.families.data_processing.reversible_mask.sheet import sheet
from tmax_gym.families.shared import sources, tricks
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause

CASES = 10
WRONG = 4
"""Most mistakes of a task; a proof runs each of them."""


@dataclass(frozen=True, kw_only=True)
class Desk(World):
    """The decided facts."""

    scheme: masking.Scheme
    programs: sources.Sources
    paths: dict[str, str]
    key: str
    """The key as the instruction states it."""
    key_shell: str
    tables: tuple[tuple[str, masking.Table], ...]
    """Requested outputs, by the name of their paths."""
    unseen: tuple[tuple[bool, int, masking.Table], ...]
    """Direction, key and table of every hidden run."""


class ReversibleMask(Family[Desk]):
    """A Feistel network over digits and letters, there and back."""

    id = "DPR-08"
    slug = "reversible-mask"
    domain = "data_processing"
    skill = "Manipulation"
    primitives = (
        "Data masking and anonymization",
        "Constraint-based data validation",
        "Unicode and multi-language text processing",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence", "exact_text")
    languages = ("go", "rust", "c", "cpp", "multi")
    tools = ("bash",)
    consumes = {"key": Port("scalar", 2, 9_999)}  # noqa: RUF012

    def world(self, ctx: Context) -> Desk:
        """Return the sheet, tables, and hidden tables."""
        rng = ctx.rng.fork("desk")
        scheme = masking.drawn(rng.fork("scheme"), ctx.level, columns=ctx.knob(2, 5))
        key = ctx.take("key", lambda r: r.integer(1_000, 9_999))
        odd = ctx.level >= 0.4
        plain = masking.table(rng.fork("plain"), scheme, rows=ctx.knob(6, 24), oddities=odd)
        masked = masking.applied(scheme, plain, key.number, undo=False)
        stem = ctx.skin.stem(rng)
        paths = {
            "sheet": ctx.path(rng.choice(("mask.txt", "MASKING.txt", "notes/scheme.txt"))),
            "plain": ctx.path(f"{stem}.csv"),
            "masked": ctx.path(f"{stem}_masked.csv"),
        }
        nodes = [
            text(paths["sheet"], sheet(scheme, rng.fork("examples"))),
            text(paths["plain"], masking.csv(plain)),
        ]
        tables = [("masked", masked)]
        if ctx.level >= 0.25:
            paths |= {"export": ctx.path("returned.csv"), "restored": ctx.path("restored.csv")}
            known = masking.table(rng.fork("known"), scheme, rows=ctx.knob(4, 16), oddities=False)
            export = masking.applied(scheme, known, key.number, undo=False)
            nodes.append(text(paths["export"], masking.csv(export)))
            tables.append(("restored", known))
        programs = sources.sources(ctx, rng.choice(("mask", "masker", "veil")), scripts=_SCRIPT)
        paths["program"] = programs[0].path
        return Desk(
            nodes=tuple(nodes),
            outputs=(*(p.path for p in programs), *(paths[name] for name, _ in tables)),
            scheme=scheme,
            programs=programs,
            paths=paths,
            key=key.phrase,
            key_shell=key.shell,
            tables=tuple(tables),
            unseen=tuple(_unseen(rng.fork("unseen", n), scheme, n) for n in range(CASES)),
        )

    def oracle(self, ctx: Context, world: Desk) -> tuple[str, ...]:
        """Return a look at the sheet, the program, and the tables."""
        return (f"cat {world.paths['sheet']}", *_solved(world, world.scheme))

    def checks(self, ctx: Context, world: Desk) -> tuple[Check | Gate, ...]:
        """Return the hidden tables and those of the world; the verifier says which weighs more."""
        share, program = {"exact_text": (3.0, 1.0)}.get(ctx.verifier, (1.0, 3.0))
        cases = list(zip(_streams(world), _said(world, world.scheme), strict=True))
        return (
            unchanged("inputs", world.nodes),
            *(
                exact.rows(
                    name,
                    world.paths[name],
                    table[1:],
                    header=table[0],
                    weight=share / len(world.tables),
                )
                for name, table in world.tables
            ),
            *sources.equivalence("program", world.programs, cases, weight=program),
        )

    def say(self, ctx: Context, world: Desk) -> tuple[Clause, ...]:
        """Return the program, its input, and the tables."""
        clauses = words.say(paths=world.paths, language=world.programs[0].name, key=world.key)
        return (*clauses, *sources.say(world.programs))

    def mutants(self, ctx: Context, world: Desk) -> tuple[Attempt, ...]:
        """Return programs with one rule of the sheet misread that shows, and no tables."""
        right = _said(world, world.scheme)
        attempts = [
            Attempt(name, _solved(world, world.scheme, wrong=scheme))
            for name, scheme in masking.mistakes(world.scheme)
            if _said(world, scheme) != right
        ]
        return (*attempts[:WRONG], Attempt("no tables", _built(world, world.scheme, world.scheme)))

    def exploits(self, ctx: Context, world: Desk) -> tuple[Attempt, ...]:
        """Return tables as they are, headers alone, and programs that print the table."""
        paths = world.paths
        copies = [f"cp {paths['plain']} {paths['masked']}"]
        if "restored" in paths:
            copies.append(f"cp {paths['export']} {paths['restored']}")
        heads = [f"echo {','.join(table[0])} > {paths[name]}" for name, table in world.tables]
        through = [
            write_file(p.path, tricks.starts(p.language, "tail -n +2")) for p in world.programs
        ]
        return (
            Attempt("as they are", tuple(copies)),
            Attempt("headers", tuple(heads)),
            Attempt("passed through", tuple(through)),
        )


_SCRIPT: tuple[Language, ...] = ("python",)


def _unseen(rng: Rng, scheme: masking.Scheme, number: int) -> tuple[bool, int, masking.Table]:
    """Return one hidden run; the later ones have oddities and lack columns."""
    undo, key = number % 2 == 1, rng.integer(0, 2**32 - 1)
    table = masking.table(rng, scheme, rows=3 + number % 3, oddities=number > 4)
    if number > 6 and len(scheme.columns) > 1:
        table = tuple(row[:1] + row[2:] for row in table)
    return undo, key, masking.applied(scheme, table, key, undo=False) if undo else table


def _streams(world: Desk) -> list[bytes]:
    return [
        f"{'unmask' if undo else 'mask'} {key}\n{masking.csv(table)}".encode()
        for undo, key, table in world.unseen
    ]


def _said(world: Desk, scheme: masking.Scheme) -> list[bytes]:
    return [
        masking.csv(masking.applied(scheme, table, key, undo=undo)).encode()
        for undo, key, table in world.unseen
    ]


def _built(world: Desk, scheme: masking.Scheme, wrong: masking.Scheme) -> tuple[str, ...]:
    writer = sources.last_wrong(
        world.programs,
        lambda language: render(scheme, language),
        lambda language: render(wrong, language),
    )
    return sources.written(world.programs, writer)


def _solved(
    world: Desk, scheme: masking.Scheme, *, wrong: masking.Scheme | None = None
) -> tuple[str, ...]:
    """Return the commands that write the programs, and the tables with the last one."""
    call, paths = world.programs[-1].call, world.paths
    runs = [f"(echo mask {world.key_shell}; cat {paths['plain']}) | {call} > {paths['masked']}"]
    if "restored" in paths:
        given = f"(echo unmask {world.key_shell}; cat {paths['export']})"
        runs.append(f"{given} | {call} > {paths['restored']}")
    return (*_built(world, scheme, wrong or scheme), *runs)


FAMILY = ReversibleMask()

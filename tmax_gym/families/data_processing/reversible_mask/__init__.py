"""DPR-08 reversible mask: the agent masks the values of tables, in their format and with a key.

The agent writes a program, which is run on hidden tables and keys, and uses it on given tables in
both directions.  The scheme is on a sheet: a Feistel network whose halves, rounds and mixing differ
in every task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tmax_gym.axes import Language
from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_processing.reversible_mask import masking
from tmax_gym.families.data_processing.reversible_mask.rendering import render
from tmax_gym.families.data_processing.reversible_mask.sheet import sheet
from tmax_gym.families.products import Case, Product, Program, Table
from tmax_gym.families.shared import sources, tricks
from tmax_gym.later import Later
from tmax_gym.nodes import prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

CASES = 10
WRONG = 4
"""Most mistakes of a task; a proof runs each of them."""
GRADING = (
    Obligation(
        "unseen",
        "We will test it with other tables and keys that you have not seen.",
        "grading",
        ("not seen", "unseen", "hidden", "other tables", "other keys", "further tables"),
    ),
    Obligation(
        "keep",
        "Do not change the files that are there now.",
        "limit",
        ("not change", "unchanged", "as it is", "as they are", "untouched", "not modify"),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Desk(World):
    """The decided facts."""

    scheme: masking.Scheme
    programs: sources.Sources
    paths: dict[str, str]
    key: int
    tables: tuple[tuple[str, masking.Table], ...]
    """Requested outputs, by the name of their paths."""
    unseen: Sequence[tuple[bool, int, masking.Table]]
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
    followed_by = {  # noqa: RUF012
        "sqlite-load": ("masked", "The partner loads the masked table into a database."),
        "split-delivery": ("masked", "Each state of the masked rows goes to another partner."),
        "export-diff": ("masked", "The partner has an earlier masked table and asks what is new."),
        "batch-run": ("program", "The tables of the other offices have to be masked as well."),
        "command-wrapper": ("program", "The clerks need a command for masking and unmasking."),
    }

    def world(self, ctx: Context) -> Desk:
        """Return the sheet, tables, and hidden tables."""
        rng = ctx.rng.fork("desk")
        scheme = masking.drawn(rng.fork("scheme"), ctx.level, columns=ctx.knob(2, 5))
        key = ctx.rng.fork("port", "key").integer(1_000, 9_999)
        odd = ctx.level >= 0.4
        plain = masking.table(rng.fork("plain"), scheme, rows=ctx.knob(6, 24), oddities=odd)
        masked = masking.applied(scheme, plain, key, undo=False)
        stem = ctx.skin.stem(rng)
        paths = {
            "sheet": ctx.path(rng.choice(("mask.txt", "MASKING.txt", "notes/scheme.txt"))),
            "plain": ctx.path(f"{stem}.csv"),
            "masked": ctx.path(f"{stem}_masked.csv"),
        }
        nodes = [
            prose(paths["sheet"], sheet(scheme, rng.fork("examples"))),
            text(paths["plain"], masking.csv(plain)),
        ]
        tables = [("masked", masked)]
        if ctx.level >= 0.25:
            paths |= {"export": ctx.path("returned.csv"), "restored": ctx.path("restored.csv")}
            known = masking.table(rng.fork("known"), scheme, rows=ctx.knob(4, 16), oddities=False)
            export = masking.applied(scheme, known, key, undo=False)
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
            key=key,
            tables=tuple(tables),
            unseen=Later(lambda: (_unseen(rng.fork("unseen", n), scheme, n) for n in range(CASES))),
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

    def products(self, ctx: Context, world: Desk) -> Mapping[str, Product]:
        """Return the masked table, and the first program."""
        (columns, *rows), scheme = world.tables[0][1], world.scheme

        def case(rng: Rng) -> Case:
            drawn = _unseen(rng, scheme, rng.integer(0, CASES - 1))
            return Case(_stream(drawn), _converted(scheme, drawn))

        one = replace(world.programs[0], binary="{out}")
        return {
            "masked": Table(world.paths["masked"], columns, tuple(rows), "rows"),
            "program": Program(one.path, one.call, case, "tables", " ".join(one.build)),
        }

    def say(self, ctx: Context, world: Desk) -> tuple[Obligation, ...]:
        """Return the programs, their input, and the tables."""
        paths = world.paths
        obligations = [
            Obligation(
                "goal",
                "Before we give a table to others, we mask some of its columns. With the key, this "
                f"can be undone. The method is described in `{paths['sheet']}`. Write it as a "
                f"program in {world.programs[0].name}, `{paths['program']}`, for both directions.",
                "goal",
            ),
            Obligation(
                "feed",
                "The first line of standard input is `mask KEY` or `unmask KEY`. The rest of it "
                "is a table in CSV, without quotes, that begins with the names of its columns. The "
                "program prints the whole table, masked or restored, with its header, to standard "
                "output.",
                "format",
            ),
            Obligation(
                "key",
                "A key is a whole number from 0 to `2^32 - 1`. The columns of a table can be in "
                f"any order, and some of the columns listed in `{paths['sheet']}` can be missing.",
                "input",
            ),
            Obligation(
                "masked",
                f"Also mask `{paths['plain']}` with this key: `{world.key}`. Write the result to "
                f"`{paths['masked']}`.",
                "output",
            ),
        ]
        if "restored" in paths:
            obligations.append(
                Obligation(
                    "restored",
                    f"`{paths['export']}` was masked with the same key. Restore it and write the "
                    f"result to `{paths['restored']}`.",
                    "output",
                )
            )
        return (*obligations, *sources.languages(world.programs), *GRADING)

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


def _stream(run: tuple[bool, int, masking.Table]) -> bytes:
    undo, key, table = run
    return f"{'unmask' if undo else 'mask'} {key}\n{masking.csv(table)}".encode()


def _converted(scheme: masking.Scheme, run: tuple[bool, int, masking.Table]) -> bytes:
    undo, key, table = run
    return masking.csv(masking.applied(scheme, table, key, undo=undo)).encode()


def _streams(world: Desk) -> list[bytes]:
    return [_stream(run) for run in world.unseen]


def _said(world: Desk, scheme: masking.Scheme) -> list[bytes]:
    return [_converted(scheme, run) for run in world.unseen]


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
    runs = [f"(echo mask {world.key}; cat {paths['plain']}) | {call} > {paths['masked']}"]
    if "restored" in paths:
        given = f"(echo unmask {world.key}; cat {paths['export']})"
        runs.append(f"{given} | {call} > {paths['restored']}")
    return (*_built(world, scheme, wrong or scheme), *runs)


FAMILY = ReversibleMask()

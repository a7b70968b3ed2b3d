"""FIL-19 log stitcher: multi-line records in many encodings become one edited line each.

Files of the world hold the list, the layouts and the edit commands.  If the task names a language,
the checks run the program again on hidden folders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tmax_gym.axes import Language
from tmax_gym.checks import exact
from tmax_gym.checks.check import Case, Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.file_operations.log_stitcher import edits, manual
from tmax_gym.families.file_operations.log_stitcher.records import (
    ENCODINGS,
    KINDS,
    Record,
    Source,
    record,
    source,
)
from tmax_gym.families.file_operations.log_stitcher.rendering import program
from tmax_gym.families.products import Product, Table
from tmax_gym.families.shared import sources as _sources
from tmax_gym.families.shared import tricks
from tmax_gym.later import Later
from tmax_gym.nodes import Node, prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

CASES = 4
COLUMNS = ("stamp", "log", "level", "text")
SHELL: dict[Language, Language] = {"any": "bash"}
"""The language of the reference solution if the task names none."""


@dataclass(frozen=True, kw_only=True)
class Logs(World):
    """The decided facts."""

    plan: edits.Plan
    sheet: str
    sources: tuple[Source, ...]
    folder: str
    guide: str
    target: str
    programs: _sources.Sources
    """The program that the task asks for; none if it names no language."""
    lines: Sequence[str]
    cases: Sequence[tuple[Case, bytes]]


class LogStitcher(Family[Logs]):
    """Decode logs, stitch records, apply edits and merge."""

    id = "FIL-19"
    slug = "log-stitcher"
    domain = "file_operations"
    skill = "Data Parsing"
    primitives = (
        "Multi-line log record parsing",
        "Character encoding conversion",
        "Large-scale text editing and macro application",
        "File splitting, merging, and chunking",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text", "fuzz_equivalence")
    languages = ("any", "python", "bash", "c")
    tools = ("bash", "gawk", "iconv", "python3")
    followed_by = {  # noqa: RUF012
        "group-report": ("lines", "We want to see at a glance which log is the noisiest."),
        "split-delivery": ("lines", "Each log has a team that wants only its own records."),
        "sqlite-load": ("lines", "The records should be searchable in a database."),
        "lookup-join": ("lines", "Each log has somebody who looks after its machine."),
        "json-feed": ("lines", "The dashboard reads the records as JSON."),
    }

    def world(self, ctx: Context) -> Logs:
        """Return logs of many hosts, their list, a sheet of edits and the guide to it."""
        rng = ctx.rng.fork("logs")
        plan = edits.plan(rng, commands=ctx.knob(2, 7), by_level=ctx.level >= 0.4)
        kinds = sorted(rng.sample(sorted(KINDS), ctx.knob(1, 5)))
        codes = rng.sample(sorted(ENCODINGS), ctx.knob(2, 8))
        folder = ctx.path(ctx.skin.directory(rng))
        sources = _sources_of(ctx, rng.fork("shown"), codes, kinds)
        sheet = _sheet(ctx, rng.fork("sheet"), plan, sources)
        asked = _sources.sources(ctx, "stitch") if ctx.language != "any" else ()
        target = ctx.path(f"{ctx.skin.stem(rng)}_stitched.tsv")
        guide = ctx.path("GUIDE.md")
        return Logs(
            nodes=(
                *_nodes(folder, sources, sheet),
                prose(guide, manual.guide(plan, kinds, sample=_sample(plan, sources))),
            ),
            outputs=(target, *(one.path for one in asked)),
            plan=plan,
            sheet=sheet,
            sources=sources,
            folder=folder,
            guide=guide,
            target=target,
            programs=asked,
            lines=Later(lambda: edits.stitched(plan, sheet, sources)),
            cases=Later(lambda: (_case(ctx, plan, kinds, n) for n in range(CASES if asked else 0))),
        )

    def oracle(self, ctx: Context, world: Logs) -> tuple[str, ...]:
        """Return a look at the list and the guide, the program, and one run of it."""
        first = f"{world.folder}/{world.sources[0].name}"
        return (
            f"cat {world.guide}; expand -t 24 {world.folder}/sources.tsv",
            f"nl -b a {world.folder}/edits.txt; file {world.folder}/*; od -c {first} | head -n 12",
            *_done(ctx, world, partial(program, world.plan)),
            f"cut -f 2 {world.target} | sort | uniq -c; iconv -f UTF-8 -t UTF-8 {world.target}"
            " > /dev/null && echo valid",
        )

    def alternative(self, ctx: Context, world: Logs) -> tuple[str, ...] | None:
        """Return a Python script if the task asks for no program."""
        if world.programs:
            return None
        run = f"python3 /tmp/stitch.py {world.folder} > {world.target}"
        return (write_file("/tmp/stitch.py", program(world.plan, "python")), run)

    def checks(self, ctx: Context, world: Logs) -> tuple[Check | Gate, ...]:
        """Return the stitched lines, and the program on hidden folders."""
        run = exact.lines("lines", world.target, world.lines)
        graded = _sources.by_run(ctx.verifier, run, world.programs, cases=world.cases)
        return (unchanged("logs", world.nodes), *graded)

    def products(self, ctx: Context, world: Logs) -> Mapping[str, Product]:
        """Return the stitched lines."""
        rows = tuple(tuple(line.split("\t")) for line in world.lines)
        table = Table(world.target, COLUMNS, rows, "records", separator="\t", header=False)
        return {"lines": table}

    def say(self, ctx: Context, world: Logs) -> tuple[Obligation, ...]:
        """Return the files, the form and the order of the lines, and the program."""
        listed, sheet = f"{world.folder}/sources.tsv", f"{world.folder}/edits.txt"
        columns = ", ".join(f"`{name}`" for name in COLUMNS)
        obligations = [
            Obligation(
                "goal",
                f"The logs in `{world.folder}` have different encodings and layouts, and their "
                f"records run over several lines. Turn them into one UTF-8 file, "
                f"`{world.target}`, with one line for each record.",
                "goal",
            ),
            Obligation(
                "guide",
                f"`{listed}` lists the logs with their encodings and layouts, and `{sheet}` holds "
                f"the edits to be applied to every record. `{world.guide}` explains how the "
                f"layouts are read, how a record is put together, and what the edit commands do.",
                "input",
            ),
            Obligation(
                "form",
                f"Each line has four columns, separated by single tabs: {columns}. There is no "
                f"header. `log` is the name of the log file without its suffix.",
                "format",
            ),
            Obligation(
                "order",
                f"The lines are sorted by `stamp`, earliest first. Records with the same stamp "
                f"come in the order of their logs in `{listed}`, and records of one log in the "
                f"order in which they stand there.",
                "format",
            ),
        ]
        for one in world.programs:
            obligations += _say_program(world, one)
        keep = f"Do not change `{world.guide}` or the files in `{world.folder}`."
        return (*obligations, Obligation("keep", keep, "limit"))

    def mutants(self, ctx: Context, world: Logs) -> tuple[Attempt, ...]:
        """Return wrong meanings of commands, wrong encodings and a wrong order."""
        plan = world.plan
        others = {
            "other joint": replace(plan, joiner="  "),
            "replace otherwise": replace(plan, everywhere=not plan.everywhere),
            "cut otherwise": replace(plan, ends=not plan.ends),
            "mask otherwise": replace(plan, spared=2 - plan.spared),
            "tag otherwise": replace(plan, front=not plan.front),
        }
        plans = {
            name: other
            for name, other in others.items()
            if edits.stitched(other, world.sheet, world.sources) != list(world.lines)
        }
        wrong = {name: _done(ctx, world, partial(program, other)) for name, other in plans.items()}
        right = _done(ctx, world, partial(program, plan))
        wrong["bytes for letters"] = _done(ctx, world, partial(program, plan, decode=False))
        wrong["backwards"] = (*right, f"tac {world.target} > /tmp/b; cp /tmp/b {world.target}")
        wrong["last one lost"] = (*right, f"sed -i '$d' {world.target}")
        if world.programs:
            wrong["no program"] = (*right, f"rm {world.programs[0].path}")
        return tuple(Attempt(name, way) for name, way in wrong.items())

    def exploits(self, ctx: Context, world: Logs) -> tuple[Attempt, ...]:
        """Return the logs end to end, and a program that prints them."""
        joined = f"cat {world.folder}/* > {world.target}"
        shown = [
            write_file(one.path, tricks.starts(one.language, f"cat {world.folder}/*"))
            for one in world.programs
        ]
        return (Attempt("end to end", (joined,)), Attempt("shown", (joined, *shown)))


def _say_program(world: Logs, one: _sources.Source) -> tuple[Obligation, ...]:
    program = Obligation(
        "program",
        f"Do the work with a {one.name} program, and leave it in `{one.path}`. It takes a folder "
        f"such as `{world.folder}` as its only argument and prints the lines to standard output.",
        "output",
    )
    built = tuple(
        Obligation(
            "built",
            f"We compile it with `{command}`, without any other file, so use nothing but the "
            f"standard library.",
            "limit",
        )
        for command in one.build
    )
    hidden = Obligation(
        "hidden",
        "We will also run the program, without any other files of yours, on other folders. They "
        "have other logs and edits, but only layouts and commands that the guide explains.",
        "grading",
        keys=("other folder", "more folders", "hidden", "unseen", "not seen"),
    )
    return (program, *built, hidden)


def _done(ctx: Context, world: Logs, writer: _sources.Writer) -> tuple[str, ...]:
    """Return the commands that write a stitcher and run it on the folder."""
    if world.programs:
        (one,) = world.programs
        return (
            *_sources.written(world.programs, writer),
            f"{one.call} {world.folder} > {world.target}",
        )
    run = f"bash /tmp/stitch.sh {world.folder} > {world.target}"
    return (write_file("/tmp/stitch.sh", writer(SHELL.get(ctx.language, ctx.language))), run)


def _sources_of(
    ctx: Context, rng: Rng, codes: Sequence[str], kinds: Sequence[str]
) -> tuple[Source, ...]:
    """Return one log for each encoding, with each layout if there are enough logs."""
    names = rng.sample(sorted(ctx.skin.stems), min(len(codes), len(ctx.skin.stems)))
    size = ctx.knob(7, 26)
    sources = []
    for number, (name, code) in enumerate(zip(names, codes, strict=False)):
        kind = kinds[number % len(kinds)]
        sources.append(_log(ctx, rng.fork(name), f"{name}.log", code=code, kind=kind, size=size))
    return tuple(rng.shuffled(sources))


def _log(ctx: Context, rng: Rng, name: str, *, code: str, kind: str, size: int) -> Source:
    second, records = rng.integer(0, 40_000), list[Record]()
    for number in range(size + rng.integer(0, 3)):
        second += rng.choice((0, 1, 7, 40, 300, 2_000))
        one = record(rng.fork("record", number), ctx.skin, phrases=ENCODINGS[code], second=second)
        if kind in ("counted", "framed") and rng.chance(0.2):
            # A line that looks like the first one of a record, and is none.
            one = replace(one, pieces=(*one.pieces, f"{one.stamp} INFO copied from {name}"))
        records.append(one)
    return source(rng.fork("laid out"), name, encoding=code, kind=kind, records=records)


def _sheet(ctx: Context, rng: Rng, plan: edits.Plan, sources: Sequence[Source]) -> str:
    phrases = sorted({p for one in sources for p in ENCODINGS[one.encoding]})
    return edits.drawn(plan, rng, phrases, macros=min(ctx.knob(1, 3), len(plan.commands)))


def _nodes(folder: str, sources: Sequence[Source], sheet: str) -> tuple[Node, ...]:
    listed = "".join(f"{one.name}\t{one.encoding}\t{one.kind}\n" for one in sources)
    return (
        *(Node(f"{folder}/{one.name}", data=one.data) for one in sources),
        text(f"{folder}/sources.tsv", listed),
        text(f"{folder}/edits.txt", sheet),
    )


def _case(ctx: Context, plan: edits.Plan, kinds: Sequence[str], number: int) -> tuple[Case, bytes]:
    """Return a hidden folder and its stitched lines."""
    rng = ctx.rng.fork("case", number)
    codes = rng.sample(sorted(ENCODINGS), 1 if number < 2 else 2)
    sources = _sources_of(ctx, rng.fork("logs"), codes, rng.shuffled(kinds))
    sheet = _sheet(ctx, rng.fork("sheet"), plan, sources)
    folder = ctx.path("other", f"{number}")
    out = "".join(f"{line}\n" for line in edits.stitched(plan, sheet, sources))
    return Case(argv=(folder,), nodes=_nodes(folder, sources, sheet)), out.encode()


def _sample(plan: edits.Plan, sources: Sequence[Source]) -> str:
    """Return how one record of several lines is stitched, before any edit."""
    records = [one for log in sources for one in log.records]
    long = max(records, key=lambda one: (len(one.pieces) == 3, one.stamp))
    return f"{long.stamp} {long.level} {plan.joiner.join(long.pieces)}"


FAMILY = LogStitcher()

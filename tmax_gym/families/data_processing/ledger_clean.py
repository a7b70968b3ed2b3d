"""DPR-01 ledger clean: a messy export becomes a typed, de-duplicated, ordered table.

Below `SHORT` the ledger is a bare list of codes.  With a program language the tool that did
the work is left behind, and is run again on a ledger that nobody has seen.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym import exact
from tmax_gym.algebra import Attempt, Context, Family, World, write_file
from tmax_gym.checks import Case, Check, Gate, Program, fuzz_equivalence, unchanged
from tmax_gym.families.data_processing._ledger import AWK, CLEANER
from tmax_gym.files import text
from tmax_gym.words.clauses import Clause
from tmax_gym.world.rng import Rng

SHORT = 0.2
"""Level below which one command does it."""
HEADER = ("code", "day", "amount", "state")
STATES = ("open", "closed", "held", "void")


@dataclass(frozen=True, kw_only=True)
class Ledger(World):
    """The decided facts."""

    source: str
    target: str
    tool: str
    """Path of the program that must be left behind; "" where none is asked for."""
    raw: str
    clean: tuple[tuple[str, ...], ...]
    second: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = ()
    """Hidden ledgers for the tool, with their clean rows."""


class LedgerClean(Family[Ledger]):
    """Rules for trimming, case, dates, decimals and defaults; then unique and sorted."""

    id = "DPR-01"
    slug = "ledger-clean"
    domain = "data_processing"
    skill = "Manipulation"
    primitives = (
        "Cleaning, normalization, and deduplication",
        "Multi-format file reading and writing",
        "Large-scale sorting and grouping",
        "Hash-based deduplication",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text",)
    languages = ("any", "bash", "python")
    tools = ("bash", "awk", "python3")

    def world(self, ctx: Context) -> Ledger:
        """Return a ledger with as many kinds of dirt as the level says."""
        stem = ctx.skin.stem(ctx.rng.fork("stem"))
        short = ctx.level < SHORT
        source = ctx.path(f"{stem}.{'txt' if short else 'csv'}")
        target = ctx.path(f"{stem}_clean.{'txt' if short else 'csv'}")
        raw, clean = _codes(ctx) if short else _ledger(ctx, ctx.rng.fork("visible"))
        tool = ctx.path("clean.py") if ctx.language == "python" and not short else ""
        second = [_ledger(ctx, ctx.rng.fork("hidden", i)) for i in range(4)] if tool else []
        return Ledger(
            nodes=(text(source, raw),),
            outputs=(target, tool) if tool else (target,),
            source=source,
            target=target,
            tool=tool,
            raw=raw,
            clean=clean,
            second=tuple(second),
        )

    def oracle(self, ctx: Context, world: Ledger) -> tuple[str, ...]:
        """Return sort alone, awk and sort, or the program that must stay."""
        if ctx.level < SHORT:
            return (f"LC_ALL=C sort -u {world.source} > {world.target}",)
        if world.tool:
            return (
                write_file(world.tool, CLEANER),
                f"python3 {world.tool} < {world.source} > {world.target}",
            )
        script = ctx.path(".clean.awk")
        return (
            f"head -n 5 {world.source}",
            write_file(script, AWK),
            f"echo {','.join(HEADER)} > {world.target}",
            f"awk -f {script} {world.source} | LC_ALL=C sort -u >> {world.target}",
            f"rm {script}",
        )

    def alternative(self, ctx: Context, world: Ledger) -> tuple[str, ...] | None:
        """Return a Python one-off where the reference is awk, a loop where it is sort."""
        if ctx.level < SHORT:
            program = f"print(*sorted(set(open('{world.source}').read().split())), sep='\\n')"
            return (f'python3 -c "{program}" > {world.target}',)
        if world.tool:
            return None
        script = "/tmp/clean.py"
        run = f"python3 {script} < {world.source} > {world.target}"
        return (write_file(script, CLEANER), run)

    def checks(self, ctx: Context, world: Ledger) -> tuple[Check | Gate, ...]:
        """Return the table, and the tool on hidden ledgers."""
        keep = unchanged("source", world.nodes)
        if ctx.level < SHORT:
            wanted = [row[0] for row in world.clean]
            start = world.raw.splitlines()
            return (keep, exact.lines("codes", world.target, wanted, initial=start))
        table = exact.rows("table", world.target, world.clean, header=HEADER)
        if not world.tool:
            return (keep, table)
        again = fuzz_equivalence(
            "tool",
            Program(world.tool, "python"),
            cases=[Case(stdin=raw.encode()) for raw, _ in world.second],
            expected=[_table(rows).encode() for _, rows in world.second],
        )
        return (keep, table, again)

    def say(self, ctx: Context, world: Ledger) -> tuple[Clause, ...]:
        """Return source, rules, format and the tool."""
        if ctx.level < SHORT:
            return _say_short(world)
        paths = {"source": world.source, "target": world.target}
        goal = Clause(
            "goal",
            (
                "{Clean up|Tidy} the export in {source} and {write|save} the result to {target}.",
                "{source} is an export that nobody can load; {turn it into|make} a clean table "
                "at {target}.",
                "We need a usable version of {source}: put it at {target}.",
                "Take {source}, apply the rules below and leave the outcome in {target}.",
            ),
            facts=paths,
            role="goal",
            brief="Clean {source} into {target}.",
        )
        return (goal, *_rules(), *_more_rules(), *_say_tool(world))

    def mutants(self, ctx: Context, world: Ledger) -> tuple[Attempt, ...]:
        """Return a forgotten rule at a time."""
        if ctx.level < SHORT:
            return (
                Attempt("unsorted", (f"awk '!s[$0]++' {world.source} > {world.target}",)),
                Attempt("repeats", (f"LC_ALL=C sort {world.source} > {world.target}",)),
                Attempt("reversed", (f"LC_ALL=C sort -ur {world.source} > {world.target}",)),
            )
        wrong = {
            "case kept": CLEANER.replace("code.upper()", "code"),
            "dates kept": CLEANER.replace('if "." in day', "if False"),
            "default forgotten": CLEANER.replace(' or "open"', ""),
        }
        tool = world.tool or "/tmp/clean.py"
        run = f"python3 {tool} < {world.source} > {world.target}"
        return tuple(
            Attempt(name, (write_file(tool, program), run)) for name, program in wrong.items()
        )

    def exploits(self, ctx: Context, world: Ledger) -> tuple[Attempt, ...]:
        """Return the input as the answer, and a bare header."""
        header = ",".join(HEADER)
        return (
            Attempt("copy input", (f"cp {world.source} {world.target}",))
            if ctx.level >= SHORT
            else Attempt("empty", (f": > {world.target}",)),
            Attempt("header only", (f"echo {header} > {world.target}",)),
        )


def _say_short(world: Ledger) -> tuple[Clause, ...]:
    return (
        Clause(
            "goal",
            (
                "{Write|Put} the distinct lines of {source}, sorted bytewise, {into|to} {target}.",
                "{source} holds codes, many of them more than once; {target} should hold each "
                "one once, sorted bytewise.",
                "Make {target} from {source}: every line once, sorted bytewise.",
                "I need each line of {source} exactly once, sorted bytewise, in {target}.",
            ),
            facts={"source": world.source, "target": world.target},
            role="goal",
            brief="Write the distinct lines of {source}, sorted, to {target}.",
        ),
    )


def _rules() -> tuple[Clause, ...]:
    return (
        Clause(
            "shape",
            (
                "The {input|export} separates {its four|the four} fields with {sep}; lines that do "
                "not have four fields, and the heading, {are noise|do not count}.",
                "Fields are separated by {sep}. {Skip|Drop} the heading and every line without "
                "exactly four fields.",
            ),
            facts={"sep": "`;`"},
            role="input",
            brief="Fields are split by {sep}; drop the heading and lines without four fields.",
        ),
        Clause(
            "trim",
            (
                "Strip {white space|blanks} around every field, write codes in upper case and "
                "states in lower case.",
                "Codes become upper case, states lower case, and no field keeps {outer "
                "blanks|surrounding white space}.",
            ),
            brief="Strip blanks; codes upper case, states lower case.",
            bullet=True,
        ),
        Clause(
            "default",
            (
                "An empty state means {default}.",
                "Where the state is missing, {write|use} {default}.",
            ),
            facts={"default": "`open`"},
            bullet=True,
        ),
        Clause(
            "dates",
            (
                "Days come as {iso} or as {dotted}; {write|give} all of them as {iso}.",
                "Some days look like {dotted}: convert those to {iso}.",
            ),
            facts={"iso": "`YYYY-MM-DD`", "dotted": "`DD.MM.YYYY`"},
            bullet=True,
        ),
    )


def _more_rules() -> tuple[Clause, ...]:
    return (
        Clause(
            "amounts",
            (
                "An amount with a comma is written the continental way ({sample} is {plain}); "
                "every amount ends up with two decimals and a point.",
                "Amounts need two decimals after a point; one with a comma uses points for "
                "thousands, so {sample} is {plain}.",
            ),
            facts={"sample": "`1.204,5`", "plain": "`1204.50`"},
            bullet=True,
        ),
        Clause(
            "order",
            (
                "After that drop repeated rows and sort the lines bytewise.",
                "Rows that are then equal {appear|are kept} once, and lines are sorted bytewise.",
            ),
            bullet=True,
        ),
        Clause(
            "format",
            (
                "The result is comma-separated, without quotes, under the header {header}.",
                "Write commas between fields, no quotes, and {header} as the first line.",
            ),
            facts={"header": f"`{','.join(HEADER)}`"},
            role="format",
        ),
    )


def _say_tool(world: Ledger) -> tuple[Clause, ...]:
    if not world.tool:
        return ()
    return (
        Clause(
            "tool",
            (
                "Leave the Python program that does it at {tool}: it reads a ledger from standard "
                "input and writes the clean one to standard output. It will be run on other "
                "ledgers.",
                "Next month's export comes too, so keep the work as a Python program at {tool}, "
                "ledger on standard input, clean table on standard output.",
            ),
            facts={"tool": world.tool},
            role="output",
        ),
    )


def _codes(ctx: Context) -> tuple[str, tuple[tuple[str, ...], ...]]:
    rng = ctx.rng.fork("codes")
    codes = [ctx.skin.code(rng) for _ in range(6)]
    drawn = rng.shuffled(codes + [rng.choice(codes) for _ in range(6)])
    if drawn == sorted(drawn):
        drawn.reverse()
    return "\n".join(drawn) + "\n", tuple((code,) for code in sorted(set(codes)))


def _ledger(ctx: Context, rng: Rng) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """Return the messy text and the clean rows."""
    clean, lines = set(), ["Code;Day;Amount;State"]
    for number in range(ctx.knob(12, 160)):
        row = rng.fork("row", number)
        code, cents = ctx.skin.code(row), row.integer(100, 4_000_000)
        day = (row.integer(2019, 2025), row.integer(1, 12), row.integer(1, 28))
        state = row.choice(STATES)
        iso = f"{day[0]}-{day[1]:02d}-{day[2]:02d}"
        clean.add((code, iso, f"{cents // 100}.{cents % 100:02d}", state))
        for copy in range(1 + row.chance(0.3)):
            lines.append(_dirty(row.fork("copy", copy), code, day, cents, state))
        if number == 0:  # every kind of dirt occurs at least once
            dotted = f"{day[2]:02d}.{day[1]:02d}.{day[0]}"
            lines.append(f"{code.lower()} ; {dotted}; 1.204,5;")
            clean.add((code, iso, "1204.50", "open"))
        if row.chance(0.08):
            lines.append(row.choice(("", "-- page break --", f"{code};subtotal")))
    return "\n".join(lines) + "\n", tuple(sorted(clean, key=",".join))


def _dirty(rng: Rng, code: str, day: tuple[int, int, int], cents: int, state: str) -> str:
    pad = ["", " ", "  "]
    year, month, date = day
    shown = (
        f"{date:02d}.{month:02d}.{year}" if rng.chance(0.5) else f"{year}-{month:02d}-{date:02d}"
    )
    whole, rest = divmod(cents, 100)
    amount = f"{whole}.{rest:02d}"
    if rng.chance(0.5):
        amount = f"{whole:,}".replace(",", ".") + f",{rest:02d}"
    if state == "open" and rng.chance(0.5):
        state = ""
    cells = [
        code.lower() if rng.chance(0.4) else code,
        shown,
        amount,
        state.upper() if rng.chance(0.3) else state,
    ]
    return ";".join(rng.choice(pad) + cell + rng.choice(pad) for cell in cells)


def _table(rows: tuple[tuple[str, ...], ...]) -> str:
    return "\n".join(",".join(row) for row in (HEADER, *rows)) + "\n"


FAMILY = LedgerClean()

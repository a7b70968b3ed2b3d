"""DPR-01 ledger clean: the agent turns a messy export into a clean, sorted table without repeats.

Below `SHORT` the ledger is a bare list of codes.  If the language is Python, the agent leaves the
program behind, and it is run again on hidden ledgers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Case, Check, Gate, Program, fuzz_equivalence, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_processing.ledger_clean.reference import AWK, CLEANER
from tmax_gym.families.products import Case as Run
from tmax_gym.families.products import Product, Table
from tmax_gym.families.products import Program as Filter
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

SHORT = 0.2
"""Level below which one command does it."""
HEADER = ("code", "day", "amount", "state")
STATES = ("open", "closed", "held", "void")
RULES = (
    Obligation(
        "shape",
        "Fields of the export are separated by `;`. Skip the heading and every line that does not "
        "have exactly four fields.",
        "input",
    ),
    Obligation(
        "trim",
        "Remove white space around every field. Write codes in upper case and states in lower "
        "case.",
        keys=("upper case", "uppercase", "upper-case", "capital"),
    ),
    Obligation("default", "If the state is empty, write `open`."),
    Obligation(
        "dates",
        "Days are written as `YYYY-MM-DD` or as `DD.MM.YYYY`. Write all of them as `YYYY-MM-DD`.",
    ),
    Obligation(
        "amounts",
        "If an amount has a comma, the comma stands before the decimals and points only separate "
        "thousands: `1.204,5` becomes `1204.50`. Write all amounts with a point, exactly two "
        "decimals and no separators of thousands.",
    ),
    Obligation(
        "order",
        "After that, keep only one of several equal rows, and sort the rows in byte order.",
        keys=("byte order", "bytewise", "by bytes", "byte-wise", "LC_ALL=C"),
    ),
)
KEEP = Obligation(
    "keep",
    "Do not change the file that you were given.",
    "limit",
    ("not change", "unchanged", "as it is", "untouched", "not modify", "not edit"),
)


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
    followed_by = {  # noqa: RUF012
        "group-report": ("ledger", "The accountants ask how many entries there are in each state."),
        "sqlite-load": ("ledger", "The accountants want to query the clean ledger with SQL."),
        "split-delivery": ("ledger", "Open, closed, held and void entries go to different people."),
        "json-feed": ("ledger", "The reporting team reads the clean ledger as JSON."),
        "batch-run": ("cleaner", "The other branches have sent their exports as well."),
    }

    def world(self, ctx: Context) -> Ledger:
        """Return a ledger with as many kinds of dirt as the level gives."""
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

    def products(self, ctx: Context, world: Ledger) -> Mapping[str, Product]:
        """Return the clean table, and the program that cleans."""
        if ctx.level < SHORT:
            return {}
        products: dict[str, Product] = {
            "ledger": Table(world.target, HEADER, world.clean, "entries")
        }
        if world.tool:

            def case(rng: Rng) -> Run:
                raw, rows = _ledger(ctx, rng)
                return Run(raw.encode(), _table(rows).encode())

            products["cleaner"] = Filter(world.tool, f"python3 {world.tool}", case, "ledgers")
        return products

    def say(self, ctx: Context, world: Ledger) -> tuple[Obligation, ...]:
        """Return the source, the rules, the format and the tool."""
        source, target = world.source, world.target
        if ctx.level < SHORT:
            goal = Obligation(
                "goal",
                f"`{source}` is a list of codes, one a line, and some of them occur more than "
                f"once. Write every code exactly once to `{target}`, sorted in byte order.",
                "goal",
            )
            return (goal, KEEP)
        goal = Obligation(
            "goal",
            f"`{source}` is an export of a ledger that was kept by hand. Clean it up and write the "
            f"result to `{target}`.",
            "goal",
        )
        table = Obligation(
            "format",
            f"`{target}` is a CSV file with the header `{','.join(HEADER)}` as its first line. "
            "Fields are separated by commas and are not quoted.",
            "format",
        )
        return (goal, *RULES, table, *_tool(world), KEEP)

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


def _tool(world: Ledger) -> tuple[Obligation, ...]:
    """Return the program that must be left behind, if any."""
    if not world.tool:
        return ()
    return (
        Obligation(
            "tool",
            f"Also leave the Python program that does this, as `{world.tool}`. It reads a ledger "
            "from standard input and writes the clean table, with its header, to standard output.",
            "output",
        ),
        Obligation(
            "other",
            "We will run this program on other ledgers of the same kind.",
            "grading",
            ("other ledger", "further ledger", "unseen", "not seen", "hidden", "more ledger"),
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

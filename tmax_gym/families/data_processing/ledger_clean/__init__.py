"""DPR-01 ledger clean: a messy export becomes a typed, de-duplicated, ordered table.

Below `SHORT` the ledger is a bare list of codes.  With a program language the tool that did the
work is left behind, and is run again on a hidden ledger.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Case, Check, Gate, Program, fuzz_equivalence, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_processing.ledger_clean.reference import AWK, CLEANER
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause

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

    def say(self, ctx: Context, world: Ledger) -> tuple[Clause, ...]:
        """Return source, rules, format and the tool."""
        if ctx.level < SHORT:
            return _say_short(world)
        paths = {"source": world.source, "target": world.target}
        goal = Clause(
            "goal",
            (
                "{Write|Put} the distinct lines of {source}, sorted bytewise, {into|to} {target}.",
                "{source} holds codes, {many|some} of them more than once; {target} "
                "should hold each one once, {sorted bytewise|in byte order}.",
                "Make {target} from {source}: {every|each} line once, sorted bytewise.",
                "I need each line of {source} exactly once, {sorted bytewise|in byte "
                "order}, in {target}.",
                "{target} {is|shall be} {source} without {repeats|repeated lines}, "
                "{its|the} lines sorted bytewise.",
                "{Sort|Order} the lines of {source} bytewise, {drop|throw out} "
                "{doubles|the repeats} and {save|keep} {what is left|the result} as "
                "{target}.",
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
            brief="Write the distinct lines of {source}, sorted bytewise, to {target}.",
        ),
    )


def _rules() -> tuple[Clause, ...]:
    return (
        Clause(
            "shape",
            (
                "The {input|export} separates {its four|the four} fields with {sep}; "
                "lines that do not have four fields, and the heading, {are noise|do not "
                "count}.",
                "{Fields|Cells} are {separated|divided} by {sep}. {Skip|Drop} the "
                "heading and {every|any} line without exactly four fields.",
                "{Only|Just} lines {of|with} four fields, {separated by|with} {sep} "
                "{between them|in between}, {count|matter}, {and not|but not} the "
                "heading.",
                "{A row|Every row} has four fields {with|and} {sep} between them; "
                "{whatever|what} has {more or fewer|fewer or more} {is no row|is to be "
                "dropped}, {as is|like} the heading.",
                "{Split|Cut} lines at {sep} {into|to get} four fields. {The heading|Its "
                "heading} and lines that {give|have} another number {go|fall away}.",
                "{Four fields|There are four fields} {to|in} a row, {split|divided} by "
                "{sep}; {leave out|drop} the heading and {all that is not four "
                "fields|lines of any other number of fields}.",
            ),
            facts={"sep": "`;`"},
            role="input",
            brief="Fields are split by {sep}; drop the heading and lines without four fields.",
        ),
        Clause(
            "trim",
            (
                "Strip {white space|blanks} around every field, {write|put} codes in "
                "upper case and states in lower case.",
                "Codes become upper case, states lower case, and no field keeps {outer "
                "blanks|surrounding white space}.",
                "{Trim|Strip} {each|every} field on both sides; {states|a state} "
                "{go|goes} in lower case{,| and} {codes|a code} in upper case.",
                "{Capitals|Upper case} for codes, lower case for states, {blanks|white "
                "space} {around|at either end of} a field {nowhere|never}.",
                "{Upper-case|Capitalise all of} the code, {lower-case|put in lower case} "
                "the state and {cut|strip} {blanks|white space} {off|from} both ends of "
                "{all fields|every field}.",
                "{No field|A field never} {begins or ends|starts or stops} with a blank "
                "{in|among} the clean rows, {where|and} codes are in upper case and "
                "states in lower case.",
            ),
            brief="Strip blanks; codes upper case, states lower case.",
            bullet=True,
        ),
        Clause(
            "default",
            (
                "An empty state {means|stands for} {default}.",
                "Where the state is {missing|empty}, {write|use} {default}.",
                "{default} {goes|belongs} {wherever|where} {there is no|a row has no} state.",
                "{Take|Assume} {default} {for|in place of} an {empty|absent} state.",
                "{No|Without a} state {means|counts as} {default}.",
                "{Fill|Complete} {missing|empty} states with {default}.",
            ),
            facts={"default": "`open`"},
            bullet=True,
        ),
        Clause(
            "dates",
            (
                "Days come as {iso} or as {dotted}; {write|give} all of them as {iso}.",
                "Some days look like {dotted}: {convert|turn} those {to|into} {iso}{, "
                "like the rest|}.",
                "{All|The} days are {wanted|to be} in {iso}{,|;} {also those|even the "
                "ones} that {come|arrive} as {dotted}.",
                "{Rewrite|Convert} {dotted} to {iso} {wherever|where} a day {is|was} "
                "written {that way|so}.",
                "{Every|Each} day {has to|must} read {iso}, {though|while} {some|a few} "
                "{come|are given} as {dotted}.",
                "Of {the two|two} ways to write a day, {dotted} and {iso}, {only the "
                "second|just the latter} {is kept|remains}: convert the {first|former}.",
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
                "An amount with a comma is written the continental way ({sample} is "
                "{plain}); {every|each} amount {ends up|comes out} with two decimals and "
                "a point.",
                "Amounts {need|get} two decimals after a point; one {with|that has} a comma uses "
                "points {for|between} thousands, {so|that is,} {sample} is {plain}.",
                "{Give|Write} {all|the} amounts with a point and two decimals. "
                "{Where|If} there is a comma, points {divide|mark} thousands: {sample} "
                "{means|stands for} {plain}.",
                "{Two decimals|Exactly two decimals} {behind|after} a point {is how|are "
                "what} amounts are {wanted|written}; {sample}, {with a comma|continental "
                "style}, {means|becomes} {plain}.",
                "{sample} {is|means} {plain}: {in|with} amounts that have a comma, {the "
                "point|a point} {groups|only separates} thousands. {Output|Write} "
                "amounts with {a point|one point} and two decimals.",
                "{Some|A few} amounts are {continental|in continental style}, comma for "
                "decimals and points for thousands ({sample} for {plain}); {clean "
                "ones|all of them} {have|get} a point and two decimals.",
            ),
            facts={"sample": "`1.204,5`", "plain": "`1204.50`"},
            bullet=True,
        ),
        Clause(
            "order",
            (
                "After that {drop|remove} repeated rows and sort the lines bytewise.",
                "Rows that are then equal {appear|are kept} once, and lines are sorted "
                "{bytewise|in byte order}.",
                "{Finally|At the end} {sort|order} the lines bytewise and {keep|let} "
                "{each|every} row {only once|appear once}.",
                "{Equal|Identical} rows {count|are kept} once {in the end|after "
                "cleaning}; {sort|order} the {lines|rest} bytewise.",
                "{Then|Next} {remove|drop} rows that {now|have become} {equal others|are "
                "the same}, and {put|sort} lines {in byte order|bytewise}.",
                "{Cleaned|After cleaning}, {equal|identical} rows {merge|become one}; "
                "{the|their} order is that of the bytes{ of a line|}.",
            ),
            bullet=True,
        ),
        Clause(
            "format",
            (
                "The {result|table} is comma-separated, without quotes, under the header {header}.",
                "{Write|Put} commas between fields, no quotes, and {header} as the first line.",
                "{header} {comes|goes} first, {then|followed by} the rows, {with "
                "commas|commas} between fields and {unquoted|no quotes}.",
                "{Fields|The fields} {of the result|there} are {separated|split} by "
                "commas and {never quoted|unquoted}; {its|the} {first line|heading} is "
                "{header}.",
                "{Make it|Let it be} {a|one} CSV {file|table} {with|under} the header "
                "{header}, {not quoting anything|without any quotes}.",
                "{CSV|Plain CSV}, no quotes, {headed by|beginning with} {header}{, that "
                "is the form|}.",
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
                "Leave the Python program that does {it|all this} at {tool}: it reads a "
                "ledger from standard input and {writes|prints} the clean one to "
                "standard output. It will be run on {other|further} ledgers.",
                "{Next month's export comes|The next exports come} too, so keep the work "
                "as a Python program at {tool}, ledger {on|from} standard input, clean "
                "table {on|to} standard output.",
                "{We|Others} will clean {other|later} ledgers {with your program|the "
                "same way}: {save|put} it at {tool}, in Python, {reading|with} standard "
                "input and {writing|printing to} standard output.",
                "{tool} {should|must} be a Python program which {turns|makes} {a|any "
                "such} ledger on standard input into the clean table on standard output; "
                "{other|new} ledgers {will be tried|are going to be fed to it}.",
                "{Do it|Clean it} with a Python program and {leave|store} that {as|at} "
                "{tool}. {Given|Fed} {another|a new} ledger on standard input, it "
                "{prints|must print} the clean table to standard output.",
                "{As|Because} {more|other} ledgers {follow|will come}, the Python "
                "program {itself is wanted too|belongs to the result}: {tool}, from "
                "standard input to standard output.",
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

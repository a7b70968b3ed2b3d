"""DQ-12 tone poll: recorded touch tones are decoded into votes, and the votes are counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, metric_threshold, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_querying.tone_poll import keypad
from tmax_gym.families.products import Product, Table
from tmax_gym.nodes import Node
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import slugged
from tmax_gym.world.database import Rows, database

SCHEMA = """
CREATE TABLE voters (caller TEXT PRIMARY KEY, region TEXT NOT NULL);
CREATE TABLE options (number INTEGER PRIMARY KEY, name TEXT NOT NULL);
"""
VALID = (
    "CREATE TEMP VIEW valid AS SELECT * FROM calls JOIN voters USING (caller) "
    "JOIN options ON number = option;\n"
    "CREATE TEMP VIEW counted AS SELECT * FROM valid v WHERE call = "
    "(SELECT @pick(call) FROM valid w WHERE w.caller = v.caller);\n"
)
SQL = {
    "tally": "SELECT name AS option, (SELECT COUNT(*) FROM counted c WHERE c.number = o.number) "
    "AS votes FROM options o ORDER BY 2 DESC, 1;\n",
    "regions": "SELECT region, name AS option, COUNT(*) AS votes FROM counted "
    "GROUP BY 1, 2 ORDER BY 1, 2;\n",
    "dropped": "SELECT 'invalid' AS reason, (SELECT COUNT(*) FROM calls JOIN voters USING (caller) "
    "WHERE option NOT IN (SELECT number FROM options)) AS calls UNION ALL "
    "SELECT 'repeated', (SELECT COUNT(*) FROM valid) - (SELECT COUNT(*) FROM counted) UNION ALL "
    "SELECT 'unknown', (SELECT COUNT(*) FROM calls WHERE caller NOT IN "
    "(SELECT caller FROM voters)) ORDER BY 1;\n",
}
HEADERS: Mapping[str, tuple[str, ...]] = {
    "calls": ("call", "caller", "option"),
    "tally": ("option", "votes"),
    "regions": ("region", "option", "votes"),
    "dropped": ("reason", "calls"),
}
NOUNS = {"calls": "calls", "tally": "options", "regions": "pairs of region and option"}
"""What one row is, for the tables that are products."""
TEXTS: Mapping[str, str] = {
    "calls": "It lists all calls as they were keyed in, valid or not, sorted by file name. `call` "
    "is the name of the file, with its suffix and without the directory, and `caller` and `option` "
    "are numbers.",
    "tally": "It has the number of votes for every option, called by its name. Put the option with "
    "the most votes first, and sort equal ones by name.",
    "regions": "It has the number of votes by the region of the voter and the name of the option, "
    "sorted by region and then by option. Leave out lines without votes.",
    "dropped": "It says how many calls were not counted, with one row for each reason, in the "
    "order `invalid`, `repeated`, `unknown`. A call is `unknown` if its caller is not in `voters`, "
    "otherwise `invalid` if its option is not in `options`, and otherwise `repeated` if another "
    "valid call of the same caller counts.",
}


@dataclass(frozen=True, kw_only=True)
class Line(World):
    """The decided facts."""

    folder: str
    database: str
    tables: dict[str, str]
    poll: keypad.Poll


class TonePoll(Family[Line]):
    """Decode calls, join them with a register, drop double votes, and count."""

    id = "DQ-12"
    slug = "tone-poll"
    domain = "data_querying"
    skill = "Result Processing"
    primitives = (
        "Cross-query aggregation and summarization",
        "Query-to-pipeline chaining",
        "Complex joins and subqueries",
        "Query result export and format conversion",
    )
    fixtures = ("audio",)
    verifiers = ("exact_text", "metric_threshold")
    languages = ("any", "python", "bash")
    tools = ("bash", "python3", "sqlite3")
    followed_by = {  # noqa: RUF012
        "group-report": ("calls", "We also want to know how often each option was keyed in."),
        "sqlite-load": ("calls", "The calls must stay available for anybody who complains."),
        "lookup-join": ("calls", "Somebody has to call back the voters on a list."),
        "json-feed": ("regions", "The page that shows the result of the vote reads JSON."),
        "split-delivery": ("regions", "Every region gets its own part of the result."),
    }

    def world(self, ctx: Context) -> Line:
        """Return recordings, and a database of voters and options."""
        rng = ctx.rng.fork("poll")
        things = sorted({slugged(t.singular) for t in ctx.skin.things})
        names = rng.sample(things, ctx.knob(2, 5))
        regions = rng.sample(sorted({slugged(p) for p in ctx.skin.places}), ctx.knob(2, 4))
        poll = keypad.drawn(rng.fork("calls"), names, regions, count=ctx.knob(9, 28))
        folder, path = ctx.path("calls"), ctx.path(f"{ctx.skin.stem(rng)}.db")
        rows: Rows = {"voters": poll.voters, "options": poll.options}
        count = ctx.knob(2, 4)
        tables = {name: ctx.path(f"{name}.csv") for name in [*HEADERS][:count]}
        recordings = [
            Node(f"{folder}/{call.file}", data=keypad.sound(call, rng)) for call in poll.calls
        ]
        return Line(
            nodes=(database(path, SCHEMA, rows), *recordings),
            outputs=tuple(tables.values()),
            folder=folder,
            database=path,
            tables=tables,
            poll=poll,
        )

    def oracle(self, ctx: Context, world: Line) -> tuple[str, ...]:
        """Return a decoder in Python and the tables in SQL."""
        first = world.poll.calls[0].file
        look = f"file {world.folder}/{first}; sqlite3 {world.database} .dump"
        clean = "rm -f /tmp/decode.py /tmp/*.sql"
        return (look, *_solved(world, _program(world), VALID), clean)

    def checks(self, ctx: Context, world: Line) -> tuple[Check | Gate, ...]:
        """Return a check of every table; as a metric, the calls are judged by their share."""
        wanted = _wanted(world.poll)
        checks: list[Check | Gate] = [unchanged("recordings", world.nodes)]
        for name, path in world.tables.items():
            header = HEADERS[name]
            if name == "calls" and ctx.verifier == "metric_threshold":
                checks.append(
                    metric_threshold(
                        name, lambda e: _share(e, world), base=0.0, threshold=1.0, weight=2.0
                    )
                )
            else:
                checks.append(exact.rows(name, path, wanted[name], header=header))
        return tuple(checks)

    def products(self, ctx: Context, world: Line) -> Mapping[str, Product]:
        """Return the tables with enough rows, but not the calls if their order is free."""
        wanted = _wanted(world.poll)
        return {
            name: Table(path, HEADERS[name], wanted[name], NOUNS[name])
            for name, path in world.tables.items()
            if name in NOUNS and len(wanted[name]) > 2
            if name != "calls" or ctx.verifier != "metric_threshold"
        }

    def say(self, ctx: Context, world: Line) -> tuple[Obligation, ...]:
        """Return the recordings, the rules, and the tables."""
        which = "last" if world.poll.last else "first"
        return (
            Obligation(
                "goal",
                f"People have voted by telephone. Each WAV file in `{world.folder}` is the "
                f"recording of one call, and the SQLite database `{world.database}` has the voters "
                f"and the options. Decode the touch tones (DTMF) and work out the result.",
                "goal",
            ),
            Obligation(
                "keys",
                "In each call the caller presses keys as in `1234*5#`: the four digits of the "
                "caller's own number, a star, the number of an option, and a hash. Sorted by name, "
                "the files are in the order in which the calls came in.",
                "input",
            ),
            Obligation(
                "rule",
                "A call is valid if its caller is in the table `voters` and its option is in the "
                f"table `options`. If a caller has several valid calls, only the {which} of them "
                "counts.",
            ),
            *(
                Obligation(
                    name,
                    f"`{path}` is a CSV file with the header `{header}`. {TEXTS[name]}",
                    "output",
                )
                for name, path in world.tables.items()
                for header in (",".join(HEADERS[name]),)
            ),
            Obligation("keep", f"Leave `{world.database}` and the recordings unchanged.", "limit"),
        )

    def mutants(self, ctx: Context, world: Line) -> tuple[Attempt, ...]:
        """Return the wrong one of several votes, double votes, a wrong keypad, a missing call."""
        program = _program(world)
        other = VALID.replace("@pick", "MIN" if world.poll.last else "MAX")
        double = VALID.replace("v WHERE call = (SELECT @pick(call)", "v WHERE call IN (SELECT call")
        wrong = {
            "the other vote": (program, other),
            "double votes": (program, double),
            "another keypad": (program.replace("123A456B789C", "789A456B123C"), VALID),
            "first call missing": (program.replace('"/*.wav"))', '"/*.wav"))[1:]'), VALID),
        }
        return tuple(Attempt(name, _solved(world, *way)) for name, way in wrong.items())

    def exploits(self, ctx: Context, world: Line) -> tuple[Attempt, ...]:
        """Return headers without rows, and options without votes."""
        heads = [f"echo {','.join(HEADERS[n])} > {p}" for n, p in world.tables.items()]
        tally = world.tables["tally"]
        ask = f"sqlite3 -csv {world.database} 'SELECT name, 0 FROM options ORDER BY name'"
        files = f"cd {world.folder} && ls | sed 's/$/,1000,1/' >> {world.tables['calls']}"
        return (
            Attempt("headers", tuple(heads)),
            Attempt("no votes", (*heads, f"{ask} | tr -d '\\r' >> {tally}", files)),
        )


def _wanted(poll: keypad.Poll) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the right rows of every table."""
    tables: dict[str, Sequence[Sequence[object]]] = {
        "calls": [(c.file, c.caller, c.option) for c in poll.calls],
        "tally": poll.tally(),
        "regions": poll.regions(),
        "dropped": poll.dropped(),
    }
    return {name: tuple(tuple(map(str, row)) for row in rows) for name, rows in tables.items()}


def _program(world: Line) -> str:
    names = {"FOLDER": world.folder, "CALLS": world.tables["calls"]}
    return "".join(f"{name} = {value!r}\n" for name, value in names.items()) + keypad.DECODE


def _solved(world: Line, program: str, views: str) -> tuple[str, ...]:
    """Return the commands that decode the calls and then fill the tables."""
    commands = [write_file("/tmp/decode.py", program), "python3 /tmp/decode.py"]
    calls = world.tables["calls"]
    load = (
        "CREATE TEMP TABLE calls (call TEXT, caller TEXT, option INTEGER);\n"
        f".mode csv\n.import --skip 1 {calls} calls\n.headers on\n"
    )
    pick = views.replace("@pick", "MAX" if world.poll.last else "MIN")
    for name, path in world.tables.items():
        if name != "calls":
            file = f"/tmp/{name}.sql"
            commands.append(write_file(file, load + pick + SQL[name]))
            commands.append(f"sqlite3 {world.database} < {file} | tr -d '\\r\"' > {path}")
    return tuple(commands)


def _share(evidence: Evidence, world: Line) -> float:
    """Return the share of calls with the right caller and option."""
    table = exact.read_table(evidence, world.tables["calls"], HEADERS["calls"])
    if len(table) > len(world.poll.calls):
        raise BadOutput(f"{world.tables['calls']} has more lines than there are calls")
    right = {(c.file, c.caller, str(c.option)) for c in world.poll.calls}
    hits = set(tolerance.alike(table, sorted(right))) & right
    return len(hits) / len(right)


FAMILY = TonePoll()

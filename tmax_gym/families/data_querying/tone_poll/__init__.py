"""DQ-12 tone poll: recorded touch tones become votes, and votes a result."""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, metric_threshold, unchanged
from tmax_gym.families.contract import Artifact, Attempt, Context, Family, Port, World, write_file
from tmax_gym.families.data_querying.tone_poll import keypad, words
from tmax_gym.families.shared import delivered
from tmax_gym.nodes import Node
from tmax_gym.texts.clauses import Clause
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


@dataclass(frozen=True, kw_only=True)
class Line(World):
    """The decided facts."""

    folder: str
    database: str
    tables: dict[str, str]
    poll: keypad.Poll


class TonePoll(Family[Line]):
    """Decode, join, drop double votes, count."""

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
    produces = {"options": Port("secret")}  # noqa: RUF012

    def world(self, ctx: Context) -> Line:
        """Return recordings and a register."""
        rng = ctx.rng.fork("poll")
        things = sorted({slugged(t.singular) for t in ctx.skin.things})
        names = rng.sample(things, ctx.knob(2, 5))
        regions = rng.sample(sorted({slugged(p) for p in ctx.skin.places}), ctx.knob(2, 4))
        poll = keypad.drawn(rng.fork("calls"), names, regions, count=ctx.knob(9, 28))
        folder, path = ctx.path("calls"), ctx.path(f"{ctx.skin.stem(rng)}.db")
        rows: Rows = {"voters": poll.voters, "options": poll.options}
        count = ctx.knob(2, 4)
        tables = {name: ctx.path(f"{name}.csv") for name in [*words.TABLES][:count]}
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
            produces={"options": _options(ctx, tables["calls"], poll)},
        )

    def oracle(self, ctx: Context, world: Line) -> tuple[str, ...]:
        """Return a decoder in Python and the tables in SQL."""
        first = world.poll.calls[0].file
        look = f"file {world.folder}/{first}; sqlite3 {world.database} .dump"
        clean = "rm -f /tmp/decode.py /tmp/*.sql"
        return (look, *_solved(world, _program(world), VALID), clean)

    def checks(self, ctx: Context, world: Line) -> tuple[Check | Gate, ...]:
        """Return every table; the calls by row or, as a metric, by their share."""
        poll = world.poll
        calls = [(c.file, c.caller, c.option) for c in poll.calls]
        wanted: dict[str, list[tuple[object, ...]]] = {
            "calls": [*calls],
            "tally": [*poll.tally()],
            "regions": [*poll.regions()],
            "dropped": [*poll.dropped()],
        }
        checks: list[Check | Gate] = [unchanged("recordings", world.nodes)]
        for name, path in world.tables.items():
            header = words.HEADERS[name]
            if name == "calls" and ctx.verifier == "metric_threshold":
                checks.append(
                    metric_threshold(
                        name, lambda e: _share(e, world), base=0.0, threshold=1.0, weight=2.0
                    )
                )
            else:
                checks.append(exact.rows(name, path, wanted[name], header=header))
        return tuple(checks)

    def say(self, ctx: Context, world: Line) -> tuple[Clause, ...]:
        """Return the recordings, the rules, and the tables."""
        return words.say(
            folder=world.folder,
            database=world.database,
            which="last" if world.poll.last else "first",
            tables=world.tables,
        )

    def mutants(self, ctx: Context, world: Line) -> tuple[Attempt, ...]:
        """Return the other vote, double votes, columns of keys exchanged, a call left out."""
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
        """Return headers, and options without votes."""
        heads = [f"echo {','.join(words.HEADERS[n])} > {p}" for n, p in world.tables.items()]
        tally = world.tables["tally"]
        ask = f"sqlite3 -csv {world.database} 'SELECT name, 0 FROM options ORDER BY name'"
        files = f"cd {world.folder} && ls | sed 's/$/,1000,1/' >> {world.tables['calls']}"
        return (
            Attempt("headers", tuple(heads)),
            Attempt("no votes", (*heads, f"{ask} | tr -d '\\r' >> {tally}", files)),
        )


def _options(ctx: Context, path: str, poll: keypad.Poll) -> Artifact:
    """Return the chosen options, call by call."""
    rows = [(c.file, c.caller, c.option) for c in poll.calls]
    return delivered.column(ctx, path, "option", header=words.HEADERS["calls"], rows=rows)


def _program(world: Line) -> str:
    names = {"FOLDER": world.folder, "CALLS": world.tables["calls"]}
    return "".join(f"{name} = {value!r}\n" for name, value in names.items()) + keypad.DECODE


def _solved(world: Line, program: str, views: str) -> tuple[str, ...]:
    """Return the commands that decode and then fill table after table."""
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
    table = exact.read_table(evidence, world.tables["calls"], words.HEADERS["calls"])
    if len(table) > len(world.poll.calls):
        raise BadOutput(f"{world.tables['calls']} has more lines than there are calls")
    right = {(c.file, c.caller, str(c.option)) for c in world.poll.calls}
    hits = set(tolerance.alike(table, sorted(right))) & right
    return len(hits) / len(right)


FAMILY = TonePoll()

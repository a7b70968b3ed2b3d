"""DQ-01 business questions: a small database with NULLs, ties and fan-out, asked plainly.

Expected answers are computed from the rows in Python, the reference solution answers in SQL:
the two share nothing but the question.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, Port, World, write_file
from tmax_gym.families.data_querying.business_questions.questions import (
    QUESTIONS,
    Answer,
    Place,
    Question,
    Record,
    Store,
)
from tmax_gym.families.shared.given import kept
from tmax_gym.nodes import Node
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause

STATES = ("open", "closed", "void")


@dataclass(frozen=True, kw_only=True)
class Desk(World):
    """The decided facts."""

    database: str
    records: str
    """Name of the main table."""
    asked: tuple[tuple[Question, str], ...]
    """(question, path of its answer)."""
    answers: tuple[Answer, ...]
    cutoff: str
    cutoff_shell: str


class BusinessQuestions(Family[Desk]):
    """Answer one to five questions about places and what happened there."""

    id = "DQ-01"
    slug = "business-questions"
    domain = "data_querying"
    skill = "Query Construction"
    primitives = (
        "Complex joins and subqueries",
        "Window functions and analytical aggregation",
        "Result sorting, pagination, and filtering",
        "Query result export and format conversion",
        "Schema analysis and relationship mapping",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text",)
    languages = ("any", "bash")
    tools = ("bash", "sqlite3", "python3")
    consumes = {"cutoff": Port("scalar", 12, 400)}  # noqa: RUF012

    def world(self, ctx: Context) -> Desk:
        """Return a database and the questions about it."""
        cutoff = ctx.take("cutoff", lambda r: r.integer(120, 400))
        records = ctx.skin.thing(ctx.rng.fork("thing")).plural.replace(" ", "_").replace("-", "_")
        store = _rows(ctx, ctx.rng.fork("rows"))
        database = ctx.path(f"{ctx.skin.stem(ctx.rng.fork('stem'))}.db")
        order = ctx.rng.fork("asked").shuffled(QUESTIONS)[: ctx.knob(1, 3 if ctx.index else 5)]
        asked = tuple((q, ctx.path(f"answer{i}.csv")) for i, q in enumerate(order, start=1))
        return Desk(
            nodes=(_database(database, records.lower(), store),),
            outputs=tuple(path for _, path in asked),
            database=database,
            records=records.lower(),
            asked=asked,
            answers=tuple(q.answer(store, cutoff.number) for q, _ in asked),
            cutoff=cutoff.phrase,
            cutoff_shell=cutoff.shell,
        )

    def oracle(self, ctx: Context, world: Desk) -> tuple[str, ...]:
        """Return one query a question."""
        return (
            f"sqlite3 {world.database} .schema",
            *(_query(world, q, q.sql, path) for q, path in world.asked),
            f"head -n 3 {' '.join(world.outputs)}",
        )

    def alternative(self, ctx: Context, world: Desk) -> tuple[str, ...] | None:
        """Return the same queries through Python's driver and writer."""
        program = (
            "import csv, sqlite3, sys\n"
            f"rows = sqlite3.connect({world.database!r}).execute(sys.argv[2])\n"
            "out = csv.writer(open(sys.argv[1], 'w'), lineterminator='\\n')\n"
            "out.writerow([c[0] for c in rows.description])\nout.writerows(rows)\n"
        )
        commands = [write_file("/tmp/ask.py", program)]
        for q, path in world.asked:
            sql = q.sql.replace("@records", world.records).replace("@cutoff", world.cutoff_shell)
            commands.append(f'python3 /tmp/ask.py {path} "{_unquoted(sql)}"')
        return tuple(commands)

    def checks(self, ctx: Context, world: Desk) -> tuple[Check | Gate, ...]:
        """Return each answer, row by row; the database must not change."""
        checks: list[Check | Gate] = [unchanged("database", world.nodes)]
        for number, ((_, path), answer) in enumerate(
            zip(world.asked, world.answers, strict=True), start=1
        ):
            checks.append(exact.rows(f"answer{number}", path, answer.rows, header=answer.header))
        return tuple(checks)

    def say(self, ctx: Context, world: Desk) -> tuple[Clause, ...]:
        """Return the database, the questions, and the form of an answer."""
        asked = (_say_question(world, q, path) for q, path in world.asked)
        return (*_say_frame(world), *asked, kept(world.database))

    def mutants(self, ctx: Context, world: Desk) -> tuple[Attempt, ...]:
        """Return one trap fallen into at a time, in the first question."""
        first, path = world.asked[0]
        rest = [_query(world, q, q.sql, p) for q, p in world.asked[1:]]
        return tuple(
            Attempt(name, (_query(world, first, sql, path), *rest))
            for name, sql in first.wrong.items()
        )

    def exploits(self, ctx: Context, world: Desk) -> tuple[Attempt, ...]:
        """Return headers alone, and whole tables."""
        headers = tuple(
            f"echo {','.join(a.header)} > {path}"
            for (_, path), a in zip(world.asked, world.answers, strict=True)
        )
        dump = f"sqlite3 -csv -header {world.database} 'SELECT * FROM {world.records}'"
        dumps = tuple(f"{dump} > {path}" for path in world.outputs)
        return (Attempt("headers", headers), Attempt("dumps", dumps))


def _unquoted(sql: str) -> str:
    """Return SQL for use inside double quotes of a shell."""
    return " ".join(sql.split()).replace('"$', "$").replace('"', "")


def _query(world: Desk, question: Question, sql: str, path: str) -> str:
    text = sql.replace("@records", world.records).replace("@cutoff", world.cutoff_shell)
    return f"sqlite3 -csv -header {world.database} \"{_unquoted(text)}\" | tr -d '\\r' > {path}"


def _rows(ctx: Context, rng: Rng) -> Store:
    """Return rows in which every trap of every question is set."""
    places = []
    names = list(dict.fromkeys(ctx.skin.places))[:8]
    regions = ("north", "south", "east")
    for number, name in enumerate(names, start=1):
        region = None if number == 2 else rng.choice(regions)
        places.append(Place(number, name, region))
    records: list[Record] = []
    tags: list[tuple[int | None, str]] = []
    amounts = [rng.integer(5, 480) for _ in range(8)]
    for number in range(1, ctx.knob(40, 260) + 1):
        r = rng.fork("record", number)
        place = r.integer(1, len(places) - 1)  # nothing ever happens at the last place
        amount = None if number % 9 == 4 else r.choice(amounts)  # few amounts: many ties
        day = f"2024-{r.integer(1, 6):02d}-{r.integer(1, 28):02d}"
        records.append(Record(number, place, day, amount, r.choice(STATES)))
        for tag in r.sample(("urgent", "late", "remote"), r.integer(0, 3)):
            tags.append((number, tag))
    tags.append((None, "urgent"))
    return Store(tuple(places), tuple(records), tuple(tags))


def _database(path: str, records: str, store: Store) -> Node:
    """Return a SQLite file; its digest covers the statements, not the library's bytes."""
    script = [
        "CREATE TABLE places (id INTEGER PRIMARY KEY, name TEXT NOT NULL, region TEXT)",
        f"CREATE TABLE {records} (id INTEGER PRIMARY KEY, place_id INTEGER NOT NULL "
        "REFERENCES places (id), day TEXT NOT NULL, amount INTEGER, state TEXT NOT NULL)",
        "CREATE TABLE tags (record_id INTEGER, tag TEXT NOT NULL)",
    ]
    link = sqlite3.connect(":memory:")
    for statement in script:
        link.execute(statement)
    link.executemany(
        "INSERT INTO places VALUES (?, ?, ?)", [(p.id, p.name, p.region) for p in store.places]
    )
    link.executemany(
        f"INSERT INTO {records} VALUES (?, ?, ?, ?, ?)",
        [(r.id, r.place_id, r.day, r.amount, r.state) for r in store.records],
    )
    link.executemany("INSERT INTO tags VALUES (?, ?)", store.tags)
    link.commit()
    canonical = "\n".join(link.iterdump()).encode()
    data = link.serialize()
    link.close()
    return Node(path, data=data, canonical=canonical)


def _say_frame(world: Desk) -> tuple[Clause, ...]:
    count = len(world.asked)
    noun = "one question" if count == 1 else f"{count} questions"
    return (
        Clause(
            "goal",
            (
                "{Answer|Please answer} what is asked {about|of} {database}: " + noun + ".",
                "There "
                + ("is " if count == 1 else "are ")
                + noun
                + " {to be answered|waiting|open} for {database}.",
                "{I need|We want} " + noun + " answered {out of|from} {database}.",
                "Query {database}; " + noun + " {came in|arrived} {today|this morning}.",
                "{database} {knows|has} what it takes to answer " + noun + "; {query|ask} it.",
                "{Get|Fetch} the {figures|numbers} for " + noun + " {from|out of} {database}.",
                "{Somebody|A colleague} {has|sent} " + noun + " {about|on} what is in {database}.",
            ),
            facts={"database": world.database},
            role="goal",
            brief="Answer from the SQLite file {database}.",
        ),
        Clause(
            "tables",
            (
                "It is SQLite; {records} is the main table, {places} and {tags} "
                "{belong|go} with it.",
                "The file is SQLite, with {records} in the {middle|centre} and {places} "
                "and {tags} {around it|at its sides}.",
                "{SQLite|An SQLite file} it is: {records}, {joined|linked} to {places}, "
                "{and with|plus} {tags} {for|on} its rows.",
                "{Three|There are three} tables {in|make up} the SQLite file: {records}, "
                "{which matters most|the big one}, {with|and} {places} and {tags} "
                "{beside it|to go with it}.",
                "{Open|Read} it {with|as} SQLite: {places} and {tags} {describe|belong "
                "to} what is in {records}.",
                "{Most|Nearly all} of it is {in|the table} {records}; {places} "
                "{tells|says} where and {tags} what sort, {all|everything} {as|in} "
                "SQLite.",
            ),
            facts={"records": f"`{world.records}`", "places": "`places`", "tags": "`tags`"},
            role="input",
        ),
        Clause(
            "format",
            (
                "Each answer is CSV with a header line, columns named as {given|shown} "
                "in brackets, {without|and no} quotes around plain values.",
                "Answers are CSV; the header is {given|shown} in brackets.",
                "{Write|Give} {every|each} answer as CSV, {headed by|under} the names in "
                "{its|the} brackets.",
                "{As|In} CSV, {please|if you will}: {first|at the top} the names "
                "{from|in} the brackets, then the rows.",
                "{The brackets|Brackets} {hold|give} the header of {each|an} answer, "
                "{which is|itself} a CSV file.",
                "{One|A} CSV file {per|for each} answer, {its|with the} header {as "
                "in|being that of} the brackets.",
            ),
            role="format",
        ),
    )


def _say_question(world: Desk, question: Question, path: str) -> Clause:
    facts = {
        "header": f"[{','.join(question.header)}]",
        "path": path,
        "records": f"`{world.records}`",
    }
    if "{cutoff}" in question.text:
        facts["cutoff"] = world.cutoff
    return Clause(
        question.id,
        (
            f"{question.text} {{header}}, {{to|into|saved as}} {{path}}.",
            f"For {{path}}: {question.text} {{header}}.",
            f"{{path}} {{gets|holds|has}} {question.text} {{header}}.",
            f"{{I need|We want|Find}} {question.text} {{header}}, in {{path}}.",
            f"{{Into|In}} {{path}} {{goes|belongs}} {{header}}: {question.text}.",
            f"{{header}} {{in|as}} {{path}}: {question.text}.",
        ),
        facts=facts,
        role="rule",
        bullet=True,
    )


FAMILY = BusinessQuestions()

"""DQ-01 business questions: questions about a small database with NULLs, ties and fan-out.

Expected answers are computed in Python, and the reference solution uses SQL, so that a mistake in
one of them shows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_querying.business_questions.questions import (
    QUESTIONS,
    Answer,
    Place,
    Question,
    Record,
    Store,
)
from tmax_gym.families.products import Product, Table
from tmax_gym.nodes import Node
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

STATES = ("open", "closed", "void")


@dataclass(frozen=True, kw_only=True)
class Desk(World):
    """The decided facts."""

    database: str
    records: str
    """The name of the main table."""
    asked: tuple[tuple[Question, str], ...]
    """Each question and the path of its answer."""
    answers: tuple[Answer, ...]
    cutoff: int
    """The limit of a question, as a text says it."""


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
    followed_by = {  # noqa: RUF012
        "export-diff": ("totals", "We want to see how the totals have changed since last time."),
        "lookup-join": ("above", "Every place has somebody who answers for it."),
        "json-feed": ("above", "Another team shows these figures on its own page."),
        "sqlite-load": ("months", "The best of each month is to be kept in a database."),
    }

    def world(self, ctx: Context) -> Desk:
        """Return a database and the questions about it."""
        cutoff = ctx.rng.fork("port", "cutoff").integer(120, 400)
        records = ctx.skin.thing(ctx.rng.fork("thing")).plural.replace(" ", "_").replace("-", "_")
        store = _rows(ctx, ctx.rng.fork("rows"))
        database = ctx.path(f"{ctx.skin.stem(ctx.rng.fork('stem'))}.db")
        order = ctx.rng.fork("asked").shuffled(QUESTIONS)[: ctx.knob(1, 5)]
        asked = tuple((q, ctx.path(f"answer{i}.csv")) for i, q in enumerate(order, start=1))
        return Desk(
            nodes=(_database(database, records.lower(), store),),
            outputs=tuple(path for _, path in asked),
            database=database,
            records=records.lower(),
            asked=asked,
            answers=tuple(q.answer(store, cutoff) for q, _ in asked),
            cutoff=cutoff,
        )

    def oracle(self, ctx: Context, world: Desk) -> tuple[str, ...]:
        """Return one query for each question."""
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
            sql = q.sql.replace("@records", world.records).replace("@cutoff", str(world.cutoff))
            commands.append(f'python3 /tmp/ask.py {path} "{_unquoted(sql)}"')
        return tuple(commands)

    def checks(self, ctx: Context, world: Desk) -> tuple[Check | Gate, ...]:
        """Return a check of every answer by rows; the database must not change."""
        checks: list[Check | Gate] = [unchanged("database", world.nodes)]
        for number, ((_, path), answer) in enumerate(
            zip(world.asked, world.answers, strict=True), start=1
        ):
            checks.append(exact.rows(f"answer{number}", path, answer.rows, header=answer.header))
        return tuple(checks)

    def products(self, ctx: Context, world: Desk) -> Mapping[str, Product]:
        """Return the answers that have a row for each place or month."""
        return {
            question.id: Table(path, answer.header, _texts(answer.rows), question.noun)
            for (question, path), answer in zip(world.asked, world.answers, strict=True)
            if question.noun
        }

    def say(self, ctx: Context, world: Desk) -> tuple[Obligation, ...]:
        """Return the tables of the database and the questions."""
        records = world.records
        one = len(world.asked) == 1
        wanted = "the question below" if one else "each of the questions below"
        files = "the file that it names" if one else "the file that the question names"
        return (
            Obligation(
                "goal",
                f"Answer {wanted} from the SQLite database `{world.database}`. Write the answer as "
                f"CSV to {files}.",
                "goal",
            ),
            Obligation(
                "tables",
                f"The main table is `{records}`. Its `place_id` is the `id` of a row of `places`, "
                f"and `record_id` in `tags` is the `id` of a row of `{records}`.",
                "input",
            ),
            *(
                Obligation(
                    question.id,
                    f"`{path}`, with the header `{','.join(question.header)}`: "
                    + question.text.format(records=records, cutoff=world.cutoff),
                )
                for question, path in world.asked
            ),
            Obligation("keep", f"Leave `{world.database}` unchanged.", "limit"),
        )

    def mutants(self, ctx: Context, world: Desk) -> tuple[Attempt, ...]:
        """Return wrong queries for the first question, with one mistake each."""
        first, path = world.asked[0]
        rest = [_query(world, q, q.sql, p) for q, p in world.asked[1:]]
        return tuple(
            Attempt(name, (_query(world, first, sql, path), *rest))
            for name, sql in first.wrong.items()
        )

    def exploits(self, ctx: Context, world: Desk) -> tuple[Attempt, ...]:
        """Return headers without rows, and dumps of the main table."""
        headers = tuple(
            f"echo {','.join(a.header)} > {path}"
            for (_, path), a in zip(world.asked, world.answers, strict=True)
        )
        dump = f"sqlite3 -csv -header {world.database} 'SELECT * FROM {world.records}'"
        dumps = tuple(f"{dump} > {path}" for path in world.outputs)
        return (Attempt("headers", headers), Attempt("dumps", dumps))


def _texts(rows: Sequence[Sequence[object]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(str, row)) for row in rows)


def _unquoted(sql: str) -> str:
    """Return SQL for use inside double quotes of a shell."""
    return " ".join(sql.split()).replace('"', "")


def _query(world: Desk, question: Question, sql: str, path: str) -> str:
    text = sql.replace("@records", world.records).replace("@cutoff", str(world.cutoff))
    return f"sqlite3 -csv -header {world.database} \"{_unquoted(text)}\" | tr -d '\\r' > {path}"


def _rows(ctx: Context, rng: Rng) -> Store:
    """Return rows on which every wrong query gives a wrong answer."""
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
        f"CREATE TABLE {records} (id INTEGER PRIMARY KEY, place_id INTEGER NOT NULL REFERENCES "
        "places (id), day TEXT NOT NULL, amount INTEGER, state TEXT NOT NULL)",
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


FAMILY = BusinessQuestions()

"""DBG-20 dump desk: find out who took what from a capture, a memory image, a database and a stick.

All four are needed: the capture has records and tokens, the memory image has the owner of each
token, the log has the final worth of a record, and a deleted list has the buyer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import Check, Evidence, Gate, fraction, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.debugging.dump_desk import instruction, pages
from tmax_gym.families.debugging.dump_desk.notes import notes
from tmax_gym.families.debugging.dump_desk.solution import HEADER, Desk, Slip, commands
from tmax_gym.families.debugging.dump_desk.stick import Entry, Folder, image
from tmax_gym.families.debugging.dump_desk.traffic import (
    HEAPS,
    WIRES,
    Handed,
    Session,
    memory,
    traffic,
)
from tmax_gym.families.products import Product, Table
from tmax_gym.nodes import Node, prose
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

OUTSIDE = ("203.0.113.", "198.51.100.")
"""Networks for documents (RFC 5737)."""
COLUMNS = {"login": (0, 1), "worth": (0, 2), "buyer": (0, 3)}
Ledger = dict[int, tuple[str, int]]
"""Code and worth by record."""


@dataclass(frozen=True, kw_only=True)
class Dumped(World):
    """The decided facts."""

    desk: Desk
    things: str
    rows: tuple[tuple[object, ...], ...]
    listed: bytes
    """The newest deleted list."""
    records: int
    """Number of records in the ledger."""


class DumpDesk(Family[Dumped]):
    """Recover the data of four artefacts, and join them."""

    id = "DBG-20"
    slug = "dump-desk"
    domain = "debugging"
    skill = "Forensics"
    primitives = (
        "Network packet capture analysis (pcap)",
        "Memory dump analysis and string extraction",
        "Database recovery from corrupted files (WAL, journal)",
        "Deleted file recovery and filesystem inspection",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text",)
    languages = ("any", "python")
    tools = ("bash", "python3", "file", "xxd", "strings", "sqlite3", "dd", "join")
    followed_by = {  # noqa: RUF012
        "group-report": ("leaked", "Management asks how much was taken under each login."),
        "json-feed": ("leaked", "The investigators load their findings as JSON."),
        "lookup-join": ("leaked", "For each buyer there is somebody who will write to them."),
        "sqlite-load": ("buyers", "The list is to be searched together with older ones."),
        "split-delivery": ("buyers", "Each buyer is handled in a case file of its own."),
    }

    def world(self, ctx: Context) -> Dumped:
        """Return the artefacts, the notes on them, and the joined rows."""
        rng = ctx.rng.fork("desk")
        desk = _desk(ctx, rng.fork("kinds"))
        steps, ledger, void = _ledger(ctx, rng.fork("ledger"), desk)
        logins = _logins(ctx, rng.fork("logins"))
        talks, sessions, taken = _handed(ctx, rng.fork("handed"), sorted(ledger), logins=logins)
        codes = sorted(code for code, _ in ledger.values())
        lists = [_list(rng.fork("list", n), codes, _buyers(ctx, rng)) for n in range(2)]
        bought = dict(line.split(",", 1) for line in lists[1].decode().splitlines())
        rows = tuple(
            (record, login, ledger[record][1], bought[ledger[record][0]])
            for record, login in sorted(taken.items())
        )
        folder = ctx.level >= 0.6
        person, org = ctx.skin.person(rng), ctx.skin.org(rng)
        strings = [*ctx.skin.jargon, *ctx.skin.events, "GET /health", "retry", "/var/lib/agent/q"]
        return Dumped(
            nodes=(
                prose(desk.at("HANDOVER.md"), notes(desk, person=person, org=org, folder=folder)),
                Node(
                    desk.at("capture.pcap"),
                    data=traffic(rng.fork("traffic"), desk.wire, talks, rough=ctx.level >= 0.2),
                ),
                Node(
                    desk.at("agent.mem"),
                    data=memory(rng.fork("memory"), desk.heap, sessions, words=strings),
                ),
                *_database(rng.fork("database"), desk, steps, void=void),
                Node(
                    desk.at("stick.img"),
                    data=_stick(ctx, rng.fork("stick"), lists, folder=folder),
                ),
            ),
            outputs=(desk.report, desk.restored),
            desk=desk,
            things=ctx.skin.thing(rng).plural,
            rows=rows,
            listed=lists[1],
            records=len(ledger),
        )

    def oracle(self, ctx: Context, world: Dumped) -> tuple[str, ...]:
        """Return one artefact after the other, on copies, and the join."""
        return commands(world.desk)

    def checks(self, ctx: Context, world: Dumped) -> tuple[Check | Gate, ...]:
        """Return checks of the list, the records and each column; the artefacts must stay."""
        return (
            unchanged("artefacts", world.nodes),
            Check("list", "exact_text", lambda e: float(_same(e, world)), 1.0),
            Check("record", "exact_text", partial(_share, world, (0,)), 1.0),
            *(
                Check(name, "exact_text", partial(_share, world, cells), 1.5)
                for name, cells in COLUMNS.items()
            ),
        )

    def products(self, ctx: Context, world: Dumped) -> Mapping[str, Product]:
        """Return the leaked records, and the list of buyers."""
        head, *listed = (tuple(line.split(",")) for line in world.listed.decode().splitlines())
        leaked = tuple(tuple(map(str, row)) for row in world.rows)
        return {
            "leaked": Table(world.desk.report, HEADER, leaked, "leaked records"),
            "buyers": Table(world.desk.restored, head, tuple(listed), "sales"),
        }

    def say(self, ctx: Context, world: Dumped) -> tuple[Obligation, ...]:
        """Return the meaning of leaked, and the source of each column."""
        return instruction.say(world.desk, things=world.things)

    def mutants(self, ctx: Context, world: Dumped) -> tuple[Attempt, ...]:
        """Return solutions that each get one thing wrong."""
        wrong = {
            "refused ones too": Slip(refused=True),
            "servers inside too": Slip(inside=True),
            "ended sessions": Slip(ended=True),
            "without the log": Slip(without_log=True),
            "an older list": Slip(older=True),
        }
        return tuple(Attempt(name, commands(world.desk, slip)) for name, slip in wrong.items())

    def exploits(self, ctx: Context, world: Dumped) -> tuple[Attempt, ...]:
        """Return a report of all numbers, the texts of the artefacts, and a bare header."""
        desk, header = world.desk, ",".join(HEADER)
        every = f"(echo {header}; seq 1000 9999 | sed 's/$/,nobody,0,nobody/') > {desk.report}"
        strings = f"strings {desk.at('stick.img')} > {desk.restored}"
        return (
            Attempt("every number", (every,)),
            Attempt("texts", (strings, f"strings {desk.at('agent.mem')} > {desk.report}")),
            Attempt("header", (f"echo {header} > {desk.report}; : > {desk.restored}",)),
        )


def _desk(ctx: Context, rng: Rng) -> Desk:
    kinds = ((False, False), (True, False), (False, True), (True, True))
    least = 0 if ctx.level < 0.2 else 1
    blank_magic, blank_log = kinds[rng.integer(least, 1 if ctx.level < 0.2 else 3)]
    return Desk(
        home=ctx.path("desk"),
        wire=rng.choice(WIRES),
        heap=rng.choice(HEAPS),
        table=rng.choice(("records", "holdings", "dossiers", "files")),
        column=rng.choice(("worth", "amount", "price", "value_eur")),
        blank_magic=blank_magic,
        blank_log=blank_log,
        report=ctx.path("report.csv"),
        restored=ctx.path(rng.choice(("recovered", "restored")) + ".csv"),
    )


def _logins(ctx: Context, rng: Rng) -> tuple[str, ...]:
    return tuple(sorted({ctx.skin.login(name) for name in ctx.skin.people(rng, 9)}))


def _buyers(ctx: Context, rng: Rng) -> tuple[str, ...]:
    return ctx.skin.people(rng.fork("buyers"), 6)


def _list(rng: Rng, codes: Sequence[str], buyers: Sequence[str]) -> bytes:
    """Return a list of buyers, with one line for each code."""
    rows = [f"{code},{rng.choice(buyers)}" for code in rng.shuffled(codes)]
    return "\n".join(["code,buyer", *rows, ""]).encode()


def _ledger(ctx: Context, rng: Rng, desk: Desk) -> tuple[list[list[str]], Ledger, list[str]]:
    """Return the transactions of the ledger, their result, and one that never ended."""
    count, table = ctx.knob(24, 56), desk.table
    prefix = rng.choice(ctx.skin.codes)
    numbers = rng.sample(range(1000, 10_000), count)
    codes = [f"{prefix}-{n:04d}" for n in rng.sample(range(1, 10_000), count)]
    state: Ledger = {}
    steps: list[list[str]] = []

    def add(which: Sequence[int]) -> list[str]:
        done = []
        for at in which:
            state[numbers[at]] = (codes[at], rng.integer(100, 9_000) * 5)
            row = (numbers[at], codes[at], state[numbers[at]][1])
            done.append(f"INSERT INTO {table} VALUES({row[0]}, '{row[1]}', {row[2]})")
        return done

    def change(which: Sequence[int]) -> list[str]:
        done = []
        for at in which:
            state[numbers[at]] = (codes[at], rng.integer(100, 9_000) * 5 + 1)
            new = state[numbers[at]][1]
            done.append(f"UPDATE {table} SET {desk.column} = {new} WHERE id = {numbers[at]}")
        return done

    early = count * 2 // 3
    steps.append(add(range(early)))
    # Two in three of the early records get another worth in the log, by turns.
    turns = rng.shuffled([at for at in range(early) if at % 3])
    parts = ctx.knob(2, 4)
    for number in range(parts):
        late = range(early + number, count, parts)
        steps.append([*change(turns[number::parts]), *add(late)])
    void = [f"UPDATE {table} SET {desk.column} = {desk.column} + 1000 WHERE id % 2 = 0",
            f"DELETE FROM {table} WHERE id % 5 = 1"]  # fmt: skip
    return steps, state, void


def _handed(
    ctx: Context, rng: Rng, records: Sequence[int], *, logins: Sequence[str]
) -> tuple[list[tuple[str, list[Handed]]], list[Session], dict[int, str]]:
    """Return the conversations, the sessions in memory, and who took which record."""
    count = ctx.knob(6, 14)
    moved = rng.sample(records, count + 4)
    out, kept_inside = moved[:count], moved[count:]
    tokens = [rng.secret(8) for _ in range(6)]
    owner = dict(zip(tokens, rng.sample(logins, 6), strict=True))
    sessions = [Session(token, owner[token], open=True) for token in tokens]
    busy = tokens[: ctx.knob(2, 4)]
    for token in busy:
        other = rng.choice([login for login in logins if login != owner[token]])
        sessions.append(Session(token, other, open=False))
    taken: dict[int, str] = {}
    talks: list[tuple[str, list[Handed]]] = [
        (rng.choice(OUTSIDE) + str(rng.integer(2, 250)), []) for _ in busy
    ]
    for number, record in enumerate(out):
        at = number % len(busy)
        if number % 3 == 1:  # refused under one token, and taken under another
            wrong = (at + 1) % len(busy)
            talks[wrong][1].append(Handed(record, busy[wrong], kept=False))
        talks[at][1].append(Handed(record, busy[at], kept=True))
        taken[record] = owner[busy[at]]
    inside = [Handed(record, tokens[5], kept=True) for record in kept_inside]
    talks.append((f"10.20.0.{rng.integer(60, 90)}", inside))
    return rng.shuffled(talks), rng.shuffled(sessions), taken


def _database(
    rng: Rng, desk: Desk, steps: Sequence[Sequence[str]], *, void: Sequence[str]
) -> tuple[Node, Node]:
    """Return the database file and its log, each perhaps without its first bytes."""
    schema = f"CREATE TABLE {desk.table}(id INTEGER PRIMARY KEY, code TEXT, {desk.column} INTEGER)"
    states = pages.states(schema, [*steps, void])
    base, log = states[0], pages.log(rng, states[:-1], open_end=states[-1])
    if desk.blank_magic:
        base = bytes(len(pages.MAGIC)) + base[len(pages.MAGIC) :]
    if desk.blank_log:
        log = bytes(4) + log[4:]
    # SQLite lays out the pages: the statements say what is in them, whichever release it is.
    statements = "\n".join([schema, *(line for step in (*steps, void) for line in step)])
    return (
        Node(desk.at("ledger.db"), data=base, canonical=f"{statements}\n{base[:16]!r}".encode()),
        Node(desk.at("ledger.wal"), data=log, canonical=f"{statements}\n{log[:4]!r}".encode()),
    )


def _stick(ctx: Context, rng: Rng, lists: Sequence[bytes], *, folder: bool) -> bytes:
    """Return a stick on which both lists are deleted, the newer one perhaps with its folder."""
    year, month = rng.integer(2023, 2026), rng.integer(2, 11)
    stem = rng.choice(("LIST", "BUYERS", "SALES", "TRADE"))
    older, newer = (
        Entry(f"{stem}.CSV", data, (year, month + n, rng.integer(1, 28)), 600 + 7 * n, gone=True)
        for n, data in enumerate(lists)
    )
    items: list[Entry | Folder] = [older, Folder("OLD", (newer,), gone=True) if folder else newer]
    for name in rng.sample(("MINUTES.TXT", "README.TXT", "TODO.TXT", "NOTES.TXT"), 3):
        lines = "".join(f"{rng.choice(ctx.skin.events)}\r\n" for _ in range(rng.integer(3, 40)))
        day = (year, rng.integer(1, 12), rng.integer(1, 28))
        items.append(Entry(name, lines.encode(), day, rng.integer(0, 1439), gone=rng.chance(0.3)))
    return image("STICK", rng.shuffled(items))


def _same(evidence: Evidence, world: Dumped) -> bool:
    return evidence.read(world.desk.restored) == world.listed


def _share(world: Dumped, cells: tuple[int, ...], evidence: Evidence) -> float:
    """Return F1 of some columns, above the F1 of naming every record of the ledger."""
    table = exact.read_table(evidence, world.desk.report, HEADER)
    right = [tuple(map(str, row)) for row in world.rows]
    rows = [row for row in tolerance.alike(table, right) if len(row) == len(HEADER)]
    reported = {tuple(row[at] for at in cells) for row in rows}
    wanted = {tuple(row[at] for at in cells) for row in right}
    f1 = fraction(2 * len(reported & wanted), len(table) + len(wanted))
    free = fraction(2 * len(wanted), world.records + len(wanted)) if cells == (0,) else 0.0
    whole = exact.NOT_WHOLE if f1 < 1.0 else 1.0
    return max(0.0, (f1 - free) / (1.0 - free)) * whole


FAMILY = DumpDesk()

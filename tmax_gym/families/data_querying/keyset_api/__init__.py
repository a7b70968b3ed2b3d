"""DQ-08 keyset API: a service answers with pages of a table that stay right as rows come in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tmax_gym.checks import tolerance
from tmax_gym.checks.check import Check, Exchange, Gate, Reply, Turn, multi_protocol, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_querying.keyset_api import service as pages
from tmax_gym.families.products import Product, Request, Service
from tmax_gym.families.shared.sheets import flowed
from tmax_gym.families.shared.tricks import no_service
from tmax_gym.nodes import Node, prose, text
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import slugged
from tmax_gym.world.database import Rows, database

STATES = ("open", "closed", "void")
PAGES = 16
"""Rows on the small pages of the product; there are at least two more."""
Row = tuple[int, str, str, int]
"""(id, place, state, amount)."""


@dataclass(frozen=True, kw_only=True)
class Table(World):
    """The decided facts."""

    contract: str
    start: str
    database: str
    things: str
    port: int
    other: int
    """Port of the directory service; 0 without it."""
    parts: tuple[str, ...]
    rows: tuple[Row, ...]
    labels: Mapping[str, str]


class KeysetApi(Family[Table]):
    """Write a service with order, cursors, filters, totals and errors from a contract."""

    id = "DQ-08"
    slug = "keyset-api"
    domain = "data_querying"
    skill = "Result Processing"
    primitives = (
        "Result sorting, pagination, and filtering",
        "Output schema validation",
        "Parameterized query construction",
        "Cross-representation mapping (relational, document, graph)",
    )
    fixtures = ("multi_service_compose", "text_only")
    verifiers = ("multi_protocol",)
    languages = ("any", "python")
    tools = ("bash", "python3", "curl")
    followed_by = {  # noqa: RUF012
        "service-report": ("service", "The web team wants to check the cursors against its own."),
        "health-probe": ("service", "Operations wants to know at once when it stops answering."),
    }

    def world(self, ctx: Context) -> Table:
        """Return the database, the contract and, with several services, the directory service."""
        rng = ctx.rng.fork("table")
        things = slugged(ctx.skin.thing(rng).plural)
        port = rng.integer(7000, 7900)
        other = port + rng.integer(1, 90) if ctx.fixture == "multi_service_compose" else 0
        optional = (("state", 0.25), ("range", 0.4), ("errors", 0.55), ("insert", 0.75))
        parts = tuple(name for name, level in optional if ctx.level >= level)
        places = [slugged(place) for place in ctx.skin.places[:6]]
        amounts = [rng.integer(10, 400) for _ in range(ctx.knob(6, 16))]
        rows = tuple(
            (number, rng.choice(places), rng.choice(STATES), rng.choice(amounts))
            for number in range(3, 3 + ctx.knob(18, 60))
        )
        path, contract = ctx.path(f"{ctx.skin.stem(rng)}.db"), ctx.path("contract.md")
        home = ctx.path("directory")
        order = ["head", *parts, *([] if "errors" in parts else ["sound"])]
        order += ["label", "other"] if other else ["other"]
        body = "".join(pages.CONTRACT[name] for name in order)
        fill = {"@things": things, "@port": str(port), "@database": path, "@other": str(other)}
        fill["@bounds"] = " `min` and `max` are integers." if "range" in parts else ""
        fill["@directory"] = f"{home}/directory.py"
        nodes = [_database(path, things, rows), prose(contract, flowed(_filled(body, fill)))]
        labels = dict(zip(places[1:], ctx.skin.places[1:6], strict=False)) if other else {}
        if other:
            nodes.append(text(f"{home}/directory.py", _filled(pages.DIRECTORY, fill)))
            nodes.append(text(f"{home}/places.json", json.dumps(labels)))
        return Table(
            nodes=tuple(nodes),
            outputs=(ctx.path("start.sh"),),
            contract=contract,
            start=ctx.path("start.sh"),
            database=path,
            things=things,
            port=port,
            other=other,
            parts=parts,
            rows=rows,
            labels=labels,
        )

    def oracle(self, ctx: Context, world: Table) -> tuple[str, ...]:
        """Return the reference service and one request to it."""
        url = f"http://127.0.0.1:{world.port}/{world.things}"
        return (
            f"cat {world.contract}; sqlite3 {world.database} .schema",
            *_written(ctx, world, _service(world)),
            f"(bash {world.start} > /dev/null 2>&1 & echo $! > /tmp/pid); sleep 0.5; "
            f"curl -s '{url}?limit=2'",
            "pkill -f service.py; pkill -f directory.py; rm -f /tmp/pid; true",
        )

    def checks(self, ctx: Context, world: Table) -> tuple[Check | Gate, ...]:
        """Return one conversation for each part of the contract."""
        scripts = {"pages": _pages(world), "state": _state(world), "range": _range(world)}
        scripts |= {"errors": _errors(world), "insert": _insert(world)}
        weights = {"pages": 2.0, "insert": 1.5}
        return (
            unchanged("data", world.nodes),
            *(
                multi_protocol(
                    name,
                    world.start,
                    scripts[name],
                    roots=(ctx.home,),
                    weight=weights.get(name, 1.0),
                )
                for name in ("pages", *world.parts)
            ),
        )

    def products(self, ctx: Context, world: Table) -> Mapping[str, Product]:
        """Return the service, asked for pages that others follow."""
        ordered = sorted(world.rows, key=lambda r: (-r[3], r[0]))
        after = [None, *ordered[1:PAGES:2]]
        requests = [_request(world, "", 10, None)]
        for row in after:
            cursor = f"&after={row[3]}-{row[0]}" if row else ""
            requests.append(_request(world, f"limit=2{cursor}", 2, row))
        return {"service": Service(world.start, world.port, tuple(requests), "pages", {})}

    def say(self, ctx: Context, world: Table) -> tuple[Obligation, ...]:
        """Return where the contract is and how the service is started."""
        database = f"`{world.database}`"
        given = (
            f"{database}, the contract and the directory service in `{ctx.path('directory')}`"
            if world.other
            else f"{database} and the contract"
        )
        return (
            Obligation(
                "goal",
                f"The web team needs the table `{world.things}` over HTTP, page by page. What the "
                f"service has to do is agreed in `{world.contract}`, but nobody has written it "
                f"yet. Implement it.",
                "goal",
            ),
            Obligation(
                "start",
                f"Write a script `{world.start}` that starts everything. We run it with Bash as an "
                f"ordinary user without root rights. It may stay in the foreground or return.",
                "output",
            ),
            Obligation(
                "place",
                f"Keep all files that the service needs below `{ctx.home}`.",
                "limit",
            ),
            Obligation(
                "keep",
                f"Leave {given} unchanged.",
                "limit",
            ),
            Obligation(
                "grading",
                "We will start the service several times and check its answers to requests of "
                "every kind that the contract describes.",
                "grading",
                ("check", "test", "try", "requests"),
            ),
        )

    def mutants(self, ctx: Context, world: Table) -> tuple[Attempt, ...]:
        """Return services with wrong ties, totals, order or last pages."""
        right = _service(world)
        wrong = {
            "ties lost": right.replace('(-r["amount"], r["id"]) > edge', '-r["amount"] > edge[0]'),
            "total of the rest": right.replace('"total": total', '"total": len(found)'),
            "smallest first": right.replace('(-r["amount"], r["id"]))', '(r["amount"], r["id"]))'),
            "never the end": right.replace("if len(found) > len(page) else None", ""),
        }
        return tuple(Attempt(name, _written(ctx, world, body)) for name, body in wrong.items())

    def exploits(self, ctx: Context, world: Table) -> tuple[Attempt, ...]:
        """Return a file server, and a script that starts nothing."""
        return no_service(world.start, world.port)


def _filled(body: str, fill: Mapping[str, str]) -> str:
    for name, value in fill.items():
        body = body.replace(name, value)
    return body


def _database(path: str, things: str, rows: tuple[Row, ...]) -> Node:
    schema = (
        f"CREATE TABLE {things} (id INTEGER PRIMARY KEY, place TEXT NOT NULL, "
        "state TEXT NOT NULL, amount INTEGER NOT NULL)"
    )
    filled: Rows = {things: rows}
    return database(path, schema, filled)


def _service(world: Table) -> str:
    fill = {"@things": world.things, "@port": str(world.port), "@database": world.database}
    return _filled(pages.SERVER, fill | {"@other": str(world.other)})


def _written(ctx: Context, world: Table, service: str) -> tuple[str, ...]:
    beside = f"python3 {ctx.path('directory', 'directory.py')} &\n" if world.other else ""
    script = f"#!/bin/bash\n{beside}exec python3 {ctx.path('service.py')}\n"
    return (write_file(ctx.path("service.py"), service), write_file(world.start, script))


def _get(world: Table, query: str) -> Exchange:
    target = f"/{world.things}" + (f"?{query}" if query else "")
    return Exchange(f"get {query}", "http", port=world.port, target=target)


def _is(status: int, body: object) -> Callable[[Reply], bool]:
    def expect(reply: Reply) -> bool:
        return reply.status == status and tolerance.says(reply.body, body)

    return expect


def _page(
    world: Table, rows: list[Row], limit: int, *, after: Row | None = None
) -> dict[str, object]:
    """Return the expected body; `after` is the last row of the previous page."""
    ordered = sorted(rows, key=lambda r: (-r[3], r[0]))
    rest = [r for r in ordered if after is None or (-r[3], r[0]) > (-after[3], after[0])]
    page = rest[:limit]
    items: list[dict[str, object]] = [{"id": r[0], "place": r[1], "amount": r[3]} for r in page]
    if world.other:
        for item in items:
            item["label"] = world.labels.get(str(item["place"]))
    more = f"{page[-1][3]}-{page[-1][0]}" if len(rest) > limit else None
    return {"items": items, "next": more, "total": len(rows)}


def _request(world: Table, query: str, limit: int, after: Row | None) -> Request:
    """Return a request for a page that others follow, with the right answer."""
    page = _page(world, list(world.rows), limit, after=after)
    fields: dict[str, str | int] = {"next": str(page["next"]), "total": len(world.rows)}
    return Request(_get(world, query).target, 200, fields)


def _walk(world: Table, rows: list[Row], limit: int, *, extra: str = "") -> list[Turn]:
    """Return the turns through the pages, at most eight of them."""
    ordered = sorted(rows, key=lambda r: (-r[3], r[0]))
    turns, after = [], None
    for number in range(8):
        cursor = f"&after={after[3]}-{after[0]}" if after else ""
        expect = _is(200, _page(world, rows, limit, after=after))
        turns.append(Turn(_get(world, f"limit={limit}{extra}{cursor}"), expect))
        if len(ordered) <= (number + 1) * limit:
            break
        after = ordered[(number + 1) * limit - 1]
    return turns


def _pages(world: Table) -> list[Turn]:
    rows = list(world.rows)
    first = Turn(_get(world, ""), _is(200, _page(world, rows, 10)))
    last = sorted(rows, key=lambda r: (-r[3], r[0]))[-4]
    query = f"limit=5&after={last[3]}-{last[0]}"
    return [
        first,
        *_walk(world, rows, 4),
        Turn(_get(world, query), _is(200, _page(world, rows, 5, after=last))),
    ]


def _state(world: Table) -> list[Turn]:
    turns = []
    for states in ("open", "closed,void"):
        rows = [r for r in world.rows if r[2] in states.split(",")]
        turns += _walk(world, rows, 5, extra=f"&state={states}")
    return turns


def _range(world: Table) -> list[Turn]:
    amounts = sorted(r[3] for r in world.rows)
    low, high = amounts[len(amounts) // 4], amounts[3 * len(amounts) // 4]
    rows = [r for r in world.rows if low <= r[3] <= high]
    return _walk(world, rows, 6, extra=f"&min={low}&max={high}")


def _errors(world: Table) -> list[Turn]:
    refused = _is(400, {"error": "invalid"})
    queries = ("limit=0", "limit=101", "limit=few", "min=1.5", "after=seven", "limit=3&max=")
    right = Turn(_get(world, "limit=3"), _is(200, _page(world, list(world.rows), 3)))
    return [right, *(Turn(_get(world, query), refused) for query in queries)]


def _insert(world: Table) -> list[Turn]:
    """Return a walk during which a row is inserted before the current page."""
    rows = list(world.rows)
    ordered = sorted(rows, key=lambda r: (-r[3], r[0]))
    after, fresh = ordered[3], (rows[-1][0] + 1, rows[0][1], "open", ordered[0][3] + 5)
    body = json.dumps({"place": fresh[1], "state": fresh[2], "amount": fresh[3]}).encode()
    post = Exchange(
        "insert",
        "http",
        port=world.port,
        method="POST",
        target=f"/{world.things}",
        send=body,
        headers=(("Content-Type", "application/json"),),
    )
    query = f"limit=4&after={after[3]}-{after[0]}"
    return [
        Turn(_get(world, "limit=4"), _is(200, _page(world, rows, 4))),
        Turn(post, _is(201, {"id": fresh[0]})),
        Turn(_get(world, query), _is(200, _page(world, [*rows, fresh], 4, after=after))),
        Turn(_get(world, "limit=4"), _is(200, _page(world, [*rows, fresh], 4))),
    ]


FAMILY = KeysetApi()

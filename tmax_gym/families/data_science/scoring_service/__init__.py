"""DSC-13 scoring service: a points model behind HTTP, with validation, a row store and counters."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tmax_gym.checks import tolerance
from tmax_gym.checks.check import Check, Exchange, Gate, Reply, Turn, multi_protocol, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_science.scoring_service import service
from tmax_gym.families.data_science.scoring_service.service import Row
from tmax_gym.families.products import Product, Request, Service
from tmax_gym.families.shared.sheets import flowed
from tmax_gym.families.shared.tricks import no_service
from tmax_gym.nodes import prose, text
from tmax_gym.texts.obligations import Obligation

STORED = 8
"""Rows of the row store."""


@dataclass(frozen=True, kw_only=True)
class Scoring(World):
    """The decided facts."""

    contract: str
    model_path: str
    start: str
    port: int
    other: int
    """Port of the row store; 0 without it."""
    parts: tuple[str, ...]
    model: dict[str, Any]
    batches: tuple[tuple[Row, ...], ...]
    stored: Mapping[str, Row]


class ScoringService(Family[Scoring]):
    """Score, refuse, fetch, count."""

    id = "DSC-13"
    slug = "scoring-service"
    domain = "data_science"
    skill = "Testing"
    primitives = (
        "Data schema enforcement",
        "Model output validation",
        "Inference performance benchmarking",
        "Multi-source data joining",
    )
    fixtures = ("multi_service_compose", "text_only")
    verifiers = ("multi_protocol",)
    languages = ("any", "python")
    tools = ("bash", "python3", "curl")
    followed_by = {  # noqa: RUF012
        "service-report": ("rows", "We want a table of what the row store has for some ids."),
        "health-probe": ("rows", "At night somebody must notice if the row store is down."),
    }

    def world(self, ctx: Context) -> Scoring:
        """Return the model, the contract and, in a stack, a row store."""
        rng = ctx.rng.fork("scoring")
        measures = sorted({m.column for m in ctx.skin.measures})
        names = rng.sample(measures, min(len(measures), ctx.knob(2, 6)))
        stack = ctx.fixture == "multi_service_compose"
        port = rng.integer(6100, 6900)
        optional = [("missing", 0.2), ("errors", 0.4), ("drift", 0.7)]
        parts = [name for name, level in optional if ctx.level >= level]
        parts += ["ids"] if stack else []
        model = service.drawn(names, rng.fork("model"), missing="missing" in parts)
        batches = [[service.row(model, rng) for _ in range(rng.integer(2, 6))] for _ in range(6)]
        scores = sorted(service.score(model, row) for batch in batches for row in batch)
        model["cut"] = scores[len(scores) // 2]
        path, contract = ctx.path("model.json"), ctx.path("contract.md")
        fill = {"@port": str(port), "@other": str(port + 7), "@model": path}
        fill |= {"@store": ctx.path("store", "store.py"), "@ids": ", or with a list `ids`" * stack}
        stored = {ctx.skin.code(rng.fork("id", n)): service.row(model, rng) for n in range(STORED)}
        sound = [] if "errors" in parts else ["sound" if "missing" in parts else "whole"]
        body = "".join(service.CONTRACT[name] for name in ("head", *parts, *sound, "other"))
        nodes = [
            prose(contract, flowed(_filled(body, fill))),
            text(path, json.dumps(model, indent=1)),
        ]
        if stack:
            nodes.append(text(fill["@store"], _filled(service.STORE, fill)))
            nodes.append(text(ctx.path("store", "rows.json"), json.dumps(stored)))
        return Scoring(
            nodes=tuple(nodes),
            outputs=(ctx.path("start.sh"),),
            contract=contract,
            model_path=path,
            start=ctx.path("start.sh"),
            port=port,
            other=port + 7 if stack else 0,
            parts=tuple(parts),
            model=model,
            batches=tuple(map(tuple, batches)),
            stored=stored,
        )

    def oracle(self, ctx: Context, world: Scoring) -> tuple[str, ...]:
        """Return the reference service, asked once."""
        sample = json.dumps({"rows": world.batches[0][:1]})
        url = f"http://127.0.0.1:{world.port}/score"
        return (
            f"cat {world.contract}; cat {world.model_path}",
            *_written(ctx, world, _service(world)),
            f"(bash {world.start} > /dev/null 2>&1 &); sleep 0.5; curl -s -d '{sample}' {url}",
            "pkill -f service.py; pkill -f store.py; true",
        )

    def checks(self, ctx: Context, world: Scoring) -> tuple[Check | Gate, ...]:
        """Return one conversation a part of the contract."""
        scripts = {"score": _plain, "missing": _gaps, "errors": _errors}
        scripts |= {"ids": _ids, "drift": _drift}
        return (
            unchanged("model and contract", world.nodes),
            *(
                multi_protocol(
                    name,
                    world.start,
                    scripts[name](world),
                    roots=(ctx.home,),
                    weight=2.0 if name == "score" else 1.0,
                )
                for name in ("score", *world.parts)
            ),
        )

    def products(self, ctx: Context, world: Scoring) -> Mapping[str, Product]:
        """Return the row store, which the start script starts as well."""
        if not world.other or len(world.stored) < STORED:
            return {}
        requests = tuple(Request(f"/rows/{key}", 200, row) for key, row in world.stored.items())
        return {"rows": Service(world.start, world.other, requests, "rows", {})}

    def say(self, ctx: Context, world: Scoring) -> tuple[Obligation, ...]:
        """Return where model and contract are, and how the service is started."""
        given = f"`{world.model_path}` and `{world.contract}`"
        if world.other:
            store = ctx.path("store")
            given = f"`{world.model_path}`, `{world.contract}` and the row store in `{store}`"
        return (
            Obligation(
                "goal",
                f"`{world.model_path}` is a finished model that gives points to rows of numbers. "
                f"Write the HTTP service that scores rows with it. `{world.contract}` describes "
                f"exactly what the service has to answer, on which port, and how a score is "
                f"computed.",
                "goal",
            ),
            Obligation(
                "start",
                f"Write a script `{world.start}` that starts "
                f"{'the service and the row store' if world.other else 'the service'}. It will be "
                f"run with `bash` by a user without root rights, from any directory, and the "
                f"service must keep running until it is stopped.",
                "output",
            ),
            Obligation(
                "model",
                f"The service must read `{world.model_path}` each time it starts, because the "
                f"model is replaced now and then. Don't copy its numbers into the code.",
            ),
            Obligation("keep", f"Leave {given} as they are.", "limit"),
            Obligation(
                "judged",
                "We will start the service with your script and send requests of every kind that "
                "the contract describes, with rows that you have not seen, among them values that "
                "are equal to an edge.",
                "grading",
                keys=("not seen", "unseen", "hidden", "other rows", "our own rows", "every kind"),
            ),
        )

    def mutants(self, ctx: Context, world: Scoring) -> tuple[Attempt, ...]:
        """Return an edge on the wrong side, a bias left out, a cut beyond, labels upside down."""
        right = _service(world)
        wrong = {
            "edge below": right.replace("bisect_right", "bisect_left"),
            "no bias": right.replace('MODEL["bias"] + sum', "sum"),
            "beyond the cut": right.replace('score >= MODEL["cut"]', 'score > MODEL["cut"]'),
            "labels exchanged": right.replace('"review" if score', '"pass" if score').replace(
                'else "pass"', 'else "review"'
            ),
        }
        return tuple(Attempt(name, _written(ctx, world, body)) for name, body in wrong.items())

    def exploits(self, ctx: Context, world: Scoring) -> tuple[Attempt, ...]:
        """Return a file server, and silence."""
        return no_service(world.start, world.port)


def _filled(body: str, fill: Mapping[str, str]) -> str:
    for name, value in fill.items():
        body = body.replace(name, value)
    return body


def _service(world: Scoring) -> str:
    fill = {"@model": world.model_path, "@port": str(world.port), "@other": str(world.other)}
    return _filled(service.SERVER, fill)


def _written(ctx: Context, world: Scoring, source: str) -> tuple[str, ...]:
    beside = f"python3 {ctx.path('store', 'store.py')} &\n" if world.other else ""
    script = f"#!/bin/bash\n{beside}exec python3 {ctx.path('service.py')}\n"
    return (write_file(ctx.path("service.py"), source), write_file(world.start, script))


def _post(world: Scoring, body: object, name: str) -> Exchange:
    return Exchange(
        name,
        "http",
        port=world.port,
        method="POST",
        target="/score",
        send=json.dumps(body).encode(),
        headers=(("Content-Type", "application/json"),),
    )


def _is(status: int, body: object) -> Callable[[Reply], bool]:
    def expect(reply: Reply) -> bool:
        return reply.status == status and tolerance.says(reply.body, body)

    return expect


def _scored(world: Scoring, rows: list[Row]) -> Callable[[Reply], bool]:
    scores = [service.score(world.model, row) for row in rows]
    labels = ["review" if s >= world.model["cut"] else "pass" for s in scores]
    return _is(200, {"scores": scores, "labels": labels})


def _turn(world: Scoring, rows: list[Row], name: str) -> Turn:
    return Turn(_post(world, {"rows": rows}, name), _scored(world, rows))


def _plain(world: Scoring) -> list[Turn]:
    """Return whole rows, among them some at every edge and one at the cut."""
    model = world.model
    edges = [{n: f["edges"][k] for n, f in model["features"].items()} for k in range(3)]
    turns = [_turn(world, list(batch), f"batch {n}") for n, batch in enumerate(world.batches)]
    return [*turns, _turn(world, edges, "edges")]


def _gaps(world: Scoring) -> list[Turn]:
    names = list(world.model["features"])
    turns = []
    for number, batch in enumerate(world.batches[:4]):
        rows = [dict(row) for row in batch]
        for at, row in enumerate(rows):
            if at % 2:
                row[names[(at + number) % len(names)]] = None
            else:
                del row[names[(at + number) % len(names)]]
        turns.append(_turn(world, rows, f"gaps {number}"))
    return turns


def _errors(world: Scoring) -> list[Turn]:
    names = sorted(world.model["features"])
    rows = [dict(row) for row in world.batches[1]]
    rows[0][names[0]] = "12"
    rows[1]["zz"] = 3
    rows[1][names[1]] = 1.5
    faults = [(0, names[0]), (1, names[1]), (1, "zz")]
    errors = {"errors": [{"row": row, "field": field} for row, field in faults]}
    invalid = _is(400, {"error": "invalid"})
    return [
        Turn(_post(world, {"rows": rows}, "errors"), _is(422, errors), weight=2.0),
        Turn(_post(world, {"rows": 3}, "no list"), invalid),
        Turn(_post(world, [], "no object"), invalid),
        _turn(world, list(world.batches[2]), "right again"),
    ]


def _ids(world: Scoring) -> list[Turn]:
    ids = list(world.stored)
    rows = [world.stored[key] for key in ids[:4]]
    unknown = {"unknown": ["ZZ-1", "ZZ-0"]}
    mixed = ["ZZ-1", ids[0], "ZZ-0"]
    return [
        Turn(_post(world, {"ids": ids[:4]}, "ids"), _scored(world, rows), weight=2.0),
        Turn(_post(world, {"ids": mixed}, "unknown"), _is(424, unknown)),
        Turn(
            _post(world, {"ids": ids[4:6]}, "more"), _scored(world, [*world.stored.values()][4:6])
        ),
    ]


def _drift(world: Scoring) -> list[Turn]:
    names = list(world.model["features"])
    rows = [dict(row) for row in world.batches[3]]
    rows[0][names[0]] = None
    scored = [*rows, *world.batches[4]]
    review = sum(service.score(world.model, row) >= world.model["cut"] for row in scored)
    missing = {name: sum(row.get(name) is None for row in scored) for name in names}
    after = {"rows": len(scored), "review": review, "missing": missing}
    before = {"rows": 0, "review": 0, "missing": dict.fromkeys(names, 0)}
    get = Exchange("drift", "http", port=world.port, target="/drift")
    return [
        Turn(get, _is(200, before)),
        Turn(_post(world, {"rows": rows}, "one")),
        Turn(_post(world, {"rows": list(world.batches[4])}, "two")),
        Turn(get, _is(200, after), weight=2.0),
    ]


FAMILY = ScoringService()

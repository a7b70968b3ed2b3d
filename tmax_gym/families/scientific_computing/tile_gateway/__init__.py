"""SCI-16 tile gateway: statistics over boxes of a field that other services keep in tiles."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.checks import tolerance
from tmax_gym.checks.check import Check, Exchange, Gate, Reply, Turn, multi_protocol, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Request, Service
from tmax_gym.families.scientific_computing.tile_gateway import gateway
from tmax_gym.families.shared.sheets import flowed
from tmax_gym.families.shared.tricks import no_service
from tmax_gym.nodes import Node, prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

REQUESTS = 12
"""Boxes that later stages may ask for."""
Grid = tuple[Sequence[int | None], ...]
"""Values by y, then x, as the gateway reports them."""


@dataclass(frozen=True, kw_only=True)
class Field(World):
    """The decided facts."""

    contract: str
    start: str
    home: str
    port: int
    services: tuple[str, ...]
    """Programs of the services that hold the tiles."""
    fill: Mapping[str, str]
    parts: tuple[str, ...]
    grid: Grid
    measure: str


class TileGateway(Family[Field]):
    """Fetch tiles from services and answer with statistics."""

    id = "SCI-16"
    slug = "tile-gateway"
    domain = "scientific_computing"
    skill = "Systems"
    primitives = (
        "Reproducible computation pipelines",
        "Mesh refinement and domain decomposition",
        "Multi-dimensional array manipulation",
        "Scientific data format I/O (NetCDF, HDF5, FITS)",
    )
    fixtures = ("multi_service_compose",)
    verifiers = ("multi_protocol",)
    languages = ("any", "python")
    tools = ("bash", "python3", "curl")
    followed_by = {  # noqa: RUF012
        "service-report": ("gateway", "The modellers want the figures of a few boxes as a table."),
        "health-probe": ("gateway", "The gateway will be watched day and night."),
    }

    def world(self, ctx: Context) -> Field:
        """Return the tile services, their data, and the contract."""
        rng = ctx.rng.fork("field")
        optional = (("gaps", 0.2), ("retry", 0.35), ("scale", 0.5), ("errors", 0.65))
        parts = [name for name, level in (*optional, ("profile", 0.8)) if ctx.level >= level]
        across, down = ctx.knob(2, 5), ctx.knob(2, 4)
        raw = _raw(rng, across, down, gaps="gaps" in parts)
        scales = [(rng.integer(2, 5), rng.integer(-30, 30)) for _ in range(across)]
        if "scale" not in parts:
            scales = [(1, 0)] * across
        port = rng.integer(5100, 5900)
        home, contract = ctx.path("archive"), ctx.path("contract.md")
        fill = {
            "@tiles": f"{home}/tiles.py",
            "@calibration": f"{home}/scales.py",
            "@source": str(port + 11),
            "@second": str(port + 12),
            "@port": str(port),
            "@wide": str(across * gateway.SIDE),
            "@high": str(down * gateway.SIDE),
            "@scaled": str("scale" in parts),
        }
        nodes, services = _services(raw, scales, fill, parts=parts)
        return Field(
            nodes=(prose(contract, flowed(_filled(gateway.contract(parts), fill))), *nodes),
            outputs=(ctx.path("start.sh"),),
            contract=contract,
            start=ctx.path("start.sh"),
            home=home,
            port=port,
            services=services,
            fill=fill,
            parts=tuple(parts),
            grid=tuple(_scaled(line, scales) for line in raw),
            measure=ctx.skin.measure(rng).name,
        )

    def oracle(self, ctx: Context, world: Field) -> tuple[str, ...]:
        """Return the reference gateway and one request to it."""
        url = f"http://127.0.0.1:{world.port}/box?x0=1&x1=3&y0=0&y1=2"
        return (
            f"cat {world.contract}; ls {world.home}",
            *_written(ctx, world, _gateway(world)),
            f"(bash {world.start} > /dev/null 2>&1 &); sleep 0.5; curl -s '{url}'",
            "pkill -f gateway.py; pkill -f tiles.py; pkill -f scales.py; true",
        )

    def checks(self, ctx: Context, world: Field) -> tuple[Check | Gate, ...]:
        """Return one conversation for each part of the contract."""
        wide, high = len(world.grid[0]), len(world.grid)
        rng = ctx.rng.fork("boxes")
        single = [_box(world, (x, x + 1, y, y + 1)) for x, y in ((0, 0), (5, 2), (wide - 1, 3))]
        boxes = [_box(world, _edges(rng, wide, high)) for _ in range(5)]
        scripts: dict[str, tuple[list[Turn], float]] = {
            "cells": (single, 1.0),
            "boxes": ([*boxes, _box(world, (0, wide, 0, high))], 2.0),
        }
        if "gaps" in world.parts:
            scripts["gaps"] = ([_box(world, edges) for edges in _empty(world)], 1.0)
        if "errors" in world.parts:
            scripts["errors"] = (_errors(world), 1.0)
        if "profile" in world.parts:
            lines = [_profile(world, y) for y in (0, high // 2, high - 1)]
            scripts["profile"] = (lines, 1.0)
        return (
            unchanged("archive", world.nodes),
            *(
                multi_protocol(name, world.start, turns, roots=(ctx.home,), weight=weight)
                for name, (turns, weight) in scripts.items()
            ),
        )

    def products(self, ctx: Context, world: Field) -> Mapping[str, Product]:
        """Return the gateway, asked for boxes that hold values."""
        rng = ctx.rng.fork("asked")
        wide, high = len(world.grid[0]), len(world.grid)
        requests: dict[str, Request] = {}
        while len(requests) < REQUESTS:
            edges = _edges(rng, wide, high)
            body = _figures(world, edges)
            if body["count"]:
                fields = {name: value for name, value in body.items() if value is not None}
                requests[_target(edges)] = Request(_target(edges), 200, fields)
        served = Service(world.start, world.port, tuple(requests.values()), "boxes", headers={})
        return {"gateway": served}

    def say(self, ctx: Context, world: Field) -> tuple[Obligation, ...]:
        """Return where the contract is and how the stack is started."""
        return (
            Obligation(
                "goal",
                f"The field of {world.measure} is kept in tiles, served by the programs in "
                f"`{world.home}`, and nobody wants to put tiles together by hand. "
                f"`{world.contract}` specifies a gateway that answers with statistics over any "
                f"box of the field. Build this gateway.",
                "goal",
            ),
            Obligation(
                "start",
                f"Write `{world.start}`, a Bash script that starts the gateway and everything that "
                f"it needs. It must work for an unprivileged user, and with no files but those "
                f"below `{ctx.home}`.",
                "output",
            ),
            Obligation(
                "keep",
                f"Do not change `{world.contract}` or anything in `{world.home}`.",
                "limit",
            ),
            Obligation(
                "judged",
                "We will run the script, send requests to the gateway for boxes of our own "
                "choice, and compare the status and the JSON of each answer with the right ones.",
                "grading",
                keys=("our own choice", "unseen", "not seen", "hidden", "other boxes", "own boxes"),
            ),
        )

    def mutants(self, ctx: Context, world: Field) -> tuple[Attempt, ...]:
        """Return exchanged rows and columns, a missing column, exchanged tiles, a wrong maximum."""
        right = _gateway(world)
        wrong = {
            "transposed": right.replace("[y % 4][x % 4]", "[x % 4][y % 4]"),
            "last column left out": right.replace(
                "range(x0, x1)", "range(x0, max(x0 + 1, x1 - 1))"
            ),
            "tiles exchanged": right.replace(
                'f"/tile/{x // 4}/{y // 4}"', 'f"/tile/{y // 4}/{x // 4}"'
            ),
            "smallest as largest": right.replace("max(found", "min(found"),
        }
        return tuple(Attempt(name, _written(ctx, world, body)) for name, body in wrong.items())

    def exploits(self, ctx: Context, world: Field) -> tuple[Attempt, ...]:
        """Return a file server, the tiles themselves, and silence."""
        files, silence = no_service(world.start, world.port)
        tiles = f"sed 's/{world.fill['@source']}/{world.port}/' {world.services[0]} | python3 -"
        return (files, Attempt("tiles", (write_file(world.start, tiles),)), silence)


def _raw(rng: Rng, across: int, down: int, *, gaps: bool) -> Grid:
    """Return the stored values; with gaps, the last tile has none at all."""
    wide, high = across * gateway.SIDE, down * gateway.SIDE
    rows: list[tuple[int | None, ...]] = []
    for y in range(high):
        line: list[int | None] = []
        for x in range(wide):
            last = x >= wide - gateway.SIDE and y >= high - gateway.SIDE
            empty = gaps and (last or rng.chance(0.12))
            value = rng.integer(-90, 400)
            line.append(None if empty else value)
        rows.append(tuple(line))
    return tuple(rows)


def _scaled(line: Sequence[int | None], scales: Sequence[tuple[int, int]]) -> Sequence[int | None]:
    """Return a line as the gateway reports it."""
    pairs = [scales[x // gateway.SIDE] for x in range(len(line))]
    return tuple(
        None if value is None else gain * value + offset
        for value, (gain, offset) in zip(line, pairs, strict=True)
    )


def _services(
    raw: Grid, scales: list[tuple[int, int]], fill: Mapping[str, str], *, parts: list[str]
) -> tuple[list[Node], tuple[str, ...]]:
    """Return the tile services with their data, and the paths of their programs."""
    side = gateway.SIDE
    tiles = {
        f"{i}/{j}": {"cells": [row[side * i :][:side] for row in raw[side * j :][:side]]}
        for i in range(len(raw[0]) // side)
        for j in range(len(raw) // side)
    }
    columns = {str(i): {"gain": gain, "offset": add} for i, (gain, add) in enumerate(scales)}
    stack = [("@tiles", "@source", "tiles.json", tiles, "retry" in parts)]
    nodes: list[Node] = []
    services: list[tuple[str, str, str, object, bool]] = [*stack]
    if "scale" in parts:
        services.append(("@calibration", "@second", "scales.json", columns, False))
    for program, port, name, data, flaky in services:
        own = {"@data": name, "@flaky": str(flaky), "@at": fill[port]}
        nodes.append(text(fill[program], _filled(gateway.UPSTREAM, own)))
        nodes.append(text(fill[program].rpartition("/")[0] + "/" + name, json.dumps(data)))
    return nodes, tuple(fill[program] for program, *_ in services)


def _filled(body: str, fill: Mapping[str, str]) -> str:
    for name, value in fill.items():
        body = body.replace(name, value)
    return body


def _gateway(world: Field) -> str:
    return _filled(gateway.GATEWAY, world.fill)


def _written(ctx: Context, world: Field, program: str) -> tuple[str, ...]:
    beside = "".join(f"python3 {service} &\n" for service in world.services)
    script = f"#!/bin/bash\n{beside}exec python3 {ctx.path('gateway.py')}\n"
    return (write_file(ctx.path("gateway.py"), program), write_file(world.start, script))


def _edges(rng: Rng, wide: int, high: int) -> tuple[int, int, int, int]:
    x0, y0 = rng.integer(0, wide - 3), rng.integer(0, high - 3)
    return x0, rng.integer(x0 + 2, wide), y0, rng.integer(y0 + 2, high)


def _is(status: int, body: object) -> Callable[[Reply], bool]:
    def expect(reply: Reply) -> bool:
        return reply.status == status and tolerance.says(reply.body, body)

    return expect


def _get(world: Field, target: str) -> Exchange:
    return Exchange(f"get {target}", "http", port=world.port, target=target)


def _box(world: Field, edges: tuple[int, int, int, int]) -> Turn:
    """Return the question for a box and what is expected."""
    return Turn(_get(world, _target(edges)), _is(200, _figures(world, edges)))


def _target(edges: tuple[int, int, int, int]) -> str:
    x0, x1, y0, y1 = edges
    return f"/box?x0={x0}&x1={x1}&y0={y0}&y1={y1}"


def _figures(world: Field, edges: tuple[int, int, int, int]) -> dict[str, int | None]:
    """Return the statistics of a box."""
    x0, x1, y0, y1 = edges
    values = [v for line in world.grid[y0:y1] for v in line[x0:x1] if v is not None]
    return {
        "count": len(values),
        "sum": sum(values),
        "min": min(values, default=None),
        "max": max(values, default=None),
    }


def _empty(world: Field) -> list[tuple[int, int, int, int]]:
    """Return boxes within and around the tile that has no cell."""
    wide, high = len(world.grid[0]), len(world.grid)
    return [
        (wide - 4, wide, high - 4, high),
        (wide - 5, wide, high - 5, high),
        (wide - 3, wide - 1, high - 2, high),
    ]


def _errors(world: Field) -> list[Turn]:
    wide, high = len(world.grid[0]), len(world.grid)
    refused = _is(400, {"error": "invalid"})
    queries = (
        "x0=0&x1=2&y0=0",
        "x0=2&x1=2&y0=0&y1=3",
        f"x0=0&x1={wide + 1}&y0=0&y1=1",
        f"x0=0&x1=1&y0=0&y1={high + 1}",
        "x0=-1&x1=2&y0=0&y1=1",
        "x0=0&x1=1.5&y0=0&y1=1",
    )
    turns = [Turn(_get(world, f"/box?{query}"), refused) for query in queries]
    return [_box(world, (0, 2, 0, 2)), *turns]


def _profile(world: Field, y: int) -> Turn:
    return Turn(_get(world, f"/profile?y={y}"), _is(200, {"values": list(world.grid[y])}))


FAMILY = TileGateway()

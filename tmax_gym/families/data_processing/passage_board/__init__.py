"""DPR-16 passage board: the agent writes an HTTP service that counts what passes.

The passages come from a feed or from a film.  The board is asked for counts, full windows and
series.  A feed may repeat, withdraw and refuse records, and go on while the board is being asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.checks import tolerance
from tmax_gym.checks.check import Check, Exchange, Gate, Reply, Turn, multi_protocol, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_processing.passage_board import board as texts
from tmax_gym.families.data_processing.passage_board import passages as drawn
from tmax_gym.families.data_processing.passage_board.passages import Passage
from tmax_gym.families.products import Product, Request, Service
from tmax_gym.families.shared.marks import conversation
from tmax_gym.families.shared.readers import FILM
from tmax_gym.families.shared.sheets import flowed
from tmax_gym.families.shared.tricks import no_service
from tmax_gym.nodes import Node, prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import slugged

ASKED = (("busiest", 0.3), ("series", 0.45), ("errors", 0.6))
"""Requests beside counts, each with the level from which it is asked for."""
STUTTER = (("twice", 0.1), ("flaky", 0.35), ("withdrawn", 0.5), ("live", 0.65))
LANES = 0.4
REQUESTS = 8
"""Counts that the product lists, each over a stretch of its own."""


@dataclass(frozen=True, kw_only=True)
class Board(World):
    """The decided facts."""

    contract: str
    source: str
    """Program of the feed, or the film."""
    start: str
    port: int
    feed_port: int
    """0 where a film is the source."""
    fill: Mapping[str, str]
    parts: tuple[str, ...]
    kinds: tuple[str, ...]
    passages: tuple[Passage, ...]
    later: tuple[Passage, ...]
    """All passages once the feed has sent more."""


class PassageBoard(Family[Board]):
    """Collect, clean, count, serve."""

    id = "DPR-16"
    slug = "passage-board"
    domain = "data_processing"
    skill = "Systems"
    primitives = (
        "Multi-stage pipeline orchestration",
        "Local-remote data transfer",
        "Pipeline logging and monitoring",
        "Time-based bucketing and aggregation",
    )
    fixtures = ("multi_service_compose", "video")
    verifiers = ("multi_protocol",)
    languages = ("any", "python")
    tools = ("bash", "python3", "curl")
    followed_by = {  # noqa: RUF012
        "service-report": ("board", "The planners want the counts of several stretches in a file."),
        "health-probe": ("board", "The people on call must notice when the board stops answering."),
    }

    def world(self, ctx: Context) -> Board:
        """Return the contract, and the source of the passages."""
        rng = ctx.rng.fork("board")
        names = sorted({slugged(thing.singular) for thing in ctx.skin.things})
        kinds = tuple(rng.sample(names, ctx.knob(2, len(drawn.LEVELS))))
        port = rng.integer(7100, 7900)
        parts = [name for name, level in ASKED if ctx.level >= level]
        source_of = _from_film if ctx.fixture == "video" else _from_feed
        nodes, fill, source = source_of(ctx, rng, kinds, parts)
        fill |= {"@port": str(port), "@kinds": ", ".join(f"`{kind}`" for kind in kinds)}
        fill |= {"@source": str(port + 9), "@names": repr(list(kinds))}
        fill["@positive"] = "".join(f" `{name}` is at least 1." for name in _positive(parts))
        contract = ctx.path("contract.md")
        sound = () if "errors" in parts else ("sound",)
        order = [name for name in texts.CONTRACT if name in {"head", "other", *parts, *sound}]
        body = "".join(texts.CONTRACT[name] for name in order)
        return Board(
            nodes=(
                prose(contract, flowed(_filled(body, fill))),
                *(_node(node, fill) for node in nodes),
            ),
            outputs=(ctx.path("start.sh"),),
            contract=contract,
            source=source.path,
            start=ctx.path("start.sh"),
            port=port,
            feed_port=0 if "film" in parts else port + 9,
            fill=fill,
            parts=tuple(parts),
            kinds=kinds,
            passages=source.now,
            later=source.later,
        )

    def oracle(self, ctx: Context, world: Board) -> tuple[str, ...]:
        """Return the reference board, asked once."""
        url = f"http://127.0.0.1:{world.port}/counts?from=0&to=999999"
        look = f"od -t x1z -N 96 {world.source}" if not world.feed_port else f"cat {world.source}"
        return (
            f"cat {world.contract}; {look}",
            *_written(ctx, world, _board(world)),
            f"(bash {world.start} > /dev/null 2>&1 &); sleep 0.5; curl -s '{url}'",
            "pkill -f board.py; pkill -f feed.py; true",
        )

    def alternative(self, ctx: Context, world: Board) -> tuple[str, ...]:
        """Return a board that asks a database."""
        return _written(ctx, world, _board(world, figures=texts.TABLES))

    def checks(self, ctx: Context, world: Board) -> tuple[Check | Gate, ...]:
        """Return one conversation a question of the contract, and one while the feed goes on."""
        rng = ctx.rng.fork("questions")
        scripts = {
            "counts": [_counted(world, *span) for span in _spans(world, rng)],
            "busiest": [_asked(world, "busiest", rng.integer(2, 60)) for _ in range(4)],
            "series": [_asked(world, "series", rng.integer(3, 80)) for _ in range(3)],
        }
        checks: list[Check | Gate] = [unchanged("given", world.nodes)]
        for name, turns in scripts.items():
            if name == "counts" or name in world.parts:
                weight = 2.0 if name == "counts" else 1.0
                roots = (ctx.home,)
                checks.append(multi_protocol(name, world.start, turns, roots=roots, weight=weight))
        groups = {"errors": _errors(world), "live": [_live(world)]}
        for name, group in groups.items():
            if name in world.parts:
                checks.append(conversation(name, world.start, group, roots=(ctx.home,)))
        return tuple(checks)

    def products(self, ctx: Context, world: Board) -> Mapping[str, Product]:
        """Return the board with counts, and with full windows if the contract has them."""
        end = max(world.passages)[0] + 1
        asked: list[tuple[str, dict[str, object]]] = []
        for number in range(1, REQUESTS + 1):
            start, stop = end * (number // 3) // REQUESTS, end * number // REQUESTS + 1
            body = drawn.counts(world.passages, world.kinds, start=start, end=stop)
            asked.append((f"/counts?from={start}&to={stop}", body))
        if "busiest" in world.parts:
            for width in (5, 20, 60):
                asked.append((f"/busiest?width={width}", drawn.busiest(world.passages, width)))
        requests = tuple(
            Request(path, 200, {name: n for name, n in body.items() if isinstance(n, int)})
            for path, body in asked
        )
        return {"board": Service(world.start, world.port, requests, "counts", {})}

    def say(self, ctx: Context, world: Board) -> tuple[Obligation, ...]:
        """Return where the contract is, what there is to count, and how the board is started."""
        beside = " and the feed" if world.feed_port else ""
        source = (
            f"The board gets the passages from the feed `{world.source}`, which is a service of "
            "ours. The contract says how to ask it and what its answers mean."
            if world.feed_port
            else f"The board gets the passages from the film `{world.source}`. The contract says "
            "what is to be seen in it."
        )
        return (
            Obligation(
                "goal",
                "We want to ask over HTTP how many items have passed, and when. The contract "
                f"`{world.contract}` describes a service for this, the board. Write it, exactly as "
                "the contract says.",
                "goal",
            ),
            Obligation("source", source, "input"),
            Obligation(
                "start",
                f"Write the Bash script `{world.start}`, which starts the board{beside}. We run it "
                "as a user without root rights, and the board must answer within 5 seconds.",
                "output",
            ),
            Obligation(
                "keep",
                "Do not change any of the files that are there now.",
                "limit",
                ("not change", "unchanged", "as it is", "as they are", "untouched", "not modify"),
            ),
        )

    def mutants(self, ctx: Context, world: Board) -> tuple[Attempt, ...]:
        """Return an end counted in, classes left out, a page or a column amiss."""
        right = _board(world)
        wrong = {
            "end counted in": right.replace("start <= tick < end]", "start <= tick <= end]"),
            "seen classes only": right.replace("for kind in KINDS}", "for kind in set(inside)}"),
            "a tick late": right.replace("(tick, near[0])", "(tick + 1, near[0])"),
            "records passed over": right.replace('= page["after"]', '= page["after"] + 1'),
            "every frame": right.replace("if near and not before", "if near"),
            "twice is twice": right.replace(
                "known.setdefault(number, (tick, kind))", "known[len(known), number] = (tick, kind)"
            ),
            "once and for all": right.replace(
                "def passages():", "import functools\n\n\n@functools.cache\ndef passages():"
            ),
        }
        relevant = {"every frame": "film", "twice is twice": "twice", "once and for all": "live"}
        relevant |= {"a tick late": "film", "records passed over": "feed"}
        return tuple(
            Attempt(name, _written(ctx, world, body))
            for name, body in wrong.items()
            if relevant.get(name, "head") in ("head", *world.parts)
        )

    def exploits(self, ctx: Context, world: Board) -> tuple[Attempt, ...]:
        """Return a file server, one answer for all, and silence."""
        files, silence = no_service(world.start, world.port)
        nothing = {"counts": dict.fromkeys(world.kinds, 0), "total": 0}
        constant = _board(world).replace("= answer(self.path)", f"= 200, {nothing!r}")
        return (files, Attempt("nothing passed", _written(ctx, world, constant)), silence)


@dataclass(frozen=True, slots=True)
class _Source:
    path: str
    now: tuple[Passage, ...]
    later: tuple[Passage, ...]


_Made = tuple[list[Node], dict[str, str], _Source]


def _from_feed(ctx: Context, rng: Rng, kinds: Sequence[str], parts: list[str]) -> _Made:
    """Return the feed with its records; `parts` gets its sections of the contract."""
    parts += ["feed", *(name for name, level in STUTTER if ctx.level >= level)]
    delivered = drawn.feed(rng.fork("feed"), kinds, count=ctx.knob(30, 150), parts=parts)
    home, page = ctx.path("feed"), rng.integer(6, 20)
    fill = {"@feed": f"{home}/feed.py", "@page": str(page), "@ready": str(delivered.ready)}
    fill["@flaky"] = str("flaky" in parts)
    lines = "".join(json.dumps(record) + "\n" for record in delivered.records)
    nodes = [text(f"{home}/feed.py", texts.FEED), text(f"{home}/records.jsonl", lines)]
    now, later = delivered.passages(all_=False), delivered.passages(all_=True)
    return nodes, fill, _Source(f"{home}/feed.py", now, later)


def _from_film(ctx: Context, rng: Rng, kinds: Sequence[str], parts: list[str]) -> _Made:
    """Return the film with the levels of the classes."""
    lanes = 2 if ctx.level >= LANES else 1
    parts += ["film", "lanes"] if lanes == 2 else ["film"]
    levels = dict(zip(kinds, rng.sample(drawn.LEVELS, len(kinds)), strict=True))
    body, passages, line = drawn.film(
        rng.fork("film"), levels, frames=ctx.knob(90, 220), lanes=lanes
    )
    path, classes = ctx.path(f"{ctx.skin.stem(rng)}.avi"), ctx.path("classes.json")
    fill = {"@film": path, "@classes": classes, "@line": str(line), "@wide": str(drawn.WIDTH)}
    fill |= {"@lane": str(drawn.LANE), "@dark": str(drawn.DARK), "@noise": str(drawn.NOISE)}
    nodes = [Node(path, data=body), text(classes, json.dumps(levels) + "\n")]
    return nodes, fill, _Source(path, passages, passages)


def _positive(parts: Sequence[str]) -> list[str]:
    """Return the parameters that may not be 0."""
    return [name for part, name in (("busiest", "width"), ("series", "size")) if part in parts]


def _filled(body: str, fill: Mapping[str, str]) -> str:
    for name, value in sorted(fill.items(), key=lambda item: -len(item[0])):
        body = body.replace(name, value)
    return body


def _node(node: Node, fill: Mapping[str, str]) -> Node:
    """Return a program of the world with its numbers in it; other files as they are."""
    if not node.path.endswith(".py") or node.data is None:
        return node
    return text(node.path, _filled(node.data.decode(), fill))


def _board(world: Board, *, figures: str = texts.LISTS) -> str:
    reader = texts.FROM_FEED if world.feed_port else FILM + "\n\n" + texts.FROM_FILM
    body = texts.BOARD.replace("@reader", reader).replace("@figures", figures)
    return _filled(body, world.fill)


def _written(ctx: Context, world: Board, board: str) -> tuple[str, ...]:
    beside = f"python3 {world.source} &\n" if world.feed_port else ""
    script = f"#!/bin/bash\n{beside}exec python3 {ctx.path('board.py')}\n"
    return (write_file(ctx.path("board.py"), board), write_file(world.start, script))


def _is(status: int, body: object) -> Callable[[Reply], bool]:
    def expect(reply: Reply) -> bool:
        return reply.status == status and tolerance.says(reply.body, body)

    return expect


def _get(world: Board, target: str) -> Exchange:
    return Exchange(f"get {target}", "http", port=world.port, target=target)


def _counted(world: Board, start: int, end: int, *, later: bool = False) -> Turn:
    passages = world.later if later else world.passages
    body = drawn.counts(passages, world.kinds, start=start, end=end)
    return Turn(_get(world, f"/counts?from={start}&to={end}"), _is(200, body))


def _asked(world: Board, what: str, size: int) -> Turn:
    figure, name = {"busiest": (drawn.busiest, "width"), "series": (drawn.series, "size")}[what]
    return Turn(_get(world, f"/{what}?{name}={size}"), _is(200, figure(world.passages, size)))


def _spans(world: Board, rng: Rng) -> list[tuple[int, int]]:
    """Return stretches that begin and end with passages, a short one, and all there is."""
    ticks = sorted({tick for tick, _ in world.passages})
    pairs = [sorted(rng.sample(ticks, 2)) for _ in range(5)]
    first = ticks[rng.integer(0, len(ticks) - 1)]
    return [*((a, b) for a, b in pairs), (first, first + 1), (0, ticks[-1] + 1)]


def _errors(world: Board) -> list[list[Turn]]:
    """Return bad questions, each beside a good one."""
    refused = _is(400, {"error": "invalid"})
    bad = ["/counts?from=3", "/counts?from=9&to=4", "/counts?from=-1&to=5", "/counts?from=a&to=5"]
    if "busiest" in world.parts:
        bad += ["/busiest?width=0", "/busiest"]
    if "series" in world.parts:
        bad += ["/series?size=0", "/series?size=1.5"]
    good = _counted(world, 0, max(world.passages)[0])
    return [[good, Turn(_get(world, target), refused)] for target in bad]


def _live(world: Board) -> list[Turn]:
    """Return questions before and after the feed goes on."""
    end = max(world.later)[0] + 1
    going = Exchange("advance", "http", port=world.feed_port, method="POST", target="/advance")
    return [_counted(world, 0, end), Turn(going), _counted(world, 0, end, later=True)]


FAMILY = PassageBoard()

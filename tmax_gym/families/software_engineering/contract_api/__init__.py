"""SWE-05 contract API: write an HTTP service from its contract.

The contract is a file in the sandbox.  At higher levels it asks for more: pages, removal, a token,
and a store that survives a restart.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from tmax_gym.checks import tolerance
from tmax_gym.checks.check import Check, Exchange, Gate, Reply, Turn, multi_protocol, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.shared.sheets import flowed
from tmax_gym.families.shared.tricks import no_service
from tmax_gym.families.software_engineering.contract_api.service import CONTRACT, START, server
from tmax_gym.nodes import prose, text
from tmax_gym.texts.obligations import Obligation

Json = dict[str, object] | None


@dataclass(frozen=True, kw_only=True)
class Api(World):
    """The decided facts."""

    contract: str
    start: str
    port: int
    resource: str
    token: str
    """"" where no token is asked for."""
    parts: tuple[str, ...]
    """Optional parts of the contract that apply."""
    rows: tuple[tuple[str, int], ...]
    """(code, amount) of what the verifier creates."""


class ContractApi(Family[Api]):
    """Implement creation, reading, pages, removal and errors as the contract says."""

    id = "SWE-05"
    slug = "contract-api"
    domain = "software_engineering"
    skill = "Web Security"
    primitives = (
        "REST/GraphQL API construction",
        "Request validation and rate limiting",
        "URL routing and parameter parsing",
        "Serialization and deserialization",
    )
    fixtures = ("text_only",)
    verifiers = ("multi_protocol",)
    languages = ("any", "python")
    tools = ("bash", "python3", "curl")

    def world(self, ctx: Context) -> Api:
        """Return the contract and, where it needs one, the token."""
        rng = ctx.rng.fork("api")
        resource = ctx.skin.thing(rng).plural.replace(" ", "-").lower()
        port = rng.integer(8000, 8999)
        optional = (("pages", 0.3), ("removal", 0.5), ("token", 0.65), ("store", 0.8))
        parts = tuple(name for name, level in optional if ctx.level >= level)
        contract, start = ctx.path("contract.md"), ctx.path("start.sh")
        token = rng.secret(16) if "token" in parts else ""
        body = "".join(CONTRACT[name] for name in ("head", *parts))
        body = body.replace("@resource", resource).replace("@port", str(port))
        body = body.replace("@token_path", ctx.path("token.txt"))
        nodes = [prose(contract, flowed(body))]
        if token:
            nodes.append(text(ctx.path("token.txt"), token + "\n"))
        codes = sorted({ctx.skin.code(rng.fork("row", n)) for n in range(ctx.knob(6, 12))})
        return Api(
            nodes=tuple(nodes),
            outputs=(start,),
            contract=contract,
            start=start,
            port=port,
            resource=resource,
            token=token,
            parts=parts,
            rows=tuple((code, rng.integer(1, 900)) for code in rng.shuffled(codes)),
            volatile=(ctx.path("store.json"),),
        )

    def oracle(self, ctx: Context, world: Api) -> tuple[str, ...]:
        """Return the reference service, started once to see that it answers."""
        return (
            f"cat {world.contract}",
            write_file(ctx.path("service.py"), _service(ctx, world)),
            write_file(world.start, START.replace("@service", ctx.path("service.py"))),
            f"bash {world.start} > /dev/null 2>&1 & sleep 0.4; "
            f"curl -s -i http://127.0.0.1:{world.port}/{world.resource}/1",
            f"pkill -f service.py; rm -f {ctx.path('store.json')}; true",
        )

    def checks(self, ctx: Context, world: Api) -> tuple[Check | Gate, ...]:
        """Return one conversation for each part of the contract."""
        checks: list[Check | Gate] = [unchanged("contract", world.nodes)]
        scripts: list[tuple[str, list[Turn], float]] = [
            ("basics", _basics(world), 3.0),
            ("errors", _errors(world), 1.5),
        ]
        if "pages" in world.parts:
            scripts.append(("pages", _pages(world), 2.0))
        if "removal" in world.parts:
            scripts.append(("removal", _removal(world), 1.0))
        if "store" in world.parts:
            scripts.append(("store", _store(world), 1.5))
        for name, turns, weight in scripts:
            checks.append(
                multi_protocol(name, world.start, turns, roots=(ctx.home,), weight=weight)
            )
        return tuple(checks)

    def say(self, ctx: Context, world: Api) -> tuple[Obligation, ...]:
        """Return where the contract is and how the service is started."""
        files = [f"`{node.path}`" for node in world.nodes]
        stored = "store" in world.parts
        kept = (
            f" It may keep its data in `{ctx.home}`, where this user can write." if stored else ""
        )
        return (
            Obligation(
                "goal",
                "We have promised another team an HTTP service. Implement the service exactly as "
                f"`{world.contract}` describes it.",
                "goal",
            ),
            Obligation(
                "resource",
                f"It keeps a single collection, `/{world.resource}`.",
                "input",
            ),
            Obligation(
                "start",
                f"The script `{world.start}` must start the service, which listens on port "
                f"`{world.port}` of `127.0.0.1`. We run the script with `bash`, as an ordinary "
                "user without root rights. It may stay in the foreground or return, but the "
                f"service must accept connections within 5 seconds.{kept}",
                "output",
            ),
            Obligation(
                "empty",
                "When you have finished, stop the service and delete anything that it has stored "
                f"while you tried it, so that the next start of `{world.start}` begins with an "
                "empty collection.",
                "limit",
            ),
            Obligation("keep", f"Do not change {' or '.join(files)}.", "limit"),
            Obligation(
                "judged",
                "We will send requests of our own to the service, right and wrong ones, and "
                "compare the statuses and bodies of the answers with the contract.",
                "grading",
                ("requests", "we will test", "will be tested", "compare"),
            ),
        )

    def mutants(self, ctx: Context, world: Api) -> tuple[Attempt, ...]:
        """Return a service with one fault at a time."""
        right = _service(ctx, world)
        wrong = {
            "duplicates welcome": right.replace("if code in self.codes()", "if False"),
            "ids from zero": right.replace("NEXT = 1", "NEXT = 0"),
            "text amounts": right.replace("isinstance(amount, int)", "str(amount).isdigit()"),
        }
        start = write_file(world.start, START.replace("@service", ctx.path("service.py")))
        return tuple(
            Attempt(name, (write_file(ctx.path("service.py"), body), start))
            for name, body in wrong.items()
        )

    def exploits(self, ctx: Context, world: Api) -> tuple[Attempt, ...]:
        """Return a service that accepts everything, and one that never listens."""
        return no_service(world.start, world.port)


def _service(ctx: Context, world: Api) -> str:
    return server(
        resource=world.resource,
        port=world.port,
        token_path=ctx.path("token.txt") if world.token else "",
        store_path=ctx.path("store.json") if "store" in world.parts else "",
    )


def _create(world: Api, code: object, amount: object, *, token: str | None = None) -> Exchange:
    body = json.dumps({"code": code, "amount": amount}).encode()
    headers = [("Content-Type", "application/json")]
    shown = world.token if token is None else token
    if shown:
        headers.append(("X-Token", shown))
    return Exchange(
        f"create {code}",
        "http",
        port=world.port,
        method="POST",
        target=f"/{world.resource}",
        send=body,
        headers=tuple(headers),
    )


def _get(world: Api, tail: str) -> Exchange:
    return Exchange(f"get {tail}", "http", port=world.port, target=f"/{world.resource}{tail}")


def _answers(status: int, body: Json) -> Callable[[Reply], bool]:
    """Return a predicate: this status, and this JSON object as the body."""

    def expect(reply: Reply) -> bool:
        if reply.status != status:
            return False
        if body is None:
            return not reply.body
        return tolerance.says(reply.body, body)

    return expect


def _row(number: int, code: str, amount: int) -> Json:
    return {"id": number, "code": code, "amount": amount}


def _filled(world: Api) -> list[Turn]:
    """Return the creation of every row, which later turns build upon."""
    return [Turn(_create(world, code, amount)) for code, amount in world.rows]


def _basics(world: Api) -> list[Turn]:
    turns = [
        Turn(_create(world, code, amount), _answers(201, _row(n, code, amount)))
        for n, (code, amount) in enumerate(world.rows, start=1)
    ]
    turns += [
        Turn(_get(world, f"/{n}"), _answers(200, _row(n, *world.rows[n - 1]))) for n in (1, 3, 2)
    ]
    return turns


def _errors(world: Api) -> list[Turn]:
    code, amount = world.rows[0]
    invalid: Json = {"error": "invalid"}
    duplicate: Json = {"error": "duplicate"}
    turns = [
        Turn(_create(world, code, amount), _answers(201, _row(1, code, amount))),
        Turn(_create(world, code, amount + 1), _answers(409, duplicate)),
        Turn(_create(world, "", amount), _answers(400, invalid)),
        Turn(_create(world, "ZZ-1", "7"), _answers(400, invalid)),
        Turn(_create(world, "ZZ-2", -1), _answers(400, invalid)),
        Turn(_create(world, *world.rows[1]), _answers(201, _row(2, *world.rows[1]))),
        Turn(_get(world, "/9999"), _answers(404, {"error": "not found"}), weight=0.2),
    ]
    if world.token:
        refused = _answers(401, {"error": "unauthorized"})
        turns.append(Turn(_create(world, "ZZ-3", 1, token="wrong"), refused))
    return turns


def _pages(world: Api) -> list[Turn]:
    rows = [_row(n, *row) for n, row in enumerate(world.rows, start=1)]
    last = len(rows)
    return [
        *_filled(world),
        Turn(_get(world, "?limit=2"), _answers(200, {"items": rows[:2], "next": 2})),
        Turn(_get(world, "?limit=3&after=2"), _answers(200, {"items": rows[2:5], "next": 5})),
        Turn(
            _get(world, f"?limit=50&after={last - 2}"),
            _answers(200, {"items": rows[-2:], "next": None}),
        ),
    ]


def _removal(world: Api) -> list[Turn]:
    headers = (("X-Token", world.token),) if world.token else ()
    target = f"/{world.resource}/2"
    remove = Exchange(
        "remove", "http", port=world.port, method="DELETE", target=target, headers=headers
    )
    return [
        *_filled(world),
        Turn(remove, _answers(204, None)),
        Turn(_get(world, "/3"), _answers(200, _row(3, *world.rows[2]))),
        Turn(_create(world, "ZZ-9", 5), _answers(201, _row(len(world.rows) + 1, "ZZ-9", 5))),
    ]


def _store(world: Api) -> list[Turn]:
    again = len(world.rows) + 1
    return [
        *_filled(world),
        Turn(Exchange("restart", "restart")),
        Turn(_get(world, "/2"), _answers(200, _row(2, *world.rows[1]))),
        Turn(_create(world, "ZZ-8", 4), _answers(201, _row(again, "ZZ-8", 4))),
    ]


FAMILY = ContractApi()

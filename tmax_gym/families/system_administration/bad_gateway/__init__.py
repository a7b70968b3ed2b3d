"""SYS-01 bad gateway: several services behind a proxy, and every route is broken in its own way.

Below `SHORT` only one port in one file is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import Check, Exchange, Gate, Reply, Turn, multi_protocol, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.products import Edits, Product, Request, Service
from tmax_gym.families.system_administration.bad_gateway.proxy import EDGE, NOTES, SERVICE, START
from tmax_gym.nodes import Node, prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

SHORT = 0.2
FAULTS = ("port", "strip", "header", "absent", "shadowed")
TRACE = "X-Request-Id"


@dataclass(frozen=True, kw_only=True)
class Gateway(World):
    """The decided facts."""

    start: str = ""
    routes: str = ""
    listen: int = 0
    services: tuple[tuple[str, int, str, int], ...] = ()
    """(name, port, a code, its amount) of every service."""
    faults: tuple[tuple[str, str], ...] = ()
    """(service, fault)."""
    fixed: tuple[Node, ...] = ()
    """Files that must stay as they are."""
    config: str = ""
    old: int = 0
    new: int = 0
    after: str = ""


class BadGateway(Family[Gateway]):
    """Repair wrong upstreams, prefixes, headers, missing services and shadowed routes."""

    id = "SYS-01"
    slug = "bad-gateway"
    domain = "system_administration"
    skill = "Deployment"
    primitives = (
        "Reverse proxy and load balancer setup",
        "Health check and monitoring setup",
        "Web server setup and TLS configuration",
        "System config file management",
    )
    fixtures = ("multi_service_compose",)
    verifiers = ("multi_protocol",)
    languages = ("any", "bash")
    tools = ("bash", "sed", "python3")
    followed_by = {  # noqa: RUF012
        "service-report": ("service", "Accounting needs the amounts that the services now report."),
        "health-probe": ("service", "Next time we want to notice it before the clients do."),
        "patch-file": ("repair", "The same mistakes are on a second machine that we must patch."),
        "git-commit": (
            "repair",
            "The configuration is under version control, and so is its repair.",
        ),
    }

    def world(self, ctx: Context) -> Gateway:
        """Return working services behind a broken edge, or a file with one wrong port."""
        return _one_file(ctx) if ctx.level < SHORT else _stack(ctx)

    def oracle(self, ctx: Context, world: Gateway) -> tuple[str, ...]:
        """Return one sed command, or one edit for each fault."""
        if ctx.level < SHORT:
            return (f"sed -i 's/{world.old}/{world.new}/' {world.config}",)
        return (
            f"cat {ctx.path('NOTES.md')} {world.routes} {world.start}",
            f"head -n 20 {ctx.path('services')}/*/settings.json",
            *_repairs(ctx, world, skip=""),
            f"cat {world.routes}",
        )

    def checks(self, ctx: Context, world: Gateway) -> tuple[Check | Gate, ...]:
        """Return one conversation through the edge; programs and data must not change."""
        if ctx.level < SHORT:
            return (exact.value("port", world.config, world.after),)
        turns = [
            Turn(
                Exchange(
                    f"{name} {number}",
                    "http",
                    port=world.listen,
                    target=f"/{name}/items/{code}",
                    headers=((TRACE, f"{name}-{number}"),),
                ),
                _answers(name, code, amount, f"{name}-{number}"),
            )
            for number, (name, _, code, amount) in enumerate(world.services)
        ]
        return (
            unchanged("programs", world.fixed),
            multi_protocol("routes", world.start, turns, roots=(ctx.home,)),
        )

    def products(self, ctx: Context, world: Gateway) -> Mapping[str, Product]:
        """Return the edited files, and the services behind the edge."""
        edited = (world.config,) if ctx.level < SHORT else (world.routes, world.start)
        at = len(ctx.home) + 1
        before = {n.path[at:]: n.data or b"" for n in world.nodes if n.path in edited}
        repair = Edits(ctx.home, before, "configuration")
        if ctx.level < SHORT:
            return {"repair": repair}
        requests = tuple(
            Request(
                f"/{name}/items/{code}",
                200,
                {"service": name, "code": code, "amount": amount},
            )
            for name, *_ in world.services
            for code, amount in _table(ctx, ctx.rng.fork("data", name)).items()
        )
        return {
            "repair": repair,
            "service": Service(world.start, world.listen, requests, "items", {}),
        }

    def say(self, ctx: Context, world: Gateway) -> tuple[Obligation, ...]:
        """Return the symptom, what may be changed, and where the topology is written."""
        return _say_short(world) if ctx.level < SHORT else _say_stack(ctx, world)

    def mutants(self, ctx: Context, world: Gateway) -> tuple[Attempt, ...]:
        """Return repairs that each leave one fault in place."""
        if ctx.level < SHORT:
            return (
                Attempt("wrong way", (f"sed -i 's/{world.new}/{world.old}/' {world.config}",)),
                Attempt("appended", (f"echo port={world.new} >> {world.config}",)),
                Attempt("overwritten", (f"echo port={world.new} > {world.config}",)),
            )
        attempts = [
            Attempt(f"{fault} of {name} left", _repairs(ctx, world, skip=name))
            for name, fault in world.faults
        ]
        wrong = f'sed -i \'s/"listen": .*/"listen": {world.listen + 1},/\' {world.routes}'
        return (
            *attempts,
            Attempt("edge moved", (*_repairs(ctx, world, skip=""), wrong)),
            Attempt("edge alone", (f"sed -i 's/^SERVICES=.*/SERVICES=/' {world.start}",)),
        )

    def exploits(self, ctx: Context, world: Gateway) -> tuple[Attempt, ...]:
        """Return an edge that never forwards, and none at all."""
        if ctx.level < SHORT:
            return (Attempt("emptied", (f": > {world.config}",)),)
        serve = f"exec python3 -m http.server {world.listen} --bind 127.0.0.1"
        return (
            Attempt("file server", (f"echo '{serve}' > {world.start}",)),
            Attempt("no routes", (f"echo '{{}}' > {world.routes}",)),
        )


def _answers(name: str, code: str, amount: int, trace: str) -> Callable[[Reply], bool]:
    wanted = {"service": name, "code": code, "amount": amount, "trace": trace}

    def expect(reply: Reply) -> bool:
        return reply.status == 200 and tolerance.says(reply.body, wanted)

    return expect


def _one_file(ctx: Context) -> Gateway:
    rng = ctx.rng.fork("one")
    config = ctx.path(f"{ctx.skin.stem(rng)}.conf")
    old, new = (rng.integer(8000, 8499), rng.integer(8500, 8999))
    body = f"name={ctx.skin.directory(rng)}\nport=@\nworkers={rng.integer(2, 9)}\n"
    return Gateway(
        nodes=(text(config, body.replace("@", str(old))),),
        outputs=(config,),
        config=config,
        old=old,
        new=new,
        after=body.replace("@", str(new)),
    )


def _stack(ctx: Context) -> Gateway:
    rng = ctx.rng.fork("stack")
    names = rng.sample(sorted(set(ctx.skin.directories)), ctx.knob(2, 5))
    listen = rng.integer(8000, 8400)
    ports = rng.sample(range(9000, 9400), len(names))
    faults = tuple((name, fault) for name, fault in zip(names, rng.shuffled(FAULTS), strict=False))
    data, services = _data(ctx, names, ports)
    running = [n for n in names if (n, "absent") not in faults]
    listed = ", ".join(f"`{n}`" for n in sorted(names))
    notes = NOTES.replace("@listen", str(listen)).replace("@services", listed)
    fixed = (
        text(ctx.path("edge/edge.py"), EDGE),
        text(ctx.path("services/serve.py"), SERVICE),
        prose(ctx.path("NOTES.md"), notes),
        *data,
    )
    routes = text(ctx.path("edge/routes.json"), _routes(rng, listen, services, faults))
    start = text(ctx.path("start.sh"), START.replace("@services", " ".join(running)), mode=0o755)
    return Gateway(
        nodes=(*fixed, routes, start),
        outputs=(routes.path, start.path),
        start=start.path,
        routes=routes.path,
        listen=listen,
        services=services,
        faults=faults,
        fixed=fixed,
    )


def _data(
    ctx: Context, names: list[str], ports: list[int]
) -> tuple[list[Node], tuple[tuple[str, int, str, int], ...]]:
    nodes, services = [], []
    for name, port in zip(names, ports, strict=True):
        r = ctx.rng.fork("data", name)
        table = _table(ctx, r)
        settings = json.dumps({"port": port}, indent=1)
        nodes.append(text(ctx.path(f"services/{name}/settings.json"), settings + "\n"))
        nodes.append(text(ctx.path(f"services/{name}/data.json"), json.dumps(table) + "\n"))
        code = r.choice(sorted(table))
        services.append((name, port, code, table[code]))
    return nodes, tuple(services)


def _table(ctx: Context, rng: Rng) -> dict[str, int]:
    """Return the amount of every code of a service."""
    return {ctx.skin.code(rng): rng.integer(1, 9999) for _ in range(6)}


def _routes(
    rng: Rng,
    listen: int,
    services: tuple[tuple[str, int, str, int], ...],
    faults: tuple[tuple[str, str], ...],
) -> str:
    """Return the broken route table."""
    broken = dict(faults)
    routes: list[dict[str, Any]] = []
    for name, port, _, _ in services:
        fault = broken.get(name)
        routes.append(
            {
                "prefix": f"/{name}",
                "upstream": port + rng.integer(1, 9) * 100 if fault == "port" else port,
                "strip": fault != "strip",
                "forward": ["Accept"] if fault == "header" else ["Accept", TRACE],
            }
        )
        if fault == "shadowed":
            stale = {"prefix": f"/{name}", "upstream": port + 1000, "strip": True, "forward": []}
            routes.insert(0, stale)
    return json.dumps({"listen": listen, "routes": routes}, indent=1) + "\n"


def _repairs(ctx: Context, world: Gateway, *, skip: str) -> tuple[str, ...]:
    """Return one command for each fault, except for that of the skipped service."""
    ports = {name: port for name, port, _, _ in world.services}
    commands = []
    for name, fault in world.faults:
        if name == skip:
            continue
        this = f'[r for r in c["routes"] if r["prefix"] == "/{name}"][-1]'
        edits = {
            "port": f'{this}["upstream"] = {ports[name]}',
            "strip": f'{this}["strip"] = True',
            "header": f'{this}["forward"].append("{TRACE}")',
            "shadowed": f'c["routes"] = [r for r in c["routes"] if r["prefix"] != "/{name}" '
            f'or r["upstream"] == {ports[name]}]',
        }
        if fault == "absent":
            commands.append(f"sed -i 's/^SERVICES=\"/&{name} /' {world.start}")
        else:
            commands.append(
                f'python3 -c \'import json; f = "{world.routes}"; c = json.load(open(f)); '
                f'{edits[fault]}; json.dump(c, open(f, "w"), indent=1)\''
            )
    return tuple(commands)


def _say_short(world: Gateway) -> tuple[Obligation, ...]:
    return (
        Obligation(
            "goal",
            f"The service has moved from port {world.old} to port {world.new}, but "
            f"`{world.config}` still has the old port. Change this one value and leave the rest of "
            f"the file as it is.",
            "goal",
        ),
    )


def _say_stack(ctx: Context, world: Gateway) -> tuple[Obligation, ...]:
    return (
        Obligation(
            "goal",
            f"Clients reach our services through a proxy, the edge, on port {world.listen}. Every "
            f"one of its routes is broken, each in a different way. The mistakes are in "
            f"`{world.routes}`, in `{world.start}`, or in both. Find and repair all of them.",
            "goal",
        ),
        Obligation(
            "notes",
            f"`{ctx.path('NOTES.md')}` describes how the set-up is meant to work.",
            "input",
        ),
        Obligation(
            "keep",
            f"Change only those two files. The programs, the notes and everything in "
            f"`{ctx.path('services')}` are right and must stay as they are.",
            "limit",
        ),
        Obligation(
            "start",
            f"We will run `{world.start}` as a user without root rights and then request an item "
            f"of every service through the edge, as `/<service>/items/<code>` with the header "
            f"`{TRACE}`. Each answer must be the one that the service gives for this item, with "
            f"status 200 and with the value of the header in its field `trace`.",
            "grading",
        ),
    )


FAMILY = BadGateway()

"""SYS-01 bad gateway: several services behind a proxy, and every route broken in its own way.

Below `SHORT` one port in one file is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import Check, Exchange, Gate, Reply, Turn, multi_protocol, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.system_administration.bad_gateway.proxy import EDGE, NOTES, SERVICE, START
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause

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
    """Wrong upstreams, prefixes, headers, services that never start, shadowed routes."""

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

    def world(self, ctx: Context) -> Gateway:
        """Return services that work behind an edge that does not, or one wrong port."""
        return _one_file(ctx) if ctx.level < SHORT else _stack(ctx)

    def oracle(self, ctx: Context, world: Gateway) -> tuple[str, ...]:
        """Return sed, or an edit a fault."""
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

    def say(self, ctx: Context, world: Gateway) -> tuple[Clause, ...]:
        """Return the symptom, what may be changed, and where the topology is written."""
        return _say_short(world) if ctx.level < SHORT else _say_stack(ctx, world)

    def mutants(self, ctx: Context, world: Gateway) -> tuple[Attempt, ...]:
        """Return one fault left in place at a time."""
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
        text(ctx.path("NOTES.md"), notes),
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
        table = {ctx.skin.code(r): r.integer(1, 9999) for _ in range(6)}
        settings = json.dumps({"port": port}, indent=1)
        nodes.append(text(ctx.path(f"services/{name}/settings.json"), settings + "\n"))
        nodes.append(text(ctx.path(f"services/{name}/data.json"), json.dumps(table) + "\n"))
        code = r.choice(sorted(table))
        services.append((name, port, code, table[code]))
    return nodes, tuple(services)


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
    """Return one command a fault, except for the service that is skipped."""
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


def _say_short(world: Gateway) -> tuple[Clause, ...]:
    return (
        Clause(
            "goal",
            (
                "{Change|Set} the port in {config} from {old} to {new}.",
                "{config} still says port {old}; it {must be|has to say} {new}.",
                "The service moved from port {old} to {new}: {correct|adjust} {config}.",
                "Port {old} in {config} is wrong, {new} is right. {Fix|Change} that one value.",
                "{In|Within} {config} {replace|exchange} port {old} {by|for} {new}.",
                "{new} is the {right|correct} port, {while|but} {config} {has|says} "
                "{old}: {put|set} it right.",
            ),
            facts={"config": world.config, "old": str(world.old), "new": str(world.new)},
            role="goal",
            brief="Change port {old} to {new} in {config}.",
        ),
    )


def _say_stack(ctx: Context, world: Gateway) -> tuple[Clause, ...]:
    return (
        Clause(
            "goal",
            (
                "{Nothing|Not one route} behind the edge on port {listen} answers as it "
                "should. {Repair|Fix} {routes} and {start}.",
                "Clients of the edge (port {listen}) get 502, 404 and half answers. The "
                "mistakes are in {routes} and {start}: {find them all|find and mend "
                "them}.",
                "Every route of the edge on port {listen} is broken in {its own|a "
                "different} way; put {routes} and {start} right.",
                "{Bring|Get} the services behind port {listen} back: something is wrong "
                "in {routes}, or in {start}, or in both.",
                "{The edge|Our edge} on port {listen} {serves|forwards} nothing "
                "properly. {Look|Search} in {routes} and {start} and {correct|repair} "
                "{what|whatever} is wrong.",
                "{Someone|Somebody} {edited|touched} {routes} and {start}, and {since "
                "then|now} {no route|nothing} of the edge on port {listen} {works|is "
                "right}: {mend|repair} {both|them}.",
            ),
            facts={
                "listen": str(world.listen),
                "routes": world.routes,
                "start": world.start,
            },
            role="goal",
            brief="Fix {routes} and {start}: every route of the edge on port {listen} is broken.",
        ),
        Clause(
            "notes",
            (
                "How it should hang together is {written|described} in {notes}.",
                "{notes} describes the set-up as it is meant to be.",
                "{See|Read} {notes} {for|about} the {set-up|arrangement} as {intended|it "
                "should be}.",
                "{The intended|The right} {set-up|state} is {laid down|described} in {notes}.",
                "{What|How everything} is {meant|supposed} to run {where|on which port} "
                "{stands|is} in {notes}.",
                "{Go|Work} by {notes}, which {tells|says} how {it all|everything} "
                "{belongs|hangs} together.",
            ),
            facts={"notes": ctx.path("NOTES.md")},
            role="input",
        ),
        Clause(
            "keep",
            (
                "{Programs|The programs}, settings and data of the services are fine and "
                "{stay as they are|are not to be changed}; so do the notes.",
                "Do not touch the programs, the notes, or anything below the services directory.",
                "{Leave|Keep} the programs, the notes and {all that is|everything} below "
                "the services directory {as they are|unchanged}.",
                "{Hands off|Stay away from} the notes, the programs and {all "
                "of|everything in} the services directory.",
                "{Only|Just} the two files named {need|may} {change|be changed}; "
                "{programs|the programs}, notes and the services directory {stay|must "
                "stay}{ as they are|}.",
                "{Everything|All} {below|in} the services directory, the programs and "
                "the notes {must|has to} remain {untouched|as they are}.",
            ),
            role="constraint",
        ),
        Clause(
            "start",
            (
                "We will run {start} as an {unprivileged|ordinary} user and ask "
                "{each|every} service for an item through the edge, with the header "
                "{header}.",
                "{It|The work} is done when, after {start} (run without root rights), "
                "{each|every} service answers for its items through the edge and reports "
                "the {header} that was sent.",
                "{After|Once} {start}, {run|called} without root rights, a request "
                "through the edge for {an|any} item of {each|every} service {gets|must "
                "get} its answer, {header} {included|as sent}.",
                "{To check|As a test}, {start} is {run|started} by an unprivileged user, "
                "{then|and} {each|every} service is asked {for an item|for items} "
                "{through|by way of} the edge, with {header} set.",
                "{What counts|What matters}: {start} {works|runs} without root rights, "
                "and through the edge {each|every} service {hands out|answers for} its "
                "items and {repeats|reports} the {header} it {was sent|got}.",
                "{An|Any} unprivileged user {runs|will run} {start}; {from then on|after "
                "that} {items|an item} of {each|every} service can be {had|fetched} "
                "through the edge, {which|and it} passes {header} on.",
            ),
            facts={"start": world.start, "header": f"`{TRACE}`"},
            role="output",
        ),
    )


FAMILY = BadGateway()

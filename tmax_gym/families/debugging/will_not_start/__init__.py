"""DBG-10 will not start: a stack of small services, some of which never come up.

Some have a hold that was left behind, some have settings that are cut, misspelt or in the wrong
format, and some have a file that hides a standard module.  The verifier starts the stack and asks
the front about every service.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tmax_gym.checks.check import Check, Exchange, Gate, Reply, Turn, multi_protocol, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.debugging.will_not_start import stack
from tmax_gym.families.products import Edits, Product
from tmax_gym.nodes import Node, directory, prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

SETTINGS = ("env", "crlf", "syntax", "port")
"""Kinds of fault that can only be repaired in the settings."""


@dataclass(frozen=True, slots=True)
class Service:
    """One service of the stack."""

    name: str
    port: int
    unit: str
    rows: tuple[tuple[str, int], ...]
    fault: str
    """"" if the service has none."""


@dataclass(frozen=True, kw_only=True)
class Stack(World):
    """The decided facts."""

    home: str
    start: str
    sheet: str
    services: tuple[Service, ...]
    """The front is the first."""


class WillNotStart(Family[Stack]):
    """Read what each service complains about, and remove the cause."""

    id = "DBG-10"
    slug = "will-not-start"
    domain = "debugging"
    skill = "Systems"
    primitives = (
        "Environment misconfiguration repair",
        "Container debugging and log inspection",
        "Dependency conflict resolution",
        "System call tracing",
    )
    fixtures = ("multi_service_compose",)
    verifiers = ("multi_protocol",)
    languages = ("any", "bash")
    tools = ("bash", "curl", "python3", "sed")
    followed_by = {  # noqa: RUF012
        "patch-file": ("settings", "A second machine has the same wrong settings."),
        "git-commit": ("settings", "Every change of the settings has to be on record."),
    }

    def world(self, ctx: Context) -> Stack:
        """Return the stack with its faults."""
        rng = ctx.rng.fork("stack")
        services = _services(ctx, rng, ctx.knob(2, 6), ctx.knob(1, 5))
        front, *rest = services
        rows = "\n".join(
            f"- `{s.name}`: port {s.port}, table `data/{s.name}.csv`, unit `{s.unit}`"
            + (" (the front)" if s is front else "")
            for s in services
        )
        sheet, start = ctx.path("STACK.md"), ctx.path("start.sh")
        nodes = [
            prose(sheet, stack.SHEET.replace("@rows", rows)),
            text(
                start,
                stack.START.replace("@home", ctx.home).replace("@front", front.name),
                mode=0o755,
            ),
            text(ctx.path("stop.sh"), stack.STOP.replace("@home", ctx.home), mode=0o755),
            directory(ctx.path("logs")),
            directory(ctx.path("run")),
        ]
        for service in services:
            needs = {s.name: s.port for s in rest} if service is front else {}
            nodes += _files(ctx, service, needs, rng.fork("wrong", service.name))
        conf = [ctx.path("conf", f"{s.name}.env") for s in services if s.fault]
        return Stack(
            nodes=tuple(nodes),
            outputs=(conf[0],),
            volatile=(ctx.path("logs"), ctx.path("run")),
            home=ctx.home,
            start=start,
            sheet=sheet,
            services=services,
        )

    def oracle(self, ctx: Context, world: Stack) -> tuple[str, ...]:
        """Return a first start, then one complaint and one repair after the other."""
        started = f"bash {world.start} > /dev/null 2>&1 & sleep 0.3"
        stopped = f"bash {world.home}/stop.sh; true"
        steps = [
            f"cat {world.sheet}",
            f"{started}; ps -eo pid,args | tail -n 8; tail -n 1 {world.home}/logs/*.log; {stopped}",
        ]
        for service in world.services:
            if service.fault:
                look = (
                    f"cat {world.home}/logs/{service.name}.log {world.home}/conf/{service.name}.*"
                )
                steps += [look, _repair(world, service)]
        front = world.services[0].port
        asked = [f"curl -s 127.0.0.1:{front}/{s.name}/{s.rows[0][0]}" for s in world.services[1:]]
        steps.append(f"{started}; {'; '.join(asked)}; {stopped}")
        return tuple(steps)

    def checks(self, ctx: Context, world: Stack) -> tuple[Check | Gate, ...]:
        """Return the questions to the front; programs and tables stay."""
        fixed = ("/services/", "/data/", "STACK.md", ".sh")
        keep = [
            node
            for node in world.nodes
            if any(part in node.path for part in fixed) and not node.path.endswith("csv.py")
        ]
        front = world.services[0].port
        turns = [Turn(_asked(front, "/health"), _says(f"{world.services[0].name} ok"), weight=0.5)]
        for service in world.services[1:]:
            for key, value in service.rows[:2]:
                answer = _says(f"{value} {service.unit}")
                turns.append(Turn(_asked(front, f"/{service.name}/{key}"), answer))
        return (
            unchanged("programs", keep),
            multi_protocol("front", world.start, turns, roots=(ctx.home,)),
        )

    def products(self, ctx: Context, world: Stack) -> Mapping[str, Product]:
        """Return the settings, if one of them must change; the answers of the stack are no JSON."""
        if not any(service.fault in SETTINGS for service in world.services):
            return {}
        conf = f"{world.home}/conf"
        before = {
            node.path.removeprefix(f"{conf}/"): node.data or b""
            for node in world.nodes
            if node.path.startswith(f"{conf}/")
        }
        return {"settings": Edits(conf, before, "configuration")}

    def say(self, ctx: Context, world: Stack) -> tuple[Obligation, ...]:
        """Return the symptom, where it is described, and what stays."""
        first = next(s for s in world.services if s.fault)
        front = world.services[0]
        return (
            Obligation(
                "goal",
                f"`{world.start}` no longer brings up all services of our stack, which is "
                f"described in `{world.sheet}`. Find out what keeps them from working, and repair "
                f"it.",
                "goal",
            ),
            Obligation(
                "first",
                f"One of the services that fail reads `{world.home}/conf/{first.name}.env`; there "
                f"may be others.",
                "input",
            ),
            Obligation(
                "scripts",
                f"`{world.start}` starts everything and keeps running, and `{world.home}/stop.sh` "
                f"stops it.",
                "input",
            ),
            Obligation(
                "front",
                f"When the stack is up, the front answers on `127.0.0.1`, port {front.port}: "
                f"`/health` with `{front.name} ok`, and `/<service>/<key>` with the value of that "
                f"key in the table of another service, a space and the unit of that service.",
            ),
            Obligation(
                "keep",
                f"Do not change `{world.sheet}`, the scripts, the tables and the programs, which "
                f"are all called `run.py`: they are right. You may change or delete any other "
                f"file.",
                "limit",
            ),
            Obligation(
                "afresh",
                f"We will start the stack afresh with `{world.start}`, as an ordinary user who is "
                f"not root, and ask the front about every service.",
                "grading",
            ),
        )

    def mutants(self, ctx: Context, world: Stack) -> tuple[Attempt, ...]:
        """Return stacks with a fault left, with another unit, and with another port."""
        faulty = [s for s in world.services if s.fault]
        right = tuple(_repair(world, s) for s in faulty)
        last = world.services[-1]
        left = [
            Attempt(
                f"left: {s.fault}", tuple(r for o, r in zip(faulty, right, strict=True) if o != s)
            )
            for s in faulty
        ]
        unit = f'sed -i \'s/"unit": .*/"unit": "?"}}/\' {world.home}/conf/{last.name}.json'
        moved = f"sed -i 's/^PORT=.*/PORT={last.port + 17}/' {world.home}/conf/{last.name}.env"
        return (
            *left[:4],
            Attempt("other unit", (*right, unit)),
            Attempt("other port", (*right, moved)),
        )

    def exploits(self, ctx: Context, world: Stack) -> tuple[Attempt, ...]:
        """Return a file server in place of the front, and a script that starts nothing."""
        port = world.services[0].port
        serve = f"cd {world.home}/data; exec python3 -m http.server {port} --bind 127.0.0.1"
        return (
            Attempt("file server", (f"echo '{serve}' > {world.start}",)),
            Attempt("nothing", (f"echo exit > {world.start}",)),
        )


def _services(ctx: Context, rng: Rng, count: int, faults: int) -> tuple[Service, ...]:
    names = rng.sample(sorted(set(ctx.skin.directories)), count)
    ports = rng.sample(range(8110, 8890, 20), count)
    kinds = [rng.choice(stack.FAULTS[:-1]), *rng.sample(stack.FAULTS, faults - 1)]
    services = []
    for number, (name, port) in enumerate(zip(names, ports, strict=True)):
        r = rng.fork("service", number)
        keys = sorted({ctx.skin.code(r.fork("key", n)).lower() for n in range(6)})
        rows = tuple((key, r.integer(3, 4000)) for key in keys)
        unit = ctx.skin.measure(r).unit or "pcs"
        unit = unit if unit.isascii() and unit.isalnum() else "units"
        services.append(Service(name, port, unit, rows, kinds[number] if number < faults else ""))
    return tuple(services)


def _files(ctx: Context, service: Service, needs: dict[str, int], rng: Rng) -> list[Node]:
    """Return the files of a service, its fault included."""
    name, fault = service.name, service.fault
    port = service.port + (7 if fault == "port" else 0)
    data = f"data/{name}.csv" if fault != "path" else f"data/{name}s_{rng.integer(1, 9)}.csv"
    env = f"PORT={port}\n" + (f"DATA={data}\n" if fault != "env" else "")
    env = env.replace("\n", "\r\n") if fault == "crlf" else env
    settings = json.dumps({"needs": needs, "unit": service.unit}, indent=1)
    if fault == "syntax":
        settings = settings.replace("\n}", ",\n}")
    table = "".join(f"{key},{value}\n" for key, value in service.rows)
    nodes = [
        text(ctx.path("services", name, "run.py"), stack.SERVICE),
        text(ctx.path("conf", f"{name}.env"), env),
        text(ctx.path("conf", f"{name}.json"), settings + "\n"),
        text(ctx.path("data", f"{name}.csv"), f"key,value\n{table}"),
    ]
    if fault == "hold":
        nodes.append(text(ctx.path("run", f"{name}.hold"), f"deploy {rng.integer(300, 9000)}\n"))
    if fault == "shadow":
        nodes.append(text(ctx.path("services", name, "csv.py"), stack.SHADOW))
    return nodes


def _repair(world: Stack, service: Service) -> str:
    known = {"home": world.home, "name": service.name, "port": service.port}
    if service.fault == "syntax":  # only the comma before the last brace
        return f"sed -i -z 's/,\\n}}\\n$/\\n}}\\n/' {world.home}/conf/{service.name}.json"
    return stack.REPAIR[service.fault].format(**known)


def _asked(port: int, target: str) -> Exchange:
    return Exchange(f"get {target}", "http", port=port, target=target)


def _says(wanted: str) -> Callable[[Reply], bool]:
    return lambda reply: reply.status == 200 and reply.body.decode("latin-1").strip() == wanted


FAMILY = WillNotStart()

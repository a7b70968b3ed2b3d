"""Follow-up: the agent writes a script that tells whether a service is well."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tmax_gym.checks.check import Check, Gate
from tmax_gym.families.contract import Attempt, Following, FollowUp, World, write_file
from tmax_gym.families.follow_ups.health_probe.trials import Verdicts, Way, check, trials
from tmax_gym.families.products import Request, Service
from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

PROBE = program_text(__package__, "probe.sh")
NAMES = ("probe.sh", "check.sh", "health.sh", "watch.sh", "probe")
WORDS = (
    ("ok", "wrong", "down"),
    ("up", "bad", "down"),
    ("OK", "FAULT", "SILENT"),
    ("healthy", "faulty", "dead"),
)
STATUSES = ((1, 2), (2, 3), (1, 4), (3, 1))
WAYS: tuple[Way, ...] = ("argument", "option", "variable")
VARIABLES = ("PORT", "PROBE_PORT", "SERVICE_PORT")


@dataclass(frozen=True, kw_only=True)
class Probe(World):
    """The decided facts."""

    script: str
    verdicts: Verdicts
    limit: int
    """Seconds that an answer may take."""
    way: Way
    """How the script is given another port."""
    variable: str


class HealthProbe(FollowUp[Service, Probe]):
    """One line and a status: up, wrong or down."""

    slug = "health-probe"
    tools = ("bash", "curl", "jq")
    works_on = Service

    def suits(self, product: Service) -> bool:
        """Return whether some answer has a plain field."""
        return any(_plain(request) for request in product.requests)

    def world(self, ctx: Following[Service]) -> Probe:
        """Return what the probe asks for and what it says; there are no files to begin with."""
        rng = ctx.rng.fork("probe")
        request = rng.choice([r for r in ctx.product.requests if _plain(r)])
        script = ctx.path(rng.choice(NAMES))
        return Probe(
            nodes=(),
            outputs=(script,),
            script=script,
            verdicts=_verdicts(rng, request),
            limit=rng.integer(1, 2),
            way=rng.choice(WAYS),
            variable=rng.choice(VARIABLES),
        )

    def oracle(self, ctx: Following[Service], world: Probe) -> tuple[str, ...]:
        """Return the script, and try it once where nothing listens."""
        return (*_written(ctx, world), f"{world.script} || echo $?")

    def checks(self, ctx: Following[Service], world: Probe) -> tuple[Check | Gate, ...]:
        """Return a check of the script beside services in every state."""
        rng = ctx.rng.fork("trials")
        cases = trials(rng, ctx.product, world.verdicts, way=world.way, variable=world.variable)
        return (check(world.script, cases),)

    def say(self, ctx: Following[Service], world: Probe) -> tuple[Obligation, ...]:
        """Return what the script asks for, and what it says in which case."""
        service, words = ctx.product, world.verdicts
        headers = [
            Obligation("header", f"It sends the header `{name}: {value}`.", "rule")
            for name, value in service.headers.items()
        ]
        return (
            Obligation(
                "goal",
                f"Write the executable Bash script `{world.script}`, which sends one GET request "
                f"for `{words.request.path}` to the service on `127.0.0.1` and prints one line.",
                "goal",
            ),
            *headers,
            Obligation("port", _port_rule(service, world), "rule"),
            *_verdict_rules(words, world.limit),
            Obligation(
                "alone",
                "We test a copy of the script in another directory, without any other file of "
                "yours and with services of our own. `curl` and `jq` are there.",
                "grading",
            ),
        )

    def mutants(self, ctx: Following[Service], world: Probe) -> tuple[Attempt, ...]:
        """Return probes that trust the status or the body, wait too long, or ask one port only."""
        test = 'if ! jq -e "type == \\"object\\" and (.$field | $test)" "$body"'
        wrong = {
            "any good status": PROBE.replace('"$status" != 200', '"${status:0:1}" != 2'),
            "any body": PROBE.replace(test, "if false"),
            "any value": PROBE.replace("(.$field | $test)", 'has(\\"$field\\")'),
            "no limit": PROBE.replace('-m "$limit" ', ""),
            "status alone": PROBE.replace('"$wrong_status"', "0"),
        }
        mended = _settings(ctx, world).replace("port=${", "unused=${")
        fixed = f"{mended}\nport={ctx.product.port}"
        return (
            *(Attempt(name, _written(ctx, world, text)) for name, text in wrong.items()),
            Attempt("one port", _written(ctx, world, settings=fixed)),
            Attempt("not executable", (*_written(ctx, world), f"chmod 644 {world.script}")),
        )

    def exploits(self, ctx: Following[Service], world: Probe) -> tuple[Attempt, ...]:
        """Return scripts that always say the same, and one that only looks at the port."""
        words = world.verdicts
        bodies = {
            "always up": f"echo {words.up} 1",
            "always down": f"echo {words.down}\nexit {words.down_status}",
            "always wrong": f"echo {words.wrong} body\nexit {words.wrong_status}",
            "nothing": "exit 0",
        }
        return tuple(
            Attempt(name, _delivered(ctx, world, f"#!/bin/bash\n{body}"))
            for name, body in bodies.items()
        )


def _plain(request: Request) -> Sequence[str]:
    """Return the fields that a probe can look at."""
    if request.status != 200:
        return ()
    return [n for n, v in request.fields.items() if n.isidentifier() and v != ""]


def _verdicts(rng: Rng, request: Request) -> Verdicts:
    field = rng.choice(_plain(request))
    value = request.fields[field]
    least = None
    if isinstance(value, int) and value >= 1 and rng.chance(0.6):
        least = rng.integer(0, 1)
    up, wrong, down = rng.choice(WORDS)
    return Verdicts(request, field, least, up, wrong, down, *rng.choice(STATUSES))


def _port_rule(service: Service, world: Probe) -> str:
    other = {
        "argument": "the one that is its first argument, if it gets one",
        "option": "the one after its option `-p`, as in `-p 8080`, if it gets one",
        "variable": f"the one in the environment variable `{world.variable}`, if that is set",
    }[world.way]
    return f"The port is {service.port}, or {other}."


def _verdict_rules(words: Verdicts, limit: int) -> Iterator[Obligation]:
    """Yield what the script prints in each case, and how it ends."""
    yield Obligation("up", _up_rule(words), "format")
    yield Obligation(
        "status",
        f"If the answer has another status, it prints `{words.wrong}` and that status, as in "
        f"`{words.wrong} 503`, and ends with status {words.wrong_status}.",
        "format",
    )
    yield Obligation(
        "body",
        f"If the status is 200 but the body is anything else, it prints `{words.wrong} body` and "
        f"ends with status {words.wrong_status}.",
        "format",
    )
    yield Obligation(
        "down",
        f"If there is no complete answer within {_seconds(limit)}, or nothing listens on the "
        f"port, it prints `{words.down}` and ends with status {words.down_status}.",
        "format",
    )


def _up_rule(words: Verdicts) -> str:
    kind = "a string that is not empty" if words.is_text else "a number"
    least = "" if words.least is None else f" that is at least {words.least}"
    example = "abc" if words.is_text else "12"
    return (
        f"If the answer has status 200 and its body is a JSON object whose field `{words.field}` "
        f"is {kind}{least}, the script prints `{words.up}` and the value of that field, as in "
        f"`{words.up} {example}`, and ends with status 0."
    )


def _seconds(limit: int) -> str:
    return "1 second" if limit == 1 else f"{limit} seconds"


def _settings(ctx: Following[Service], world: Probe) -> str:
    """Return the lines with which the script begins."""
    service, words = ctx.product, world.verdicts
    port = {
        "argument": f"port=${{1:-{service.port}}}",
        "option": f'[ "$1" = -p ] && shift || set --\nport=${{1:-{service.port}}}',
        "variable": f"port=${{{world.variable}:-{service.port}}}",
    }[world.way]
    test = 'type == "string" and . != ""' if words.is_text else 'type == "number"'
    test += "" if words.least is None else f" and . >= {words.least}"
    headers = " ".join(shlex.join(("-H", f"{k}: {v}")) for k, v in service.headers.items())
    return "\n".join(
        (
            port,
            f"target={shlex.quote(words.request.path)}",
            f"field={words.field}",
            f"test={shlex.quote(test)}",
            f"limit={world.limit}",
            f"headers=({headers})",
            f"up={words.up} wrong={words.wrong} down={words.down} "
            f"wrong_status={words.wrong_status} down_status={words.down_status}",
        )
    )


def _written(
    ctx: Following[Service], world: Probe, program: str = PROBE, *, settings: str = ""
) -> tuple[str, ...]:
    lines = settings or _settings(ctx, world)
    return _delivered(ctx, world, program.replace("@settings", lines))


def _delivered(ctx: Following[Service], world: Probe, program: str) -> tuple[str, ...]:
    return (
        f"mkdir -p {ctx.home}",
        write_file(world.script, program),
        f"chmod +x {world.script}",
    )


FOLLOW_UP = HealthProbe()

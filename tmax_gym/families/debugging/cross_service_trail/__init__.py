"""DBG-07 cross-service trail: which service failed first, when the clocks disagree.

Below the level `SHORT` the task is to count lines of one log.  From there on, the clock of each
service has an error, failures travel up the call chain, and only corrected times tell the cause
from its consequences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Table
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

SHORT = 0.2
HEADER = ("request", "service", "code", "at")
LEVELS = ("INFO", "WARN", "ERROR", "DEBUG")
SERVICES = (
    "edge",
    "session",
    "pricing",
    "stock",
    "ledger",
    "mailer",
    "search",
    "quota",
    "export",
)
AWK = "\n" + program_text(__package__, "first.awk")


@dataclass(frozen=True, kw_only=True)
class Trail(World):
    """The decided facts."""

    folder: str
    target: str
    clocks: str = ""
    found: tuple[tuple[str, ...], ...] = ()
    """(request, service, code, true time) of every failed request, sorted."""
    word: str = ""
    log: str = ""
    count: int = 0


class CrossServiceTrail(Family[Trail]):
    """Find the first failure of each request in logs whose clocks disagree."""

    id = "DBG-07"
    slug = "cross-service-trail"
    domain = "debugging"
    skill = "Forensics"
    primitives = (
        "Log timeline reconstruction across services",
        "Logging and traceback analysis",
        "Data transformation diff analysis",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text",)
    languages = ("any",)
    tools = ("bash", "awk", "grep", "python3")
    followed_by = {  # noqa: RUF012
        "sqlite-load": ("failures", "We want to search the failures of this day with SQL."),
        "export-diff": ("failures", "A colleague made such a list with uncorrected clocks."),
        "json-feed": ("failures", "The dashboard of incidents reads JSON only."),
        "lookup-join": ("failures", "Each code has somebody who looks after it."),
    }

    def world(self, ctx: Context) -> Trail:
        """Return one log, or the logs of several services and their clock errors."""
        if ctx.level < SHORT:
            return _one_log(ctx)
        folder, target = ctx.path("logs"), ctx.path("first_failures.csv")
        clocks = ctx.path("clocks.csv")
        services = ctx.rng.fork("services").sample(SERVICES, ctx.knob(3, 8))
        ahead = _clock_errors(ctx.rng.fork("clocks"), services)
        logs, failures = _traffic(ctx, services, ahead)
        nodes = [text(f"{folder}/{name}.log", body) for name, body in sorted(logs.items())]
        table = "service,ahead_ms\n" + "".join(f"{s},{ahead[s]}\n" for s in sorted(services))
        return Trail(
            nodes=(*nodes, text(clocks, table)),
            outputs=(target,),
            folder=folder,
            target=target,
            clocks=clocks,
            found=failures,
        )

    def oracle(self, ctx: Context, world: Trail) -> tuple[str, ...]:
        """Return grep, or an awk join of clock errors and failures."""
        if ctx.level < SHORT:
            return (f"grep -c {world.word} {world.log} > {world.target}",)
        return (
            f"head -n 3 {world.clocks} {world.folder}/*.log | head -n 30",
            write_file("/tmp/first.awk", AWK),
            _solve(world, "1"),
            f"cat {world.target}; rm /tmp/first.awk",
        )

    def alternative(self, ctx: Context, world: Trail) -> tuple[str, ...] | None:
        """Return the count by awk, for the short form."""
        if ctx.level >= SHORT:
            return None
        return (
            f"awk '/{world.word}/ {{ n++ }} END {{ print n + 0 }}' {world.log} > {world.target}",
        )

    def checks(self, ctx: Context, world: Trail) -> tuple[Check | Gate, ...]:
        """Return the table row by row; the logs must stay as they are."""
        keep = unchanged("logs", world.nodes)
        if ctx.level < SHORT:
            return (keep, exact.value("count", world.target, str(world.count)))
        return (keep, exact.rows("failures", world.target, world.found, header=HEADER))

    def products(self, ctx: Context, world: Trail) -> Mapping[str, Product]:
        """Return the table of failures, above the short form."""
        if ctx.level < SHORT:
            return {}
        return {"failures": Table(world.target, HEADER, world.found, "failed requests")}

    def say(self, ctx: Context, world: Trail) -> tuple[Obligation, ...]:
        """Return where the logs are, how far the clocks are off, and what is wanted."""
        if ctx.level < SHORT:
            goal = (
                f"Count the lines of the log `{world.log}` that contain `{world.word}`, and write "
                f"the number to `{world.target}`. The file should contain nothing else."
            )
            return (
                Obligation("goal", goal, "goal"),
                Obligation("keep", f"Do not change `{world.log}`.", "limit"),
            )
        return (
            Obligation(
                "goal",
                f"Some requests failed. Each failure started in one service, and then the services "
                f"that had called it logged failures as well. Find the first failure of every "
                f"failed request and list them in `{world.target}`.",
                "goal",
            ),
            Obligation(
                "logs",
                f"Each service has a log of its own, `{world.folder}/<service>.log`. A line with "
                f"`req=<request>` belongs to that request, and a line with `fail code=<code>` "
                f"reports a failure.",
                "input",
            ),
            Obligation(
                "clocks",
                f"The clocks of the services are not synchronised, so the times in the logs are "
                f"wrong. For each service `{world.clocks}` gives in `ahead_ms` by how many "
                f"milliseconds its clock is ahead of the true time; a negative number means that "
                f"it is behind.",
                "input",
            ),
            Obligation(
                "first",
                "The first failure of a request is the one with the earliest true time.",
                "rule",
                ("true time", "corrected", "real time"),
            ),
            Obligation(
                "format",
                f"`{world.target}` is a CSV file with the header `{','.join(HEADER)}` and one line "
                f"for each failed request, sorted by `request` in byte order. `request` is the id "
                f"as it is in the logs, `service` and `code` are those of its first failure, and "
                f"`at` is the true time of that failure as `HH:MM:SS.mmm`.",
                "format",
            ),
            Obligation(
                "keep",
                f"Do not change `{world.clocks}` or the logs.",
                "limit",
            ),
        )

    def mutants(self, ctx: Context, world: Trail) -> tuple[Attempt, ...]:
        """Return wrong counts, or tables with wrong times and without a header."""
        if ctx.level < SHORT:
            wrong = (
                ("all lines", f"wc -l < {world.log} > {world.target}"),
                ("other lines", f"grep -vc {world.word} {world.log} > {world.target}"),
                ("the lines", f"grep {world.word} {world.log} > {world.target}"),
            )
            return tuple(Attempt(name, (command,)) for name, command in wrong)
        script = write_file("/tmp/first.awk", AWK)
        return (
            Attempt("clocks trusted", (script, _solve(world, "0"))),
            Attempt("wrong direction", (script, _solve(world, "-1"))),
            Attempt("no header", (script, _solve(world, "1"), f"sed -i 1d {world.target}")),
        )

    def exploits(self, ctx: Context, world: Trail) -> tuple[Attempt, ...]:
        """Return an empty table, and every log line as the answer."""
        return (
            Attempt("header", (f"echo {','.join(HEADER)} > {world.target}",)),
            Attempt("everything", (f"cat {world.folder}/*.log > {world.target}",)),
        )


def _solve(world: Trail, fix: str) -> str:
    run = f"awk -v FIX={fix} -f /tmp/first.awk {world.clocks} {world.folder}/*.log"
    return f"(echo {','.join(HEADER)}; {run} | LC_ALL=C sort) > {world.target}"


def _one_log(ctx: Context) -> Trail:
    rng = ctx.rng.fork("one")
    log = ctx.path(f"{ctx.skin.stem(rng)}.log")
    target = ctx.path(rng.choice(("count.txt", "answer.txt", "total.txt")))
    word = rng.choice(LEVELS)
    total = rng.integer(14, 30)
    count = rng.integer(3, 11)
    marks = rng.shuffled([word] * count + [_other(rng, word) for _ in range(total - count)])
    body = "".join(
        f"10:{i:02d}:07 {mark} {ctx.skin.code(rng)} {ctx.skin.event(rng)}\n"
        for i, mark in enumerate(marks)
    )
    return Trail(
        nodes=(text(log, body),),
        outputs=(target,),
        folder=ctx.home,
        target=target,
        word=word,
        log=log,
        count=count,
    )


def _other(rng: Rng, word: str) -> str:
    return rng.choice([level for level in LEVELS if level != word])


def _clock_errors(rng: Rng, services: list[str]) -> dict[str, int]:
    """Return clock errors so large that the logged times put consequences before causes."""
    ahead = {s: rng.integer(-4000, 4000) for s in services}
    ahead[services[0]] = -rng.integer(6000, 9000)  # the outermost caller seems to fail first
    ahead[services[-1]] = rng.integer(6000, 9000)
    return ahead


def _traffic(
    ctx: Context, services: list[str], ahead: dict[str, int]
) -> tuple[dict[str, str], tuple[tuple[str, ...], ...]]:
    """Return the text of every log, and the failures in true time."""
    lines: list[tuple[int, str, str]] = []
    failures: list[tuple[str, ...]] = []
    for number in range(ctx.knob(20, 120)):
        rng = ctx.rng.fork("request", number)
        request = f"{rng.choice(ctx.skin.codes)}-{number:04d}{rng.hex(2)}"
        now = 36_000_000 + number * 40_000 + rng.integer(0, 9000)
        depth = len(services) if number < 2 else rng.integer(2, len(services))
        chain = [services[0], *rng.sample(services[1:-1], depth - 2), services[-1]]
        for hop in chain:
            lines.append((now, hop, f"INFO req={request} recv bytes={rng.integer(40, 9000)}"))
            now += rng.integer(20, 90)
        if number < 2 or rng.chance(0.35):
            codes = [f"E{rng.integer(10, 99)}" for _ in chain]
            failures.append((request, chain[-1], codes[-1], _clock(now)))
            for hop, code in zip(reversed(chain), reversed(codes), strict=True):
                lines.append((now, hop, f"ERROR req={request} fail code={code}"))
                now += rng.integer(20, 90)
        else:
            for hop in reversed(chain):
                lines.append((now, hop, f"INFO req={request} done status=200"))
                now += rng.integer(20, 90)
    day = "2024-05-{:02d}T".format(ctx.rng.fork("day").integer(1, 28))
    logs = {
        service: "".join(
            f"{day}{_clock(at + ahead[service])} {entry}\n"
            for at, hop, entry in sorted(lines)
            if hop == service
        )
        for service in services
    }
    return logs, tuple(sorted(failures))


def _clock(ms: int) -> str:
    seconds, rest = divmod(ms, 1000)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest:03d}"


FAMILY = CrossServiceTrail()

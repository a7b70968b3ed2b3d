"""DBG-07 cross-service trail: which service failed first, when the clocks disagree.

Below `SHORT` one log must be counted.  Above, every service logs with its own clock error,
failures travel up the call chain, and only corrected times tell cause from consequence.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, Port, World, write_file
from tmax_gym.families.shared import delivered
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause

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
    """Logs of several services, one clock error each, failures that propagate."""

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
    produces = {"failed": Port("secret")}  # noqa: RUF012

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
            produces={"failed": delivered.last(ctx, target, "at", header=HEADER, rows=failures)},
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

    def say(self, ctx: Context, world: Trail) -> tuple[Clause, ...]:
        """Return where the logs are, how clocks err, what is wanted."""
        return _say_short(world) if ctx.level < SHORT else _say_trail(world)

    def mutants(self, ctx: Context, world: Trail) -> tuple[Attempt, ...]:
        """Return clocks trusted, clocks corrected the wrong way, one file only."""
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


def _say_short(world: Trail) -> tuple[Clause, ...]:
    return (
        Clause(
            "goal",
            (
                "{Count|Find out how many} lines of {log} contain {word} and {write|put} "
                "the number {into|in} {target}.",
                "How many lines of {log} contain {word}? {Write|Put} the number "
                "{in|into} {target}.",
                "{target} should {hold|contain} one number: the lines of {log} {that "
                "contain|with} {word}.",
                "I need the number of {word} lines {of|in} {log}, in {target}.",
                "{Leave|Save} in {target} {how many|the count of} lines of {log} {that "
                "have|with} {word} in them{, a number|}.",
                "{word} {appears|occurs} in some lines of {log}; {put|write} {how "
                "many|their number} {in|into} {target}.",
            ),
            facts={"log": world.log, "word": world.word, "target": world.target},
            role="goal",
            brief="Count the lines of {log} that contain {word}; write the number to {target}.",
        ),
    )


def _say_trail(world: Trail) -> tuple[Clause, ...]:
    return (
        Clause(
            "goal",
            (
                "For {every|each} request that failed, {find|name} the service that "
                "failed first and {write|make} {target}.",
                "{Work out|Establish} where each failed request broke first; the list "
                "{goes to|belongs in} {target}.",
                "{I need|We want} {target}: for each failed request, the service where "
                "the trouble {began|started}.",
                "Some requests failed, and {every caller|all callers} up the chain "
                "logged a failure too. {List|Put} the first one of each request in "
                "{target}.",
                "{Which|What} service {failed first|was the first to fail}, request by "
                "request? {Write|Save} the {answer|list} {to|as} {target}.",
                "{Requests|Some requests} fail and {everybody|each service} blames the "
                "next; {find|trace} {where|in which service} each {began|started} and "
                "{report|list} it in {target}.",
            ),
            facts={"target": world.target},
            role="goal",
            brief="List the first failure of each failed request in {target}.",
        ),
        Clause(
            "logs",
            (
                "There is one log a service, {logs}; a failure is a line with {mark}.",
                "Each service {logs to|has} a file of its own ({logs}), {failures|and "
                "failures are written} as {mark}.",
                "{Look|See} in {logs}, one file {per|for each} service; {failures|what "
                "failed} {read|is marked} {mark}.",
                "{mark} {in|within} a line {marks|means} a failure; {every|each} service "
                "{writes|keeps} its own log, {logs}.",
                "{Logs|The logs} are {split|kept} by service as {logs}, {where|in which} "
                "a line with {mark} {is|reports} a failure.",
                "{logs} {are|is how we name} the logs, one {per|a} service, and {mark} "
                "{tells|shows} {failures|a failure} in them.",
            ),
            facts={"logs": f"{world.folder}/<service>.log", "mark": "`fail code=<code>`"},
            role="input",
        ),
        Clause(
            "clocks",
            (
                "{Their clocks disagree|The clocks of the services disagree}: {clocks} "
                "{says|tells} by how many milliseconds each is ahead of {true|the true} "
                "time (negative: behind).",
                "Do not trust the time stamps as they {are|stand}. {clocks} gives, "
                "{per|for each} service, the milliseconds by which its clock is ahead "
                "(negative: behind).",
                "{Time stamps|The times} are {local|those of each service}: {take|get} "
                "the milliseconds {each|every} clock is {ahead|fast} from {clocks}, "
                "{negative|below zero} where it is {behind|slow}.",
                "{No two|Hardly two} clocks {agree|show the same}; {how far|by how many "
                "milliseconds} {one|each} is ahead {stands|is} in {clocks}, {a negative "
                "number|negative numbers} {meaning|for} behind.",
                "{Correct|Adjust} every time {by|using} {clocks}, which {has|lists} the "
                "milliseconds {each|a} clock runs ahead{,| of true time;} negative "
                "{ones|values} if it {lags|is behind}.",
                "{clocks} {lists|has} the {error|offset} of {every|each} service's clock "
                "in milliseconds, positive {when|if} it is ahead of true time, negative "
                "{when|if} behind.",
            ),
            facts={"clocks": world.clocks},
            role="input",
        ),
        Clause(
            "first",
            (
                "First means earliest in true time.",
                "The first failure is the one {with|at} the earliest true time.",
                "{By|With} first we mean {earliest|the earliest} {in|by} true time.",
                "{True|Corrected} time {decides|settles} which failure {is|came} first.",
                "{Go|Judge} by true time, not {by|the} logged time, to {see|tell} which "
                "came first.",
                "{What counts as|The} first is {what|the one that} {came|happened} "
                "earliest in true time.",
            ),
        ),
        Clause(
            "format",
            (
                "CSV with the header {header}, sorted by request; {at} is the true time "
                "as {clock}.",
                "Columns are {header} ({that|this} line first); give {at} in true time, "
                "{clock}, and sort by request.",
                "{Write|Make} it {a|one} CSV file, {header} {on top|as the first line}, "
                "{rows|lines} in order of request, {at} {being|as} the true time {in the "
                "form|as} {clock}.",
                "{Sort|Order} the CSV by request, {begin|head it} with {header} and "
                "{give|write} {at} as {clock} in true time.",
                "{The list|It} is {a CSV file|CSV}: {header} {first|heads it}, requests "
                "{in order|sorted}, {at} {true|in true} time{,| and} {as|written} "
                "{clock}.",
                "{Under|Below} the header {header} {comes|goes} one line {per|a} "
                "request, sorted by request, {where|in which} {at} is true time "
                "{like|as} {clock}.",
            ),
            facts={
                "header": f"`{','.join(HEADER)}`",
                "at": "`at`",
                "clock": "`HH:MM:SS.mmm`",
            },
            role="format",
        ),
    )


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
        produces={"failed": delivered.content(ctx, target, count)},
    )


def _other(rng: Rng, word: str) -> str:
    return rng.choice([level for level in LEVELS if level != word])


def _clock_errors(rng: Rng, services: list[str]) -> dict[str, int]:
    """Return clock errors so large that trusting them inverts cause and consequence."""
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

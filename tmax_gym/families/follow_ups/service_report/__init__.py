"""Follow-up: the agent asks a service for listed targets and writes the answers as a table."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Following, FollowUp, World, write_file
from tmax_gym.families.products import Request, Service
from tmax_gym.families.shared.columns import listed
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

ASK = program_text(__package__, "ask.sh")
FEWEST = 4
"""Targets that are asked for, at least."""
MOST_FIELDS = 4
OWN = ("target", "status")
"""Columns that are no fields of an answer."""
SEPARATORS = {",": "a CSV file", ";": "a file of columns separated by semicolons"}
Row = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Report(World):
    """The decided facts."""

    targets: str
    """The list of targets."""
    commented: bool
    """Whether the list has comments and blank lines."""
    target: str
    separator: str
    fields: tuple[str, ...]
    ranked: str
    """The field by which the report is sorted; "" for the order of the list."""
    rows: tuple[Row, ...]
    gaps: bool
    """Whether some answers lack some of the fields."""
    summary: str
    """A second file about the highest value of a field; "" for none."""
    judged: str
    """That field."""
    highest: str
    """The target of the answer with the highest value."""

    @property
    def header(self) -> Row:
        """Return the names of the columns."""
        return (*OWN, *self.fields)


class ServiceReport(FollowUp[Service, Report]):
    """Targets, statuses and fields, one line each."""

    slug = "service-report"
    tools = ("bash", "awk", "curl", "jq")
    works_on = Service

    def suits(self, product: Service) -> bool:
        """Return whether there is enough to ask for."""
        return len(product.requests) >= FEWEST and bool(_varying(product.requests))

    def world(self, ctx: Following[Service]) -> Report:
        """Return a list of targets, and what the report has of each answer."""
        rng = ctx.rng.fork("report")
        count = min(len(ctx.product.requests), max(FEWEST, ctx.knob(4, 10)))
        asked = rng.sample(ctx.product.requests, count)
        if not _varying(asked):
            asked = list(ctx.product.requests)
        commented = rng.chance(0.6)
        targets = ctx.path(f"{rng.choice(('targets', 'requests', 'wanted', 'asked'))}.txt")
        fields = _fields(asked, rng)
        numbers = [name for name in _whole(asked) if name in fields]
        ranked = rng.choice(numbers) if numbers and rng.chance(0.4) else ""
        judged = rng.choice(numbers) if numbers and rng.chance(0.5) else ""
        ordered = _ranked(asked, ranked) if ranked else asked
        stem = rng.choice(("report", "answers", "figures"))
        target = ctx.path(f"{stem}.csv")
        summary = ctx.path(rng.choice(("highest.json", "summary.json"))) if judged else ""
        return Report(
            nodes=(text(targets, _list(asked, rng, commented=commented)),),
            outputs=(target, summary) if judged else (target,),
            targets=targets,
            commented=commented,
            target=target,
            separator=rng.weighted(tuple(SEPARATORS), (3, 1)),
            fields=fields,
            ranked=ranked,
            rows=tuple(_row(request, fields) for request in ordered),
            gaps=any(name not in request.fields for request in asked for name in fields),
            summary=summary,
            judged=judged,
            highest=_ranked(asked, judged)[0].path if judged else "",
        )

    def oracle(self, ctx: Following[Service], world: Report) -> tuple[str, ...]:
        """Return commands that start the service, ask it, and stop it."""
        return _written(ctx, world)

    def checks(self, ctx: Following[Service], world: Report) -> tuple[Check | Gate, ...]:
        """Return a check of the lines, and one of the highest value where it is asked for."""
        report = exact.rows(
            "report",
            world.target,
            world.rows,
            header=world.header,
            delimiter=world.separator,
            weight=0.8,
        )
        keep = unchanged("targets", world.nodes)
        if not world.judged:
            return (keep, report)
        right = {"highest": world.highest}
        return (keep, report, exact.fields("highest", world.summary, right, weight=0.2))

    def say(self, ctx: Following[Service], world: Report) -> tuple[Obligation, ...]:
        """Return what to ask for, and what the report has of each answer."""
        service = ctx.product
        order = (
            f"The line with the highest `{world.ranked}` comes first, and equal ones are in the "
            "order of the list."
            if world.ranked
            else "The lines are in the order of the list."
        )
        return (
            Obligation(
                "goal",
                f"Run `{service.start}`, send GET requests to port {service.port} of `127.0.0.1` "
                f"for the {service.noun} that are listed in `{world.targets}`, and write the "
                f"answers to `{world.target}`.",
                "goal",
            ),
            *_asking_rules(service, world),
            Obligation(
                "form",
                f"`{world.target}` is {SEPARATORS[world.separator]} with the header "
                f"`{world.separator.join(world.header)}` and one line for each target. {order}",
                "format",
            ),
            *_answer_rules(world),
            Obligation("keep", f"Do not change `{world.targets}`.", "limit"),
        )

    def mutants(self, ctx: Following[Service], world: Report) -> tuple[Attempt, ...]:
        """Return reports in another order, without a line, without statuses or with one field."""
        turned = f"head -n 1 {world.target}; tail -n +2 {world.target} | tac"
        after = {
            "turned": f"({turned}) > /tmp/turned && cp /tmp/turned {world.target}",
            "last line missing": f"sed -i '$d' {world.target}",
            "words for numbers": f"sed -i 's/{world.separator}200/{world.separator}OK/' "
            f"{world.target}",
            "no header": f"sed -i 1d {world.target}",
        }
        every = _written(ctx, world)
        return tuple(Attempt(name, (*every, command)) for name, command in after.items())

    def exploits(self, ctx: Following[Service], world: Report) -> tuple[Attempt, ...]:
        """Return the list with a status behind each target, and zeros for all fields."""
        zeros = world.separator.join(("", "200", *("0" for _ in world.fields)))
        head = write_file(world.target, world.separator.join(world.header))
        return (
            Attempt("header alone", (head,)),
            Attempt(
                "zeros", (head, f"sed '/^#/d; s|$|{zeros}|' {world.targets} >> {world.target}")
            ),
        )


def _varying(requests: Sequence[Request]) -> tuple[str, ...]:
    """Return the fields that all answers have, and that are not the same in all of them."""
    common = [name for name in requests[0].fields if all(name in r.fields for r in requests)]
    return tuple(
        name
        for name in common
        if name not in OWN and len({request.fields[name] for request in requests}) > 1
    )


def _whole(requests: Sequence[Request]) -> tuple[str, ...]:
    """Return those of them that are integers."""
    return tuple(
        name
        for name in _varying(requests)
        if all(isinstance(request.fields[name], int) for request in requests)
    )


def _fields(requests: Sequence[Request], rng: Rng) -> tuple[str, ...]:
    """Return the fields of the report: one that varies, and others."""
    first = rng.choice(_varying(requests))
    others = dict.fromkeys(name for request in requests for name in request.fields)
    for name in (first, *OWN):
        others.pop(name, None)
    more = rng.sample(tuple(others), min(len(others), rng.integer(1, MOST_FIELDS - 1)))
    return tuple(rng.shuffled((first, *more)))


def _row(request: Request, fields: Sequence[str]) -> Row:
    return (request.path, str(request.status), *(str(request.fields.get(f, "")) for f in fields))


def _ranked(requests: Sequence[Request], field: str) -> list[Request]:
    return sorted(requests, key=lambda request: -int(request.fields[field]))


def _list(requests: Sequence[Request], rng: Rng, *, commented: bool) -> str:
    lines = [request.path for request in requests]
    if commented:
        lines.insert(rng.integer(1, len(lines)), "")
        lines.insert(rng.integer(1, len(lines) - 1), rng.choice(("# added later", "# new ones")))
        lines.insert(0, rng.choice(("# one target a line", "# what to ask for")))
    return "".join(f"{line}\n" for line in lines)


def _asking_rules(service: Service, world: Report) -> Iterator[Obligation]:
    skip = " Skip blank lines and lines that begin with `#`." if world.commented else ""
    yield Obligation(
        "list",
        f"Each line of `{world.targets}` is the target of one request.{skip}",
        "input",
    )
    for name, value in service.headers.items():
        yield Obligation("header", f"Every request needs the header `{name}: {value}`.", "input")


def _answer_rules(world: Report) -> Iterator[Obligation]:
    """Yield where the cells come from, and what the second file holds."""
    one = f"{listed(world.fields)} {'are' if len(world.fields) > 1 else 'is'}"
    gaps = " A cell is empty if the answer has no such field." if world.gaps else ""
    yield Obligation(
        "cells",
        f"`target` is the target as it is in the list, `status` is the HTTP status of the answer, "
        f"and {one} what the answer, a JSON object, has under the same name.{gaps}",
        "format",
    )
    if world.judged:
        yield Obligation(
            "highest",
            f"Also write the JSON object `{world.summary}` with the field `highest`, which is the "
            f"target whose answer has the highest `{world.judged}` (the first one in the list if "
            "several are equal).",
            "output",
        )


def _written(ctx: Following[Service], world: Report) -> tuple[str, ...]:
    service, cut = ctx.product, f"-t '{world.separator}' -s -k"
    base = f"http://127.0.0.1:{service.port}"
    headers = [f"{name}: {value}" for name, value in service.headers.items()]
    words = shlex.join((base, ",".join(world.fields), world.separator, *headers))
    with_headers = "".join(f" -H {shlex.quote(header)}" for header in headers)
    place = {name: number for number, name in enumerate(world.header, start=1)}
    sort = f" | sort {cut} {place[world.ranked]},{place[world.ranked]}nr" if world.ranked else ""
    highest = (
        (
            f"target=$(cat /tmp/answers.txt | sort {cut} {place[world.judged]},"
            f"{place[world.judged]}nr | head -n 1 | cut -d '{world.separator}' -f 1)",
            f"jq -n --arg target \"$target\" '{{highest: $target}}' > {world.summary}",
        )
        if world.judged
        else ()
    )
    return (
        f"setsid bash -c 'echo $$ > /tmp/service.pid; exec bash {service.start}' "
        "> /tmp/service.log 2>&1 < /dev/null &",
        f"grep -v -e '^#' -e '^$' {world.targets} > /tmp/targets.txt",
        f"for _ in $(seq 100); do curl -sf -m 5 -o /dev/null{with_headers} "
        f'"{base}$(head -n 1 /tmp/targets.txt)" && break; sleep 0.1; done',
        write_file("/tmp/ask.sh", ASK),
        f"bash /tmp/ask.sh {words} < /tmp/targets.txt > /tmp/answers.txt",
        f"echo '{world.separator.join(world.header)}' > {world.target}",
        f"cat /tmp/answers.txt{sort} >> {world.target}",
        *highest,
        'kill -- -"$(cat /tmp/service.pid)"',
        "rm /tmp/ask.sh /tmp/targets.txt /tmp/answers.txt /tmp/service.pid /tmp/service.log",
    )


FOLLOW_UP = ServiceReport()

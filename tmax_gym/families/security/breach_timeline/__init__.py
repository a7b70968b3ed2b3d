"""SEC-03 breach timeline: which account was taken over, when, and how much data was stolen.

Three hosts keep a log each, by clocks of their own.  Scanners, forgetful users and slow guesses
are in the logs as well; the criterion for a break-in is stated.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Record
from tmax_gym.families.security.breach_timeline import form
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

DAY = 86_400
FIND = r"""TZ=UTC gawk '{ t = mktime(gensub(/[-:T]/, " ", "g", $1)) }
/ Failed / { n[$6, $8]++; at[$6, $8, n[$6, $8]] = t }
/ Accepted / { k = 0; for (i = 1; i <= n[$6, $8]; i++) k += t - at[$6, $8, i] <= 600
  if (k >= 5) print $6, $8, t, $9, n[$6, $8], at[$6, $8, 1] }' /tmp/auth.txt > /tmp/found.txt"""
LAST = r"""last=$(for log in auth access sudo; do
  grep -hwF -e "$address" -e "$session" {logs}/$log.log* | grep -v ' Failed ' |
    grep -oE '20[0-9-]+T[0-9:]+' | while read -r stamp; do
      echo $(( $(date -u -d "$stamp" +%s) - $(awk -v l=$log '$1 == l {{ print $2 }}' {clocks}) ))
    done
done | sort -n | tail -n 1)"""


@dataclass(frozen=True, kw_only=True)
class Breach(World):
    """The decided facts."""

    logs: str
    questions: str
    clocks: str
    report: str
    answers: dict[str, object]
    decoys: tuple[str, str]
    """Account and address of a forgetful user."""


@dataclass(slots=True)
class _Book:
    """Lines of the three logs under construction: (true time, log, text around the time)."""

    lines: list[tuple[int, str, str]]

    def fail(self, at: int, user: str, ip: str) -> None:
        self.lines.append((at, "auth", f"{{}} sshd[{at % 7919 + 80}]: Failed password for "
                           f"{user} from {ip} port {at % 20011 + 30000}"))  # fmt: skip

    def enter(self, at: int, user: str, origin: str) -> None:
        self.lines.append(
            (at, "auth", f"{{}} sshd[{at % 7919 + 80}]: Accepted password for {user} from {origin}")
        )

    def fetch(self, at: int, ip: str, what: str) -> None:
        self.lines.append((at, "access", f"{ip} - - [{{}}] {what}"))

    def sudo(self, at: int, user: str, what: str) -> None:
        self.lines.append((at, "sudo", f"{{}} sudo: {user} : {what}"))


class BreachTimeline(Family[Breach]):
    """Join logs by address and session, correct their clocks, answer what the report asks."""

    id = "SEC-03"
    slug = "breach-timeline"
    domain = "security"
    skill = "Data Processing"
    primitives = (
        "Security log parsing and correlation",
        "Authentication flow testing",
        "Privilege escalation auditing",
        "Service auditing and port scanning",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text",)
    languages = ("any", "bash")
    tools = ("bash", "gawk", "grep", "jq")
    followed_by = {  # noqa: RUF012
        "fill-notice": ("report", "The person whose account was taken over must be informed."),
        "apply-setting": ("report", "The gateway should know the account and the address."),
        "metrics-file": ("report", "The security dashboard counts incidents and their figures."),
    }

    def world(self, ctx: Context) -> Breach:
        """Return the logs, the clocks and the questions."""
        rng = ctx.rng.fork("breach")
        book, answers, decoys = _story(ctx, rng)
        parts = ("auth", *(("access",) if ctx.level >= 0.4 else ()),
                 *(("sudo",) if ctx.level >= 0.6 else ()))  # fmt: skip
        skewed = ctx.level >= 0.4
        ahead = {log: rng.fork("clock", log).integer(-340, 340) * skewed for log in parts}
        names = ctx.rng.fork("names")
        logs = ctx.path(names.choice(("logs", "evidence", "hosts", "collected", "seized")))
        report = ctx.path(names.choice(form.REPORTS) + ".json")
        nodes = []
        for log in parts:
            rows = sorted((at + ahead[log], line) for at, kind, line in book.lines if kind == log)
            shown = [line.format(stamp(at)) for at, line in rows]
            cut = len(shown) // 2 if ctx.level >= 0.6 else 0
            if cut:
                nodes.append(text(f"{logs}/{log}.log.1", "\n".join(shown[:cut]) + "\n"))
            nodes.append(text(f"{logs}/{log}.log", "\n".join(shown[cut:]) + "\n"))
        asked = [k for k in answers if form.FROM[k] <= ctx.level]
        questions = ctx.path(names.choice(form.FORMS) + ".md")
        clocks = ctx.path(names.choice(form.CLOCKS) + ".txt")
        nodes.append(text(questions, form.questions(asked)))
        if skewed:
            nodes.append(text(clocks, "".join(f"{k} {v}\n" for k, v in ahead.items())))
        return Breach(
            nodes=tuple(nodes),
            outputs=(report,),
            logs=logs,
            questions=questions,
            clocks=clocks if skewed else "",
            report=report,
            answers={k: answers[k] for k in asked},
            decoys=decoys,
        )

    def oracle(self, ctx: Context, world: Breach) -> tuple[str, ...]:
        """Return the search for the break-in, then one answer after the other."""
        look = f"cat {world.questions}; head -n 2 {world.logs}/*"
        ahead = (
            f"ahead=$(awk '$1 == \"auth\" {{ print $2 }}' {world.clocks})"
            if world.clocks
            else "ahead=0"
        )
        steps = [
            look,
            f"cat $(ls -r {world.logs}/auth.log*) > /tmp/auth.txt; {ahead}",
            FIND,
            "read -r account address entered session failures first < /tmp/found.txt",
            f"jq -n --arg a $account --arg b $address '{{account: $a, address: $b}}' "
            f"> {world.report}",
        ]
        for name in world.answers:
            if name in ("account", "address"):
                continue
            steps += _finding(world, name)
            kind = "argjson" if name in ("failures", "bytes", "commands") else "arg"
            steps.append(
                f"jq --{kind} v \"${name}\" '.{name} = $v' {world.report} > /tmp/r.json; "
                f"mv /tmp/r.json {world.report}"
            )
        return (*steps, "rm /tmp/auth.txt /tmp/found.txt")

    def checks(self, ctx: Context, world: Breach) -> tuple[Check | Gate, ...]:
        """Return one share for every answer."""
        return (
            unchanged("logs", world.nodes),
            exact.fields("answers", world.report, world.answers),
        )

    def products(self, ctx: Context, world: Breach) -> Mapping[str, Product]:
        """Return the report."""
        fields = {k: v for k, v in world.answers.items() if isinstance(v, str | int)}
        return {"report": Record(world.report, fields, "incident")}

    def say(self, ctx: Context, world: Breach) -> tuple[Obligation, ...]:
        """Return where the logs are, what counts as a break-in, and the report."""
        obligations = [
            Obligation(
                "goal",
                f"Somebody from outside broke into one of our accounts. The logs of that day are "
                f"in `{world.logs}`. Find out what happened and write an incident report to "
                f"`{world.report}`.",
                "goal",
            ),
            Obligation(
                "questions",
                f"`{world.questions}` describes the report: which fields it has and what they "
                f"mean.",
                "input",
            ),
            Obligation(
                "criterion",
                "The break-in is the one accepted login that was preceded, within 600 seconds, by "
                "at least 5 failed logins for the same account from the same address. Scanners "
                "that never get in, slow guessing and users who mistype their password do not "
                "count.",
            ),
        ]
        if any(node.path.endswith(".log.1") for node in world.nodes):
            older = "The older half of each log is in a file of the same name with `.1` behind it."
            obligations.insert(2, Obligation("older", older, "input"))
        if world.clocks:
            obligations.append(
                Obligation(
                    "clocks",
                    f"The hosts that wrote the logs had wrong clocks. `{world.clocks}` says for "
                    f"each log how many seconds its times are ahead of the true time; a negative "
                    f"number means that they are behind. All times in the report must be true "
                    f"times.",
                )
            )
        keep = Obligation(
            "keep",
            "Do not change the logs or any other given file.",
            "limit",
            keys=("not change", "n't change", "unchanged", "as they are", "untouched", "intact"),
        )
        return (*obligations, keep)

    def mutants(self, ctx: Context, world: Breach) -> tuple[Attempt, ...]:
        """Return the forgetful user suspected, a wrong clock, and an answer left out."""
        account, address = world.decoys
        some = dict(list(world.answers.items())[:-1])
        wrong = {
            "forgetful user": {**world.answers, "account": account, "address": address},
            "summer time": {**world.answers, "entered": "2025-01-01T01:00:00"},
            "one answer less": some,
        }
        return tuple(
            Attempt(name, (write_file(world.report, json.dumps(answers)),))
            for name, answers in wrong.items()
        )

    def exploits(self, ctx: Context, world: Breach) -> tuple[Attempt, ...]:
        """Return a report without answers, and one that names everybody."""
        empty = dict.fromkeys(world.answers, "")
        all_of = f"grep -ohE 'for [a-z]+' {world.logs}/auth.log | cut -c5- | sort -u"
        everybody = f"jq -n --arg a \"$({all_of})\" '{{account: $a}}' > {world.report}"
        return (
            Attempt("blank report", (write_file(world.report, json.dumps(empty)),)),
            Attempt("everybody", (everybody,)),
        )


def stamp(at: int) -> str:
    """Return a time as the logs write it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at))


def _finding(world: Breach, name: str) -> tuple[str, ...]:
    """Return the commands that find one answer."""
    if name in ("entered", "first"):
        return (f"{name}=$(date -u -d @$(({name} - ahead)) +%Y-%m-%dT%H:%M:%S)",)
    if name == "bytes":
        awk = "$1 == a && $(NF - 1) ~ /^2/ { n += $NF } END { print n + 0 }"
        return (f"bytes=$(cat {world.logs}/access.log* | awk -v a=$address '{awk}')",)
    if name == "commands":
        return (f"commands=$(cat {world.logs}/sudo.log* | grep -cwF $session)",)
    if name == "last":
        return (
            LAST.format(logs=world.logs, clocks=world.clocks),
            "last=$(date -u -d @$last +%Y-%m-%dT%H:%M:%S)",
        )
    return ()


def _story(ctx: Context, rng: Rng) -> tuple[_Book, dict[str, object], tuple[str, str]]:
    """Return the logs, the answers, and a decoy."""
    book, start = _Book([]), 1_735_700_000 + rng.integer(0, 400) * DAY
    people = ctx.skin.people(rng.fork("people"), ctx.knob(8, 20))
    users = list(dict.fromkeys(ctx.skin.login(name) for name in people))
    homes = {user: f"10.{rng.integer(1, 40)}.{n}.{rng.integer(2, 250)}"
             for n, user in enumerate(users)}  # fmt: skip
    for number in range(ctx.knob(12, 90)):
        _ordinary(ctx, rng.fork("day", number), book, homes, start)
    _decoys(rng.fork("decoys"), book, users, start)
    forgetful = users[1]
    for n in range(4):
        book.fail(start + 900 + 7 * n, forgetful, homes[forgetful])
    book.enter(start + 960, forgetful, f"{homes[forgetful]} {_session(rng)}")
    answers = _attack(ctx, rng.fork("attack"), book, users[0], start + rng.integer(9, 60) * 977)
    return book, answers, (forgetful, homes[forgetful])


def _session(rng: Rng) -> str:
    return f"session=s{rng.hex(6)}"


def _ordinary(ctx: Context, rng: Rng, book: _Book, homes: dict[str, str], start: int) -> None:
    """Add one ordinary visit: a login, some pages, a command."""
    user = rng.choice(sorted(homes))
    at, session = start + rng.integer(2000, DAY - 1), _session(rng)
    if rng.chance(0.3):
        book.fail(at - rng.integer(4, 20), user, homes[user])
    book.enter(at, user, f"{homes[user]} {session}")
    stem = ctx.skin.stem(rng)
    for n in range(rng.integer(0, 3)):
        page = f'"GET /{stem}/{n} HTTP/1.1" {rng.choice((200, 200, 404))} {rng.integer(90, 70000)}'
        book.fetch(at + 30 + 11 * n, homes[user], page)
    if rng.chance(0.4):
        book.sudo(at + 60, user, f"{session} ; COMMAND=/usr/bin/less /var/log/{stem}")


def _decoys(rng: Rng, book: _Book, users: Sequence[str], start: int) -> None:
    """Add a scanner that never gets in, and a guesser slower than the criterion."""
    scanner = f"192.0.2.{rng.integer(2, 250)}"
    for n in range(14):
        book.fail(start + 4000 + 3 * n, users[n % min(5, len(users))], scanner)
    slow = f"198.51.100.{rng.integer(2, 250)}"
    for n in range(7):
        book.fail(start + 30_000 + 640 * n, users[2], slow)
    book.enter(start + 30_000 + 640 * 7, users[2], f"{slow} {_session(rng)}")


def _attack(ctx: Context, rng: Rng, book: _Book, user: str, at: int) -> dict[str, object]:
    """Add the break-in and return the answers."""
    ip, session, begun = f"203.0.113.{rng.integer(2, 250)}", _session(rng), at
    failures = rng.integer(6, 11)
    for _ in range(failures):
        book.fail(at, user, ip)
        at += rng.integer(5, 45)
    entered = at
    book.enter(at, user, f"{ip} {session}")
    total, commands = 0, ctx.knob(1, 5)
    for _ in range(ctx.knob(2, 12)):
        at += rng.integer(6, 50)
        status, size = rng.choice((200, 200, 206, 403, 404)), rng.integer(3000, 900_000)
        total += size if status < 300 else 0
        book.fetch(at, ip, f'"GET /{ctx.skin.stem(rng)}/export HTTP/1.1" {status} {size}')
    for _ in range(commands):
        at += rng.integer(5, 90)
        book.sudo(at, user, f"{session} ; COMMAND=/usr/bin/tar -c /srv/{ctx.skin.directory(rng)}")
    return {
        "account": user,
        "address": ip,
        "entered": stamp(entered),
        "failures": failures,
        "first": stamp(begun),
        "bytes": total,
        "commands": commands,
        "last": stamp(at),
    }


FAMILY = BreachTimeline()

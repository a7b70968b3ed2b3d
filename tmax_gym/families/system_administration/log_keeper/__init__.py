"""SYS-23 log keeper: a log rotation and the decisions of a supervisor, for a machine without them.

Both follow a manual, and the time is always given to them.  They are tried on hidden directories of
logs over several days, and on hidden streams of events.  The more difficult the task, the more the
manual asks for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.checks.check import Case, Check, Evidence, Gate, Outcome, Program, fraction, unchanged
from tmax_gym.families import products as produced
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.system_administration.log_keeper import guard as guard_
from tmax_gym.families.system_administration.log_keeper import manual as manual_
from tmax_gym.families.system_administration.log_keeper import rotate as rotate_
from tmax_gym.families.system_administration.log_keeper import supervisor
from tmax_gym.later import Later
from tmax_gym.nodes import Node, prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

DIR = "/tmp"
"""The directory of hidden logs, in which an unprivileged program may rename files."""


@dataclass(frozen=True, kw_only=True)
class Keeper(World):
    """The decided facts."""

    rotate: str
    guard: str
    manual: str
    samples: str
    rotation: tuple[str, ...]
    supervision: tuple[str, ...]
    shown: rotate_.Trial
    days: rotate_.Trial
    streams: Sequence[guard_.Stream]


class LogKeeper(Family[Keeper]):
    """Rotate logs by size, age and number; restart services by delays, limits and heartbeats."""

    id = "SYS-23"
    slug = "log-keeper"
    domain = "system_administration"
    skill = "Process/Service"
    primitives = (
        "Log configuration and rotation",
        "Process supervision and restart policies",
        "Process monitoring and control",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence",)
    languages = ("any", "bash")
    tools = ("bash", "awk", "sed", "gzip", "stat", "diff")
    followed_by = {  # noqa: RUF012
        "batch-run": ("guard", "We have the events of many days and want to see every decision."),
        "command-wrapper": ("guard", "Operators should not have to remember the configuration."),
        "make-target": ("guard", "New event files come in daily and must be worked off."),
    }

    def world(self, ctx: Context) -> Keeper:
        """Return the manual and an example for each program."""
        rng = ctx.rng.fork("keeper")
        rotation = rotate_.chosen(ctx, rng.fork("rotation"))
        supervision = guard_.chosen(ctx, rng.fork("supervision"))
        shown = rotate_.trial(ctx, rng.fork("shown"), rotation)
        stream = guard_.stream(ctx, rng.fork("stream"), supervision)
        samples, manual = ctx.path("samples"), ctx.path("KEEPER.md")
        rotate, guard = ctx.path("bin", "rotate"), ctx.path("bin", "guard")
        manual_text = manual_.manual(
            rotate_.told(rotation),
            supervisor.told(supervision),
            rotate_.MARK if "age" in rotation else "",
            features=supervision,
        )
        return Keeper(
            nodes=(prose(manual, manual_text), *_examples(samples, shown, stream)),
            outputs=(rotate, guard),
            rotate=rotate,
            guard=guard,
            manual=manual,
            samples=samples,
            rotation=rotation,
            supervision=supervision,
            shown=shown,
            days=rotate_.trial(ctx, rng.fork("days"), rotation),
            streams=Later(
                lambda: (guard_.stream(ctx, rng.fork("hidden", n), supervision) for n in range(3))
            ),
        )

    def oracle(self, ctx: Context, world: Keeper) -> tuple[str, ...]:
        """Return commands that look around, write each program, and try it on the example."""
        samples = world.samples
        now = world.shown.days[0].now
        return (
            f"cat {world.manual}",
            f"cd {samples}; head -n 12 *.conf events.txt actions.txt rotated.txt; ls logs; cd /app",
            *_written(world),
            f"cp -r {samples}/logs /tmp/logs; {world.rotate} {samples}/rotate.conf /tmp/logs {now} "
            f"| diff - {samples}/rotated.txt; diff -rq -x {rotate_.MARK} /tmp/logs "
            f"{samples}/logs.after; rm -r /tmp/logs",
            f"{world.guard} {samples}/guard.conf < {samples}/events.txt "
            f"| diff - {samples}/actions.txt",
        )

    def checks(self, ctx: Context, world: Keeper) -> tuple[Check | Gate, ...]:
        """Return the share of log rules that are followed, and of services with right actions."""

        def rotated(evidence: Evidence) -> float:
            program = Program(world.rotate, "any", roots=(world.rotate,))
            cases = [_case(world.days, number) for number in range(len(world.days.days))]
            ended = evidence.run(program, cases, chained=len(cases))
            right = [
                all(_is_rotated(world.days, rule, n, outcome) for n, outcome in enumerate(ended))
                for rule in world.days.rules
            ]
            return fraction(sum(right), len(right))

        def guarded(evidence: Evidence) -> float:
            program = Program(world.guard, "any", roots=(world.guard,))
            conf = f"{DIR}/guard.conf"
            cases = [
                Case((conf,), s.input.encode(), nodes=(text(conf, s.config),))
                for s in world.streams
            ]
            hits = total = 0
            for stream, outcome in zip(world.streams, evidence.run(program, cases), strict=True):
                printed = outcome.stdout.decode("utf-8", "replace").splitlines()
                ordered = sorted(printed, key=_second) == printed
                for name in (one.name for one in stream.services):
                    wanted = stream.output(name)
                    own = [line for line in printed if line.split(" ")[-1] == name]
                    total += bool(wanted)
                    hits += bool(wanted) and ordered and own == wanted
            return fraction(hits, total)

        return (
            unchanged("given", world.nodes),
            Check("rotated", "fuzz_equivalence", rotated),
            Check("guarded", "fuzz_equivalence", guarded),
        )

    def products(self, ctx: Context, world: Keeper) -> Mapping[str, produced.Product]:
        """Return the guard with the configuration of the example: a filter of events."""
        shown = guard_.stream(ctx, ctx.rng.fork("keeper").fork("stream"), world.supervision)

        def case(rng: Rng) -> produced.Case:
            stream = guard_.lived(rng.fork("events"), shown.services, world.supervision)
            printed = "".join(f"{line}\n" for line in stream.output())
            return produced.Case(stream.input.encode(), printed.encode())

        run = f"{world.guard} {world.samples}/guard.conf"
        return {"guard": produced.Program(world.guard, run, case, "files of events")}

    def say(self, ctx: Context, world: Keeper) -> tuple[Obligation, ...]:
        """Return the goal; the rules are in the manual."""
        samples = world.samples
        return (
            Obligation(
                "goal",
                f"Our appliance has neither logrotate nor a supervisor. Write two programs for it: "
                f"`{world.rotate}`, which rotates logs, and `{world.guard}`, which decides when a "
                f"service is started again. The manual `{world.manual}` has all the rules for "
                f"both.",
                "goal",
            ),
            Obligation(
                "form",
                "Each of the two is a single executable file that needs no other file of yours. "
                "You can use any language that is installed here. They are started directly, by a "
                "user without root rights, and exit with status 0.",
                "format",
                keys=("single", "one file", "self-contained", "no other file", "executable"),
            ),
            Obligation(
                "rotation example",
                f"`{samples}` has an example for each program. With the configuration "
                f"`rotate.conf` and the time in `now`, the logs in `logs` become those in "
                f"`logs.after`, and `rotated.txt` is what is printed.",
                "input",
            ),
            Obligation(
                "guard example",
                "With the configuration `guard.conf` and the events in `events.txt`, "
                "`actions.txt` is what is printed.",
                "input",
            ),
            Obligation(
                "keep",
                f"Do not change `{world.manual}` or anything in `{samples}`, and try things out "
                f"on copies.",
                "limit",
            ),
            Obligation(
                "tried",
                "We will try both programs on configurations, logs and events that you have not "
                "seen. The logs are rotated several times in the same directory, for several days "
                "in a row.",
                "grading",
                keys=("not seen", "unseen", "hidden", "several days", "days in a row"),
            ),
        )

    def mutants(self, ctx: Context, world: Keeper) -> tuple[Attempt, ...]:
        """Return programs that each misread one rule."""
        attempts = []
        for module, features, place in (
            (rotate_, world.rotation, 0),
            (supervisor, world.supervision, 1),
        ):
            edits = sorted(module.slips(features).items())
            for name, (old, new) in ctx.rng.fork("slips", place).sample(edits, 2):
                parts = [rotate_.script(world.rotation), supervisor.program(world.supervision)]
                if old not in parts[place]:
                    raise ValueError(f"the slip {name!r} changes nothing")
                parts[place] = parts[place].replace(old, new)
                attempts.append(Attempt(name, _written(world, *parts)))
        last = f"chmod 644 {world.guard}"
        return (*attempts, Attempt("not executable", (*_written(world), last)))

    def exploits(self, ctx: Context, world: Keeper) -> tuple[Attempt, ...]:
        """Return a rotation that empties everything, and a guard that starts everything at once."""
        empty = '#!/bin/bash\ncd "$2" && for f in *; do : > "$f"; echo "$f"; done\n'
        start = '#!/usr/bin/awk -f\n$3 == "exit" { print $1, "start", $2 }\n'
        quiet = "#!/bin/sh\nexit 0\n"
        return (
            Attempt("empties", _written(world, empty, quiet)),
            Attempt("starts at once", _written(world, quiet, start)),
            Attempt("quiet", _written(world, quiet, quiet)),
        )


def _written(world: Keeper, rotate: str = "", guard: str = "") -> tuple[str, ...]:
    """Return the commands that write both programs."""
    return (
        f"mkdir -p {world.rotate.rpartition('/')[0]}",
        write_file(world.rotate, rotate or rotate_.script(world.rotation), mode="755"),
        write_file(world.guard, guard or supervisor.program(world.supervision), mode="755"),
    )


def _examples(samples: str, shown: rotate_.Trial, stream: guard_.Stream) -> tuple[Node, ...]:
    """Return a day of logs, before and after, and a stream with its answers."""
    day = shown.days[0]
    logs = [
        Node(f"{samples}/{folder}/{name}", data=rotate_.stored(name, body))
        for folder, files in (("logs", day.before), ("logs.after", day.after))
        for name, body in files.items()
    ]
    return (
        text(f"{samples}/rotate.conf", shown.config),
        text(f"{samples}/now", f"{day.now}\n"),
        text(f"{samples}/rotated.txt", "".join(f"{name}\n" for name in day.told)),
        text(f"{samples}/guard.conf", stream.config),
        text(f"{samples}/events.txt", stream.input),
        text(f"{samples}/actions.txt", "".join(f"{line}\n" for line in stream.output())),
        *logs,
    )


def _second(line: str) -> int:
    first = line.partition(" ")[0]
    return int(first) if first.isdigit() and len(first) < 9 else -1


def _case(trial: rotate_.Trial, number: int) -> Case:
    """Return one day: what applications have written since the last one, and what to look at."""
    day = trial.days[number]
    last = trial.days[number - 1].after if number else {}
    written = {name: body for name, body in day.before.items() if last.get(name) != body}
    conf = f"{DIR}/rotate.conf"
    return Case(
        argv=(conf, DIR, str(day.now)),
        nodes=(
            text(conf, trial.config),
            *(Node(f"{DIR}/{n}", data=rotate_.stored(n, body)) for n, body in written.items()),
        ),
        collect=tuple(f"{DIR}/{name}" for name in _candidates(trial, trial.rules)),
    )


def _candidates(trial: rotate_.Trial, rules: Sequence[rotate_.Rule]) -> list[str]:
    """Return every name that a log of these rules may get."""
    first = trial.days[0].before
    return [
        f"{name}{end}"
        for rule in rules
        for name in rule.names(first)
        for end in ("", *(f".{n}{z}" for n in range(1, rule.keep + 4) for z in ("", ".gz")))
    ]


def _is_rotated(trial: rotate_.Trial, rule: rotate_.Rule, number: int, outcome: Outcome) -> bool:
    """Return whether the logs of a rule are right after a day, and its output too."""
    day = trial.days[number]
    files = {path.removeprefix(f"{DIR}/"): data for path, data in outcome.files}
    for name in _candidates(trial, [rule]):
        content = files.get(name)
        if content is not None and name.endswith(".gz"):
            content = rotate_.plain(content)
        if content != day.after.get(name):
            return False
    mine = rule.names(trial.days[0].before)
    printed = outcome.stdout.decode("utf-8", "replace").splitlines()
    return all(printed.count(name) == day.told.count(name) for name in mine)


FAMILY = LogKeeper()

"""SYS-03 calendar math: when a timer line fires next, with more syntax at higher levels.

The syntax is in a file with one rule on each line.  The program is asked about hidden timers, each
with a moment, and answers with the next minute after it at which the timer fires.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from tmax_gym.checks.check import Case, Check, Gate, Program, unchanged
from tmax_gym.families import products as produced
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.shared.marks import answers
from tmax_gym.families.system_administration.calendar_math import syntax as syntax_
from tmax_gym.families.system_administration.calendar_math.timer import (
    FEATURES,
    FRAME,
    PIECES,
    drawn,
    following,
)
from tmax_gym.nodes import prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

START = datetime(2021, 1, 1)


@dataclass(frozen=True, kw_only=True)
class Timers(World):
    """The decided facts."""

    tool: str
    syntax: str
    samples: str
    features: tuple[str, ...]
    hidden_lines: tuple[tuple[str, ...], ...]


class CalendarMath(Family[Timers]):
    """Find the next moment of a timer with lists, ranges, steps, names and special days."""

    id = "SYS-03"
    slug = "calendar-math"
    domain = "system_administration"
    skill = "Process/Service"
    primitives = (
        "Scheduled task configuration (cron, timers)",
        "Locale and timezone configuration",
        "Robust script writing with error handling",
        "Interactive script construction",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence",)
    languages = ("python", "any")
    tools = ("bash", "python3", "diff")
    followed_by = {  # noqa: RUF012
        "batch-run": ("tool", "Several teams have sent us lists of their timers."),
        "command-wrapper": ("tool", "People on call want a command that they can use by hand."),
        "make-target": ("tool", "The lists of timers change, and their answers must be kept up."),
    }

    def world(self, ctx: Context) -> Timers:
        """Return the syntax and some answered lines."""
        rng = ctx.rng.fork("timers")
        features = FEATURES[: ctx.knob(0, len(FEATURES))]
        tool = ctx.path("next.py" if ctx.language == "python" else "next-run")
        syntax, samples = ctx.path("SYNTAX.md"), ctx.path("samples.txt")
        shown = _lines(rng.fork("shown"), features, 4)
        answers = "".join(f"{line} => {_answer(line)}\n" for line in shown)
        nodes = (prose(syntax, syntax_.document(features)), text(samples, answers))
        return Timers(
            nodes=nodes,
            outputs=(tool,),
            tool=tool,
            syntax=syntax,
            samples=samples,
            features=features,
            hidden_lines=tuple(
                tuple(_lines(rng.fork("hidden", n), features, 10 + 3 * len(features)))
                for n in range(2)
            ),
        )

    def oracle(self, ctx: Context, world: Timers) -> tuple[str, ...]:
        """Return the frame, then one piece for every rule of the syntax."""
        call = f"python3 {world.tool}"
        cut = f"sed 's/ => .*//' {world.samples} | {call}"
        right = f"sed 's/.* => //' {world.samples}"
        tried = {
            "diff": f"{cut} | diff - <({right})",
            "cksum": f"{cut} | cksum; {right} | cksum",
            "sum": f"{cut} | sum; {right} | sum",
        }[ctx.rng.fork("way").choice(("diff", "cksum", "sum"))]
        return (
            f"cat {world.syntax} {world.samples}",
            *self._built(ctx, world, skip=""),
            tried,
        )

    def checks(self, ctx: Context, world: Timers) -> tuple[Check | Gate, ...]:
        """Return hidden lines."""
        return (
            unchanged("given", world.nodes),
            answers(
                "timers",
                Program(world.tool, ctx.language, roots=(ctx.home,)),
                [Case(stdin="\n".join(lines).encode() + b"\n") for lines in world.hidden_lines],
                expected=[[_answer(line) for line in lines] for lines in world.hidden_lines],
            ),
        )

    def products(self, ctx: Context, world: Timers) -> Mapping[str, produced.Product]:
        """Return the program, which is a filter."""

        def case(rng: Rng) -> produced.Case:
            lines = _lines(rng.fork("lines"), world.features, rng.integer(4, 12))
            answers = (_answer(line) for line in lines)
            return produced.Case(
                "".join(f"{line}\n" for line in lines).encode(),
                "".join(f"{answer}\n" for answer in answers).encode(),
            )

        run = f"python3 {world.tool}" if ctx.language == "python" else world.tool
        return {"tool": produced.Program(world.tool, run, case, "lists of timers")}

    def say(self, ctx: Context, world: Timers) -> tuple[Obligation, ...]:
        """Return the interface; the syntax is in its file."""
        python = ctx.language == "python"
        kind = (
            "a Python program"
            if python
            else "an executable program in any language that is installed here"
        )
        return (
            Obligation(
                "goal",
                f"Our timers have a syntax of their own, which is described in `{world.syntax}`. "
                f"Write {kind} that says when a timer fires next. Save it as `{world.tool}`.",
                "goal",
            ),
            Obligation(
                "interface",
                "It reads lines of the form `<timer> | YYYY-MM-DD HH:MM` from standard input. For "
                "each of them it prints one line `YYYY-MM-DD HH:MM`: the first minute after the "
                "given moment at which the timer fires. The given moment itself never counts. All "
                "times are in the same time zone, without daylight saving time.",
                "format",
            ),
            Obligation(
                "samples",
                f"`{world.samples}` has some of these lines, each followed by `=>` and the right "
                f"answer. Do not change `{world.samples}` or `{world.syntax}`.",
                "input",
            ),
            Obligation(
                "judged",
                "We will try it on other lines, with every rule of the syntax, and compare the "
                "answers line by line. Some of the timers fire only months later.",
                "grading",
                keys=("other lines", "other timers", "unseen", "not seen", "hidden"),
            ),
            Obligation(
                "beside",
                f"We {'start it with `python3`' if python else 'start it directly'}, and other "
                f"files that you put into `{ctx.home}` are available to it.",
                "grading",
            ),
        )

    def mutants(self, ctx: Context, world: Timers) -> tuple[Attempt, ...]:
        """Return a program that is off by a minute, and others that forget a rule."""
        full = self._built(ctx, world, skip="")
        attempts = [
            Attempt(f"without {feature}", self._built(ctx, world, skip=feature))
            for feature in world.features[-2:]
        ]

        def edited(name: str, old: str, new: str) -> Attempt:
            return Attempt(name, tuple(command.replace(old, new) for command in full))

        return (
            *attempts,
            edited("from now", "minutes=1", "minutes=0"),
            edited("month ignored", "day.month not in months", "False"),
            edited("week begins on Monday", "isoweekday() % 7", "weekday()"),
            edited("seconds shown", '"%Y-%m-%d %H:%M"))', '"%Y-%m-%d %H:%M:00"))'),
        )

    def exploits(self, ctx: Context, world: Timers) -> tuple[Attempt, ...]:
        """Return the given moment as the answer, and a constant answer."""
        head = "" if ctx.language == "python" else "#!/usr/bin/env python3\n"
        echo = f"{head}import sys\nfor line in sys.stdin: print(line.rpartition('| ')[2].strip())\n"
        one = f"{head}import sys\nfor line in sys.stdin: print('2022-01-01 00:00')\n"
        return (
            Attempt("the same moment", (write_file(world.tool, echo, mode="755"),)),
            Attempt("constant", (write_file(world.tool, one, mode="755"),)),
        )

    def _built(self, ctx: Context, world: Timers, *, skip: str) -> tuple[str, ...]:
        """Return the commands that write the program and all its pieces except one."""
        folder = ctx.path("next.d")
        return (
            f"mkdir -p {folder}",
            write_file(world.tool, f"#!/usr/bin/env python3\n{FRAME}", mode="755"),
            *(
                write_file(f"{folder}/{FEATURES.index(feature)}_{feature}.py", PIECES[feature])
                for feature in world.features
                if feature != skip
            ),
        )


def _lines(rng: Rng, features: tuple[str, ...], count: int) -> list[str]:
    """Return timer lines with moments; every rule occurs in turn."""
    lines = []
    for number in range(count):
        r = rng.fork(number)
        wanted = features[number % len(features)] if features and number % 4 else ""
        moment = START + timedelta(minutes=r.integer(0, 3 * 365 * 1440))
        timer = drawn(r, wanted)
        if number % 3 == 2:  # a moment at which it fires is not the next one
            moment = following(timer, moment)
        lines.append(f"{timer} | {moment:%Y-%m-%d %H:%M}")
    return lines


def _answer(line: str) -> str:
    timer, _, moment = line.partition(" | ")
    after = datetime.strptime(moment, "%Y-%m-%d %H:%M")
    return following(timer, after).strftime("%Y-%m-%d %H:%M")


FAMILY = CalendarMath()

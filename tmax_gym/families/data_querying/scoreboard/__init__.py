"""DQ-13 scoreboard: the film of a board with two counters becomes a table and some figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, metric_threshold, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_querying.scoreboard import film as board
from tmax_gym.families.products import Product, Record, Table
from tmax_gym.nodes import Node
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.skins import slugged

QUESTIONS: Mapping[str, str] = {
    "longest": "`longest` is the number of frames for which the longest reading holds.",
    "ahead": "`ahead` is the number of frames in which the left counter is above the right one.",
    "reached": "`reached` is the number of the first frame in which the two counters add up to at "
    "least {total}.",
}
"""The questions beyond the last value."""


@dataclass(frozen=True, kw_only=True)
class Match(World):
    """The decided facts."""

    film: str
    timeline: str
    answers: str
    names: tuple[str, str]
    shown: board.Board
    asked: dict[str, int]
    total: int
    dark: bool
    tests: bool


class Scoreboard(Family[Match]):
    """Read seven-segment digits over time."""

    id = "DQ-13"
    slug = "scoreboard"
    domain = "data_querying"
    skill = "Result Processing"
    primitives = (
        "Cross-query aggregation and summarization",
        "Query result export and format conversion",
        "Query-to-pipeline chaining",
    )
    fixtures = ("video",)
    verifiers = ("exact_text", "metric_threshold")
    languages = ("any", "python")
    tools = ("bash", "python3")
    followed_by = {  # noqa: RUF012
        "group-report": ("timeline", "We want to see how many readings there were at each count."),
        "sqlite-load": ("timeline", "The readings of all boards are collected in a database."),
        "json-feed": ("timeline", "The page that draws the course of both counters reads JSON."),
        "fill-notice": ("answers", "The figures of the board have to be announced in a notice."),
        "metrics-file": ("answers", "Monitoring keeps a history of the figures of this board."),
    }

    def world(self, ctx: Context) -> Match:
        """Return a film and the questions about it."""
        rng = ctx.rng.fork("board")
        final = rng.integer(12, 400)
        plan = board.Plan(
            frames=ctx.knob(48, 190),
            events=min(ctx.knob(6, 26), final // 2),
            final=final,
            dark=0 if ctx.level < 0.35 else ctx.knob(2, 12),
            tests=0 if ctx.level < 0.6 else ctx.knob(1, 4),
            drift=ctx.knob(0, 80),
        )
        shown = board.filmed(plan, rng.fork("film"))
        things = rng.sample(sorted({slugged(t.plural) for t in ctx.skin.things}), 2)
        total, answers = _answers(shown)
        more = rng.shuffled([q for q in QUESTIONS if 1 < answers[q] < shown.frames - 1])
        wanted = ("final", *more[: ctx.knob(0, 2)])
        film, target = ctx.path(f"{ctx.skin.stem(rng)}.avi"), ctx.path("answers.json")
        return Match(
            nodes=(Node(film, data=shown.film),),
            outputs=(ctx.path("timeline.csv"), target),
            film=film,
            timeline=ctx.path("timeline.csv"),
            answers=target,
            names=(things[0], things[1]),
            shown=shown,
            asked={q: answers[q] for q in wanted},
            total=total,
            dark=plan.dark > 0,
            tests=plan.tests > 0,
        )

    def oracle(self, ctx: Context, world: Match) -> tuple[str, ...]:
        """Return a program in Python that reads the film."""
        return (
            f"ls -l {world.film}; xxd -l 224 {world.film}",
            write_file("/tmp/board.py", _program(world)),
            f"python3 /tmp/board.py && head -n 5 {world.timeline} && cat {world.answers}",
            "rm /tmp/board.py",
        )

    def checks(self, ctx: Context, world: Match) -> tuple[Check | Gate, ...]:
        """Return checks of the timeline, by rows or by frames, and of the answers."""
        timeline = exact.rows(
            "timeline",
            world.timeline,
            world.shown.rows,
            header=("start", *world.names),
            weight=2.0,
        )
        if ctx.verifier == "metric_threshold":
            base = max(world.shown.spans) / world.shown.frames
            timeline = metric_threshold(
                "timeline", lambda e: _share(e, world), base=base, threshold=1.0, weight=2.0
            )
        return (
            unchanged("film", world.nodes),
            timeline,
            exact.fields("answers", world.answers, world.asked),
        )

    def products(self, ctx: Context, world: Match) -> Mapping[str, Product]:
        """Return the answers, and the timeline unless it is judged by frames."""
        answers = Record(world.answers, dict(world.asked), "board")
        if ctx.verifier == "metric_threshold":
            return {"answers": answers}
        rows = tuple((str(start), str(a), str(b)) for start, a, b in world.shown.rows)
        header = ("start", *world.names)
        return {"timeline": Table(world.timeline, header, rows, "readings"), "answers": answers}

    def say(self, ctx: Context, world: Match) -> tuple[Obligation, ...]:
        """Return how the board shows its counters, the table and the questions."""
        shown, (left, right) = world.shown, world.names
        obligations = [
            Obligation(
                "goal",
                f"A camera filmed a board with two counters, `{left}` on the left and `{right}` on "
                f"the right. Read the film `{world.film}`, write what the counters showed over "
                f"time to `{world.timeline}`, and write some figures to `{world.answers}`.",
                "goal",
            ),
            Obligation(
                "digits",
                f"Each counter has {shown.digits} seven-segment digits. A digit is 5 pixels wide "
                f"and 11 pixels high, and its segments are one pixel thick. The upper left corner "
                f"of the first digit is at `x={shown.starts[0]}, y={board.TOP}` for the left "
                f"counter and at `x={shown.starts[shown.digits]}, y={board.TOP}` for the right "
                f"one, counted from the upper left corner of the picture. The next digit is always "
                f"{board.STEP} pixels further to the right. A segment is lit if its gray value is "
                f"above {board.LIMIT}.",
                "input",
            ),
        ]
        if world.dark or world.tests:
            what = "all digits are dark" + (", or all of them show an 8" if world.tests else "")
            obligations.append(
                Obligation(
                    "skipped",
                    f"In some frames {what}. Such a frame shows no reading of its own: the last "
                    f"reading before it still holds.",
                    "input",
                    ("dark", "unlit", "blank", "no reading"),
                )
            )
        obligations += [
            Obligation(
                "table",
                f"`{world.timeline}` is a CSV file with the header `start,{left},{right}`. It has "
                f"one row for each reading, in the order of time; a new reading begins when a "
                f"counter changes. `start` is the first frame that shows the reading, where the "
                f"first frame of the film is 0. The other columns are the values of the counters, "
                f"without leading zeros.",
                "format",
            ),
            Obligation(
                "answers",
                f"`{world.answers}` is a JSON object of integers. `final` is the last value of the "
                f"left counter.",
                "format",
            ),
        ]
        obligations += [
            Obligation(question, QUESTIONS[question].format(total=world.total), "format")
            for question in world.asked
            if question in QUESTIONS
        ]
        return (
            *obligations,
            Obligation("keep", "Leave the film unchanged.", "limit", ("unchanged", "as it is")),
        )

    def mutants(self, ctx: Context, world: Match) -> tuple[Attempt, ...]:
        """Return readings that start late, exchanged counters, and the first reading alone."""
        program = _program(world)
        wrong = {
            "a frame late": program.replace("out.writerows(rows)", _LATE),
            "counters exchanged": program.replace(
                "out.writerows(rows)", "out.writerows((s, b, a) for s, a, b in rows)"
            ),
            "first reading": program.replace("out.writerows(rows)", "out.writerows(rows[:1])"),
            "right counter last": program.replace('"final": rows[-1][1]', '"final": rows[-1][2]'),
        }
        return tuple(
            Attempt(name, (write_file("/tmp/board.py", body), "python3 /tmp/board.py"))
            for name, body in wrong.items()
        )

    def exploits(self, ctx: Context, world: Match) -> tuple[Attempt, ...]:
        """Return zeros for every frame, the film as a table, and numbers that are not finite."""
        header = ",".join(("start", *world.names))
        zeros = ", ".join(f'"{q}": 0' for q in world.asked)
        frames = f"for f in $(seq 0 {world.shown.frames - 1}); do echo $f,0,0; done"
        return (
            Attempt(
                "zeros",
                (
                    f"(echo {header}; {frames}) > {world.timeline}",
                    f"echo '{{{zeros}}}' > {world.answers}",
                ),
            ),
            Attempt("film", (f"cp {world.film} {world.timeline}",)),
            Attempt("nan", (f"(echo {header}; echo nan,1e999,-1) > {world.timeline}",)),
        )


_LATE = "out.writerows((s + (s > 0), a, b) for s, a, b in rows)"


def _answers(shown: board.Board) -> tuple[int, dict[str, int]]:
    """Return the sum that is asked for, and the answer to every question."""
    middle = shown.rows[len(shown.rows) * 2 // 3]
    total = middle[1] + middle[2]
    spans = list(zip(shown.spans, shown.rows, strict=True))
    return total, {
        "final": shown.rows[-1][1],
        "longest": max(shown.spans),
        "ahead": sum(span for span, row in spans if row[1] > row[2]),
        "reached": next(row[0] for row in shown.rows if row[1] + row[2] >= total),
    }


def _program(world: Match) -> str:
    names = {
        "FILM": world.film,
        "TIMELINE": world.timeline,
        "ANSWERS": world.answers,
        "NAMES": world.names,
        "ASKED": tuple(world.asked),
        "STARTS": world.shown.starts,
        "TOP": board.TOP,
        "LIMIT": board.LIMIT,
        "TOTAL": world.total,
    }
    return "".join(f"{name} = {value!r}\n" for name, value in names.items()) + board.READ


def _share(evidence: Evidence, world: Match) -> float:
    """Return the share of frames to which the table gives the right reading."""
    table = exact.read_table(evidence, world.timeline, ("start", *world.names))
    if len(table) > world.shown.frames:
        raise BadOutput(f"{world.timeline} has more rows than the film has frames")
    if any(len(row) != 3 for row in table):
        raise BadOutput(f"{world.timeline} holds a row that is not three integers")
    numbers = [tuple(map(tolerance.integer, row)) for row in table]
    rows = sorted({start: (left, right) for start, left, right in numbers}.items())
    right = sum(
        min(b, d) - max(a, c)
        for (a, scores), (b, _) in pairwise([*rows, (world.shown.frames, (0, 0))])
        for (c, *truth), (d, *_) in pairwise([*world.shown.rows, (world.shown.frames, 0, 0)])
        if scores == tuple(truth) and min(b, d) > max(a, c)
    )
    return right / world.shown.frames


FAMILY = Scoreboard()

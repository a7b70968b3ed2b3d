"""DQ-13 scoreboard: a filmed board of two counters becomes a table of intervals and answers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, metric_threshold, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, Port, World, write_file
from tmax_gym.families.data_querying.scoreboard import film as board
from tmax_gym.families.data_querying.scoreboard.words import QUESTIONS, say_board, say_outputs
from tmax_gym.nodes import Node
from tmax_gym.texts.clauses import Clause
from tmax_gym.texts.skins import slugged


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
    """Seven-segment digits over time."""

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
    produces = {"score": Port("scalar", 12, 400)}  # noqa: RUF012

    def world(self, ctx: Context) -> Match:
        """Return a film and the questions about it."""
        rng = ctx.rng.fork("board")
        lo, hi = ctx.scalar_range("score", 12, 400)
        # Longer numbers than a consumer needs would only make the film wider.
        final = rng.integer(max(lo, 12), max(12, min(hi, max(400, lo + 100))))
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
            produces={"score": ctx.yields("score", "scalar", final, f"`final` in {target}")},
        )

    def oracle(self, ctx: Context, world: Match) -> tuple[str, ...]:
        """Return a reader of the film in Python."""
        last = f"python3 -c \"import json; print(json.load(open('{world.answers}'))['final'])\""
        return (
            f"ls -l {world.film}; xxd -l 224 {world.film}",
            write_file("/tmp/board.py", _program(world)),
            f"python3 /tmp/board.py && head -n 5 {world.timeline} && cat {world.answers}",
            f"rm /tmp/board.py; {ctx.shell_name('score')}=$({last})",
        )

    def checks(self, ctx: Context, world: Match) -> tuple[Check | Gate, ...]:
        """Return the intervals, by row or by frame, and the answers."""
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

    def say(self, ctx: Context, world: Match) -> tuple[Clause, ...]:
        """Return the film, how the board works, the table and the questions."""
        look = say_board(world.shown, dark=world.dark, tests=world.tests)
        form = say_outputs(
            timeline=world.timeline,
            answers=world.answers,
            header=",".join(("start", *world.names)),
            asked=tuple(world.asked),
            total=world.total,
        )
        return (_goal(world), *look, *form)

    def mutants(self, ctx: Context, world: Match) -> tuple[Attempt, ...]:
        """Return intervals a frame late, exchanged counters, one reading for all."""
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
        """Return zeros everywhere, the film as a table, and every reading at every frame."""
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


def _goal(world: Match) -> Clause:
    return Clause(
        "goal",
        (
            "{film} shows a board {with two counters|that counts two things}: {write|put} what it "
            "read over time {to|into} {timeline} and {some|a few} answers {to|into} {answers}.",
            "A camera filmed a {board|display} with two counters ({film}). We need its readings "
            "as a table, {timeline}, and {a few|some} figures {from it|} in {answers}.",
            "{Read|Decode} the two counters in {film}; the {course|history} of their values "
            "belongs in {timeline}, the answers to the questions below in {answers}.",
            "The only {record|trace} of two counters is the film {film}. {Turn|Make} it into "
            "{timeline} and answer what is asked {below|here} in {answers}.",
        ),
        facts={"film": world.film, "timeline": world.timeline, "answers": world.answers},
        role="goal",
        brief="Read the two counters in {film}; write {timeline} and {answers}.",
    )


FAMILY = Scoreboard()

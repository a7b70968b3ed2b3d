"""What the scoreboard's instruction says of the board, the table and the questions."""

from __future__ import annotations

from tmax_gym.families.data_querying import _board as board
from tmax_gym.words.clauses import Clause

QUESTIONS = {
    "longest": (
        "{asked} is the number of frames of the longest {interval|stretch} in which neither "
        "counter {changes|moves}.",
        "{asked} is the {length|duration} in frames of the longest interval {of|in} the table.",
    ),
    "ahead": (
        "{asked} is the number of frames {in|during} which the left counter {stands|is} above "
        "the right one.",
        "{asked} counts the frames {during|in} which the left {value|counter} exceeds the right "
        "one.",
    ),
    "reached": (
        "{asked} is the first frame {at|in} which the two values {add up to|sum to} at least "
        "{total}.",
        "{asked} is the {number of the first frame|first frame number} with a sum of both "
        "counters of {total} or more.",
    ),
}
"""What may be asked beyond the last value, with the frames that say it."""


def say_board(shown: board.Board, *, dark: bool, tests: bool) -> tuple[Clause, ...]:
    """Return how the digits look and which frames show none."""
    first, right = shown.starts[0], shown.starts[shown.digits]
    clauses = [
        Clause(
            "digits",
            (
                "{Both counters have|Each counter has} {digits} seven-segment digits, 5 by 11 "
                "pixels {each|in size} and {step} apart, {beginning|starting} with the upper left "
                "corner at {left} (left {counter|one}) and {right} (right {counter|one}); "
                "{lit segments|segments that are lit} are one pixel thick and brighter than "
                "{limit}.",
                "The {board|display} has two {groups|blocks} of {digits} seven-segment digits "
                "(5 by 11 {pixels|pixels each}, {step} {pixels apart|from one to the next}) "
                "{beginning|starting} at {left} and {right} from "
                "the upper left; {a segment is|segments are} one pixel thick, and lit above gray "
                "{limit}.",
            ),
            facts={
                "digits": str(shown.digits),
                "step": str(board.STEP),
                "left": f"x={first}, y={board.TOP}",
                "right": f"x={right}, y={board.TOP}",
                "limit": str(board.LIMIT),
            },
            role="input",
            brief="Each counter has {digits} seven-segment digits, 5 by 11 pixels, {step} apart, "
            "from {left} and {right}; lit is above gray {limit}.",
        )
    ]
    if dark or tests:
        what = "`dark`" if not tests else "`dark` or `all-eights`"
        plain = what.replace("`", "")
        clauses.append(
            Clause(
                "skipped",
                (
                    "A frame whose digits are {kind} {shows nothing new|does not count}; the "
                    "reading before it {stands|still holds}.",
                    "{Ignore|Skip} frames that are {kind}: the reading {before|so far} goes on.",
                ),
                facts={"kind": plain},
                role="input",
            )
        )
    return tuple(clauses)


def say_outputs(
    *, timeline: str, answers: str, header: str, asked: tuple[str, ...], total: int
) -> tuple[Clause, ...]:
    """Return the form of both files."""
    table = Clause(
        "table",
        (
            "{timeline} has the header {header} and one row {per|for each} reading, in "
            "{order|order of time}: the frame, counted from {zero}, {in|at} which it first "
            "{shows|appears}, the left value, {the right value|the right one}, {as plain|all of "
            "them} integers.",
            "The first line of {timeline} is {header}; every {change of|new} reading "
            "{becomes|is} a row with {the number of its first frame|its first frame} ({zero} "
            "{is|being} the first of the film), the left {and|value and} the right value, "
            "{without|no} leading zeros.",
            "{Each|Every} reading gets a line {in|of} {timeline}, under the {heading|first line} "
            "{header}: {the first frame|the frame} that shows it (the film {begins|starts} with "
            "frame {zero}), left value, right value, {plain integers|without leading zeros}.",
        ),
        facts={"timeline": timeline, "header": f"`{header}`", "zero": "0"},
        role="format",
    )
    report = Clause(
        "answers",
        (
            "{answers} is {one|a} JSON object of integers; {final} is the last value of the left "
            "counter.",
            "{Put|Write} a JSON object of integers into {answers}, with {final}, the left "
            "counter's last value.",
        ),
        facts={"answers": answers, "final": "`final`"},
        role="format",
    )
    questions = [
        Clause(
            name,
            QUESTIONS[name],
            facts={"asked": f"`{name}`"} | ({"total": str(total)} if name == "reached" else {}),
            role="format",
            bullet=True,
        )
        for name in asked
        if name in QUESTIONS
    ]
    return (table, report, *questions)

"""What the scoreboard's instruction says of the board, the table and the questions."""

from __future__ import annotations

from tmax_gym.families.data_querying.scoreboard import film as board
from tmax_gym.texts.clauses import Clause

QUESTIONS = {
    "longest": (
        "{asked} is the number of frames of the longest {interval|stretch} in which neither "
        "counter {changes|moves}.",
        "{asked} is the {length|duration} in frames of the longest interval {of|in} the table.",
        "{For|As} {asked}, {count|give} the frames of the longest {time|stretch} {without|with no} "
        "{change|move} on either {side|counter}.",
        "{How long|For how many frames} {both|the two} counters {stood still|did not move} at "
        "{most|the longest} {is|goes under} {asked}.",
        "{asked} {tells|says} how many frames the {longest|most lasting} reading {lasts|stays}.",
        "The {longest|most enduring} reading, {in|measured in} frames, {is|gives} {asked}.",
    ),
    "ahead": (
        "{asked} is the number of frames {in|during} which the left counter {stands|is} above "
        "the right one.",
        "{asked} counts the frames {during|in} which the left {value|counter} exceeds the right "
        "one.",
        "{For|As} {asked}, {count|add up} the frames with a left {value|count} {above|over} the "
        "right{ one|}.",
        "{In how many|How many} frames the left {number|counter} {is|was} the {greater|larger} "
        "goes {into|under} {asked}.",
        "{asked} {tells|says} for how many frames left {was ahead of|exceeded} right.",
    ),
    "reached": (
        "{asked} is the first frame {at|in} which the two values {add up to|sum to} at least "
        "{total}.",
        "{asked} is the {number of the first frame|first frame number} with a sum of both "
        "counters of {total} or more.",
        "{For|As} {asked}, {find|give} the {earliest|first} frame {where|in which} left and right "
        "{together|in sum} {make|reach} {total}.",
        "The {earliest|first} frame whose two values {sum|add up} to {total} or more {is|goes "
        "under} {asked}.",
        "{asked} {says|tells} {at|in} which frame {both|the two} counters {together|in sum} first "
        "{reach|make} {total}.",
    ),
}
"""Questions beyond the last value, with frames for their sentences."""


def say_board(shown: board.Board, *, dark: bool, tests: bool) -> tuple[Clause, ...]:
    """Return how the digits look and which frames show none."""
    first, right = shown.starts[0], shown.starts[shown.digits]
    clauses = [
        Clause(
            "digits",
            (
                "{Both counters have|Each counter has} {digits} seven-segment digits, 5 "
                "by 11 pixels {each|in size} and {step} apart, {beginning|starting} with "
                "the {upper left|top left} corner at {left} (left {counter|one}) and "
                "{right} (right {counter|one}); {lit segments|segments that are lit} are "
                "{one pixel thick|a pixel wide} and brighter than {limit}.",
                "The {board|display} has two {groups|blocks} of {digits} seven-segment "
                "digits (5 by 11 {pixels|pixels each}, {step} {pixels apart|from one to "
                "the next}) {beginning|starting} at {left} and {right} from the upper "
                "left; {a segment is|segments are} one pixel {thick|wide}, {and lit|on "
                "if} above gray {limit}.",
                "{Look|The digits are} at {left} for the left and {right} for the right "
                "{counter|number}: {digits} {digits|figures} of seven segments {each|a "
                "counter}, {step} pixels from {one|digit} to the {next|next one}, 5 "
                "{wide|across} and 11 {high|tall}, {strokes|segments} one pixel "
                "{wide|thick}, lit {if|when} brighter than {limit}.",
                "A counter {is|consists of} {digits} seven-segment {figures|digits} side "
                "by side, {step} pixels {apart|from one to the next}. The {upper "
                "left|top left} corner of the {first|leftmost} is at {left} {on|for} the "
                "left, {right} {on|for} the right {counter|one}; a {figure|digit} "
                "{measures|is} 5 by 11 pixels, its segments {a|one} pixel thick, "
                "{and|with} {values|grays} above {limit} {are lit|lit}.",
                "{Seven segments|Segments}, one pixel {thick|wide} and {above|brighter "
                "than} {limit} {where|if} lit, {make up|form} each digit of 5 by 11 "
                "pixels; {digits} of them, {step} pixels {apart|from one to the next}, "
                "make a {counter|number}, {the left one|left} from {left}, {the right "
                "one|right} from {right} {on|onward}.",
                "{Each|Either} of the two counters {shows|is shown in} {digits} "
                "seven-segment digits; their {upper left|top left} corners {begin|start} "
                "at {left} and {right} and {lie|follow} {step} pixels apart. "
                "{Digits|They} are 5 {pixels|px} wide, 11 high, {drawn|made} of "
                "one-pixel segments {that|which} are lit above {limit}.",
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
                    "A frame whose digits are {kind} {shows nothing new|does not count|is "
                    "void}; the {reading|value} before it {stands|still holds|remains}.",
                    "{Ignore|Skip|Pass over} frames that are {kind}: the reading {before|so "
                    "far} goes on.",
                    "{Where|If|When} a frame is {kind}, {keep|go on with} the "
                    "{reading|values} of the one before.",
                    "{Frames|Pictures} that are {kind} {carry|have} no reading: {nothing "
                    "changes there|the last one lasts}.",
                    "{There are|You will meet} frames which are {kind}; {they|these} "
                    "{prolong|continue} the reading before them.",
                    "{Treat|Take} a {kind} frame as {if it repeated|a repetition of} the "
                    "{one|frame} before.",
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
            "{timeline} has the header {header} and one row {per|for each} reading, "
            "in {order|order of time}: the frame, counted from {zero}, {in|at} which "
            "it first {shows|appears}, the left value, {the right value|the right "
            "one}, {as plain|all of them} integers.",
            "The first line of {timeline} is {header}; every {change of|new} reading "
            "{becomes|is} a row with {the number of its first frame|its first frame} "
            "({zero} {is|being} the first of the film), the left {and|value and} the "
            "right value, {without|no} leading zeros.",
            "{Each|Every} reading gets a line {in|of} {timeline}, under the "
            "{heading|first line} {header}: {the first frame|the frame} that shows "
            "it {first|} (the film {begins|starts} with frame {zero}), left value, "
            "right value, {plain integers|without leading zeros}.",
            "{Write|List} the readings {into|in} {timeline} {in|by} time: {header} "
            "{on top|as the first line}, then a {row|line} {each|per reading} with {its first "
            "frame|the frame it starts in} ({the film's first|the first "
            "of all} is {zero}), left {count|value} and right {count|value}, "
            "{as|all} integers without leading zeros.",
            "Under the {header|heading} {header}, {timeline} {lists|has} "
            "{whatever|all that} the board showed, {a row|one row} {per|for every} "
            "reading{,| and} in order: {where it begins|its first frame}, "
            "{counting|numbered} from {zero}, {and|then} the left and {the "
            "right|right} value {as|in} plain integers.",
            "{A row|One row} of {timeline} ({header} {is the header|on top}) {stands "
            "for|is} one reading: first frame, {numbering|counting} from {zero}, "
            "left value, right value, {all|each} {a plain integer|without leading "
            "zeros}; {rows are|keep them} in {time order|order of frames}.",
        ),
        facts={"timeline": timeline, "header": f"`{header}`", "zero": "0"},
        role="format",
    )
    report = Clause(
        "answers",
        (
            "{answers} is {one|a|a single} JSON object of integers; {final} is the "
            "last value {of|on} the left counter.",
            "{Put|Write} a JSON object {of|with} integers {into|to} {answers}, with "
            "{final}, the left counter's {last|final} value.",
            "{In|Into} {answers} {goes|belongs} a JSON object {of|whose values are} "
            "integers, {where|in which} {final} is what the left counter "
            "{showed|showed at the} last.",
            "{final}, {what|the number} the left counter {ends on|shows last}, "
            "{goes into|belongs in} {answers}, a JSON object {of|with only} "
            "integers.",
            "Make {answers} a JSON object, {all|its} values integers; {final} "
            "{in it|there} {is|gives} the left counter's value {at the end|in the "
            "last reading}.",
            "The {integers|numbers} {asked for|wanted} {stand|go} in {answers} as "
            "{one|a} JSON object; {final} {means|is} the {last|closing} value "
            "{of|on} the left {counter|side}.",
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

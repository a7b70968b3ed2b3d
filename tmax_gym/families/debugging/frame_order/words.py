"""Words of the frame-order family: the sheet on the lamps, and the instruction."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

SHEETS = ("lamps", "counter", "camera", "how_to_read", "stamp")
TABLES = ("counters", "frames", "readings", "seen")
REPORTS = ("order", "faults", "muxer", "verdict", "sequence")
FROM = {"missing": 0.0, "repeated": 0.0, "late": 0.3, "damaged": 0.65}
"""Questions, each with the level from which it is asked."""
SAID = {
    "missing": (
        "`missing` (counters that no frame shows)",
        "`missing`, the counters seen nowhere",
        "under `missing` all counters without a frame",
    ),
    "repeated": (
        "`repeated` (counters that several frames show)",
        "`repeated`, what is seen twice or more",
        "under `repeated` counters of more than one frame",
    ),
    "late": (
        "`late` (counters that come after a higher one)",
        "`late`, counters behind a larger one",
        "under `late` those that follow a greater counter",
    ),
    "damaged": (
        "`damaged` (numbers of the frames, from 0, whose check lamp is wrong)",
        "`damaged`, the places (from 0) of frames that fail the check lamp",
        "under `damaged` which frames, from 0, have a wrong check lamp",
    ),
}


def sheet(*, gray: bool, parity: bool, last: int, place: tuple[int, int, int]) -> str:
    """Return the sheet that lies beside the film."""
    left, top, size = place
    code = "a Gray code (a number n is shown as n XOR (n >> 1))" if gray else "plain binary numbers"
    text = (
        "# Counter lamps\n\n"
        "The film is an uncompressed AVI with 8-bit gray frames, 64 pixels wide and 20 high.\n"
        f"Eight lamps of {size} by {size} pixels show the counter of a frame. The upper left "
        f"corner of the\nfirst is at x = {left}, y = {top}, each further one is 6 pixels to the "
        f"right. A lamp above 127 is lit.\n"
        f"The first lamp is the highest bit; the lamps show {code}.\n"
        f"The camera numbered its frames from 0 to {last}.\n"
    )
    if parity:
        text += (
            "A ninth lamp makes the number of lit lamps even. Where it does not, the frame is "
            "damaged: its\ncounter stays empty and counts for nothing.\n"
        )
    return text


def say(film: str, sheet_: str, outputs: tuple[str, str], *, asked: str) -> tuple[Clause, ...]:
    """Return the clauses; outputs are the table and the report."""
    table, report = outputs
    goal = Clause(
        "goal",
        (
            "{Something|A faulty muxer} mixed up the frames of {film}. {Read|Decode} the counter "
            "of {each|every} frame ({sheet} {explains|describes} the lamps) and {tell|find out} "
            "what went wrong.",
            "The recorder {drops|loses} and shuffles frames: {film} is a {sample|case}. {Use|Go "
            "by} {sheet} to read the counters, and {report|say} what is out of {order|place}.",
            "{Every|Each} frame of {film} carries a counter, {see|as explained in} {sheet}. "
            "{Check|Verify} the {sequence|order} of the frames {by it|with that}.",
            "{Before|So that} we can {fix|mend} the muxer we {must|have to} know what it did to "
            "{film}; {sheet} {says|tells} how a frame shows its number.",
            "{Inspect|Examine} {film} frame by frame: {its|the} lamps ({sheet}) {give|show} the "
            "numbers that the camera gave out, and {they|these} no longer run evenly.",
            "{The film|Our film} {film} plays {badly|with jerks}. With the {help|aid} of {sheet}, "
            "{list|work out} which numbered frames {the muxer|it} {lost, repeated or moved|got "
            "wrong}.",
        ),
        facts={"film": film, "sheet": sheet_},
        role="goal",
        brief="Read the counter of each frame of {film} ({sheet}) and report what is out of order.",
    )
    return goal, _table(table), _report(report, asked)


def _table(table: str) -> Clause:
    return Clause(
        "table",
        (
            "{Write|Put} what you read {in|into} {table}: header {header}, one row {a|per} frame, "
            "frames {counted|numbered} from 0 {in|by} their order in the file.",
            "{table} {gets|has} the header {header} and {a|one} row for every frame of the file, "
            "{the first|which begins at} frame 0.",
            "The readings {belong|go} in {table} ({header} on top); frame is the {place|position} "
            "in the file, {from|starting at} 0.",
            "{Under|Below} the header {header}, {table} lists {all|the} frames as they {come|are "
            "stored}, {the first being|counted from} number 0, with their counters.",
            "{Make|Produce} a table {table} with {header} as first line: position in the film "
            "{(0, 1, 2 and so on)|from 0 up}, then what its lamps {say|show}.",
            "{For|By} each frame {stored|in the film} {a|one} row of {table}, {columns|its header} "
            "{header}; the first frame {is|has number} 0.",
        ),
        facts={"table": table, "header": "`frame,counter`"},
        role="output",
        brief="Write {table} ({header}), frames from 0.",
    )


def _report(report: str, asked: str) -> Clause:
    return Clause(
        "report",
        (
            "{report} is {one|a} JSON object of {ascending lists|lists in ascending order}: "
            "{asked}.",
            "{Then|From that} {answer|fill in} {report}, as JSON, with {asked}; {each|every one} "
            "an ascending list of numbers, {maybe|perhaps} empty.",
            "{What|Whatever} is wrong goes {to|into} {report}: {asked}. {These are|Give} sorted "
            "lists in one JSON object.",
            "{Conclude|Finish} with {report}, an object {holding|with} the sorted lists {asked}.",
            "In {report} {we expect|there should be} {asked}, JSON lists {of numbers|} from the "
            "smallest {up|on}.",
            "{The verdict|Your verdict} {is|stands in} {report}: a JSON object {with|made of} "
            "{asked}, numbers ascending {in each|everywhere}.",
        ),
        facts={"report": report, "asked": asked},
        role="format",
        brief="Write {report}: a JSON object of ascending lists {asked}.",
    )

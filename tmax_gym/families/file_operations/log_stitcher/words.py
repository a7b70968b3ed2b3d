"""Words of the log-stitcher family: what is asked for, and the guide that lies in the world."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.file_operations.log_stitcher.edits import Plan
from tmax_gym.families.file_operations.log_stitcher.records import KINDS
from tmax_gym.texts.clauses import Clause

GOAL = (
    "The logs in {folder} come from {hosts|machines} that agree on nothing: {make|turn} them into "
    "{target}, one UTF-8 file with one line {a|per} record.",
    "{Stitch|Put} the logs of {folder} together {into|as} {target}: UTF-8, {every|each} record on "
    "a line of its own.",
    "{Every|Each} log in {folder} has its own encoding and layout, and its records run over "
    "several lines. {Write|Produce} {target} from them, in UTF-8, one {record a line|line a "
    "record}.",
    "{We|The analysts} cannot search the logs in {folder}: wrong encodings, records broken over "
    "lines. {Prepare|Build} {target}, UTF-8, a single line for {every|each} record.",
    "{target} {shall|should} hold what {lies|is} in {folder}, in UTF-8, with the lines of "
    "{a|each} record stitched {into one|together}.",
    "From the {mixed|motley} logs in {folder}, {derive|make} one UTF-8 file, {target}, {where|in "
    "which} a record is a line.",
)
GUIDE = (
    "{sources} {lists|names} the files, their encodings and layouts; {guide} {says|explains} how "
    "the layouts are read, how a record is {stitched|put together}, and what the commands in "
    "{edits} do.",
    "{Read|See} {guide} for the layouts, the stitching and the edit commands; which {file|log} "
    "has what encoding and layout {is|stands} in {sources}, the edits to apply {are|stand} in "
    "{edits}.",
    "The encoding and layout of {each|every} file {are given|stand} in {sources}, the edits that  "
    "{every|each} record goes through in {edits}; {guide} defines {all of it|both}.",
    "{How|The way} records are broken and stitched is {laid down|described} in {guide}, {which "
    "also|and it} defines the commands of {edits}; {sources} has a line for every file.",
    "{Go|Work} by {guide}: it covers layouts, stitching and the language of {edits}, {whose|the} "
    "edits {must be|are} applied to {each|every} record. {sources} tells encoding and layout.",
    "{edits} is a sheet of edits for {every|each} record, {sources} the list of files with "
    "encoding and layout, {and|while} {guide} {fixes|states} what {both|they} mean.",
)
FORM = (
    "{A|Each} line {reads|is} {form}, with one tab between two of them; the log is {given|named} "
    "by its file name {without|up to} the suffix.",
    "Per record {write|give} {form}, separated by {single tabs|one tab}; by log we mean the file "
    "name without {its|the} suffix.",
    "{form} {make|are} a line, tabs between them, {where|and} the log is its file name without "
    "the suffix.",
    "Four {parts|columns} make a line, {divided|separated} by tabs: {form}; for the log, take its "
    "file name and {drop|cut} the suffix.",
    "{Columns|Its columns} are {form}, with tabs in between; {write|put} the log as its file name "
    "without {suffix|the suffix}.",
    "{Separate|Divide} {form} by a tab each. The log {goes|is called} by its file name, suffix "
    "{removed|cut off}.",
)
ORDER = (
    "{Lines|Records} are sorted by stamp; equal stamps {stay|are} in the order of {sources}, and "
    "within a log {in its own order|as they stand}.",
    "{Sort|Order} by stamp. Where stamps {agree|are equal}, the order of {sources} decides, then "
    "that {in|of} the log.",
    "The {earliest|oldest} stamp comes first; of equal ones, the log that {is|stands} higher up "
    "in {sources}, and in one log what {stands|was written} first.",
    "{Go|It goes} by stamp from {early to late|old to new}, {ties|equal stamps} in the order of "
    "{sources}, and inside a log in {file order|its order}.",
    "By stamp, {ascending|earliest first}; {with|at} the same stamp {keep|use} the order of "
    "{sources} and {inside|within} one log that of its records.",
    "Time decides {the|about} order, {after|behind} it the place in {sources}, {then|and last} "
    "the place in the log.",
)
PROGRAM = (
    "{Leave|Keep} the {program|tool} behind as {program}, in {language}: called with a folder "
    "such as {folder}, it prints the lines; it will be {run|tried} on other folders with the same "
    "layouts and commands.",
    "{Do it|Do the work} with a {language} program, {program}, that takes a folder like {folder} "
    "as its argument and prints the lines. {Later|Other} folders, with other logs and edits, are "
    "{fed|given} to it too.",
    "{program}, written in {language}, {must|has to} do all of this for {any|another} folder that "
    "is {made|built} like {folder}: the folder is its one argument, the lines are its output.",
    "{Next month's|The next} folders {look|are} like {folder}, with other logs and another sheet: "
    "{write|provide} {program} in {language}, which {takes|gets} the folder as argument and "
    "prints the lines.",
    "{There will be|We expect} more folders {like|of the kind of} {folder}. A {language} program, "
    "{program}, should {take|get} one as its argument and {print|write} its lines to standard "
    "output.",
    "{Also|Besides} {hand over|deliver} {program}, the {language} program for it: argument, a "
    "folder {such as|like} {folder}; output, the lines. {Unseen|Other} folders are run through it.",
)


def clauses(facts: dict[str, str]) -> tuple[Clause, ...]:
    """Return the clauses; a program is asked for where the facts name one."""

    def some(*names: str) -> dict[str, str]:
        return {name: facts[name] for name in names}

    clauses = [
        Clause("goal", GOAL, some("folder", "target"), role="goal"),
        Clause("guide", GUIDE, some("sources", "guide", "edits"), role="input"),
        Clause("form", FORM, {"form": "stamp, log, level and text"}, role="format"),
        Clause("order", ORDER, some("sources"), role="rule", bullet=True),
    ]
    if "program" in facts:
        asked = some("program", "language", "folder")
        clauses.append(Clause("program", PROGRAM, asked, role="output"))
    return tuple(clauses)


def guide(plan: Plan, kinds: Sequence[str], *, sample: str) -> str:
    """Return the guide of a world: the layouts that occur, and the commands that mean something."""
    layouts = "\n".join(f"- {kind}: {KINDS[kind]}" for kind in kinds)
    commands = "\n".join(f"- `{form}`: {meaning}" for form, meaning in _commands(plan))
    levels = (
        " `run NAME for LEVEL` runs it only for a record of that level." if plan.by_level else ""
    )
    return f"""# Stitching logs

## Files

`sources.tsv` has a line for each log: file name, encoding, layout, with tabs between them. A line
ends in a line feed, in some logs with a carriage return before it that is no part of the line. A
byte order mark at the start of a log is no part of it either.

## Layouts

{layouts}

Lines before the first record of a log are dropped. The first line of a record that holds anything
begins with a stamp, a blank, the level and another blank; all the rest is its text.

## Stitching

Of every line of a record, strip blanks and tabs at both ends, and leave out what is then empty.
What remains is joined by `{plan.joiner}` (with its blanks) and called the text; stamp and level
are cut off its front.

    {sample}

## Edits

`edits.txt` is applied to the text of every record, from top to bottom; stamp and level never
change. Lines that begin with `#`, and empty ones, mean nothing. What stands between double quotes
is taken literally, blanks included; lower and upper case differ, and a character is a Unicode
code point.

{commands}
- `macro NAME` ... `end`: nothing yet; the lines in between are kept under that name.
- `run NAME`: the lines of that macro, in their order. `run NAME when "A"` runs it only where the
  text, as it is at that moment, contains A.{levels}
"""


def _commands(plan: Plan) -> list[tuple[str, str]]:
    replaced = (
        "Every A, from left to right, becomes B. What was put in is not searched again."
        if plan.everywhere
        else "The first A becomes B, the others stay."
    )
    ends = "go, A and B included" if plan.ends else "is removed, while A and B themselves stay"
    spared = f" but the last {plan.spared}" if plan.spared else ""
    place = "`[T]` and a blank go before it" if plan.front else "a blank and `[T]` go behind it"
    meanings = {
        "replace": ('replace "A" "B"', replaced),
        "cut": (
            'cut "A" "B"',
            f"From the first A to the nearest B behind it: what lies between them {ends}. Then the "
            "same with the text behind that B, until there is no such pair.",
        ),
        "mask": (
            'mask "A"',
            f"Directly behind every A, each digit of an unbroken run{spared} becomes "
            f"`{plan.cover}`.",
        ),
        "drop": ('drop "A"', "A record whose text contains A does not appear at all."),
        "tag": ('tag "A" "T"', f"If the text contains A, {place}."),
        "limit": (
            "limit N",
            f"A text of more than N characters keeps its first N, with `{plan.more}` after them.",
        ),
        "skip": (
            'skip "A"',
            f"The text is split at each `{plan.joiner}`, pieces that begin with A go, and the "
            "others are joined again.",
        ),
    }
    return [meanings[name] for name in plan.commands]

"""The guide of the log-stitcher family, a document in the world."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.file_operations.log_stitcher.edits import Plan
from tmax_gym.families.file_operations.log_stitcher.records import KINDS


def guide(plan: Plan, kinds: Sequence[str], *, sample: str) -> str:
    """Return the guide of a world, with the layouts and the commands that occur."""
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

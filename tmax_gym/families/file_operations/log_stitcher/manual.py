"""The guide of the log-stitcher family, a document in the world."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.file_operations.log_stitcher.edits import Plan
from tmax_gym.families.file_operations.log_stitcher.records import KINDS
from tmax_gym.families.shared.sheets import flowed

_GUIDE = """# Stitching logs

## Files

`sources.tsv` has one line for each log, with three columns separated by tabs: the file name, the
encoding and the layout. The lines of a log end in a line feed. In some logs there is a carriage
return before it, which is not part of the line. A log can begin with a byte order mark, which is
not part of its first line. `sources.tsv` and `edits.txt` are UTF-8.

## Layouts

{layouts}

{before}The first non-empty line of a record begins with a stamp (`YYYY-MM-DD hh:mm:ss`), a blank,
the level and another blank. The rest of the line is text.

## Stitching

Strip blanks and tabs from both ends of every line of a record, and drop the lines that are then
empty. Remove the stamp and the level from the first line. Join the lines with `{joiner}`,
including its blanks. The result is the text of the record. For example, this is a record before any
edits, with its stamp and level in front of the text:

    {sample}

## Edits

The commands in `edits.txt` are applied to the text of every record, in their order. They never
change the stamp or the level. Empty lines and lines that begin with `#` are ignored, and so are
blanks at the beginning of a line. Everything between two double quotes is taken literally,
including blanks. Searching is case-sensitive.

{commands}
- `macro NAME` ... `end`: Store the lines in between, which can also be `run` commands, under this
  name. They are not applied yet.
- `run NAME`: Apply the lines of this macro, in their order. `run NAME when "A"` does so only if the
  text contains A at that point.{levels}
"""


def guide(plan: Plan, kinds: Sequence[str], *, sample: str) -> str:
    """Return the guide of a world, with the layouts and the commands that occur."""
    layouts = "\n".join(f"- {kind}: {KINDS[kind]}" for kind in kinds)
    commands = "\n".join(f"- `{form}`: {meaning}" for form, meaning in _commands(plan))
    levels = " `run NAME for LEVEL` does so only if the record has this level." * plan.by_level
    before = "Lines before the first record of a log are dropped. "
    before *= bool({"stamped", "indented"} & set(kinds))
    return flowed(
        _GUIDE.format(
            layouts=layouts,
            before=before,
            joiner=plan.joiner,
            sample=sample,
            commands=commands,
            levels=levels,
        )
    )


def _commands(plan: Plan) -> list[tuple[str, str]]:
    replaced = (
        "Replace every A with B, from left to right. Do not search the inserted text again."
        if plan.everywhere
        else "Replace the first A with B. The others stay."
    )
    removed = (
        "Remove A, B and everything between them"
        if plan.ends
        else "Remove everything between them, but keep A and B"
    )
    spared = f" except the last {plan.spared}" if plan.spared else ""
    meanings = {
        "replace": ('replace "A" "B"', replaced),
        "cut": (
            'cut "A" "B"',
            f"Find the first A and the first B after it. {removed}. Then do the same in the text "
            "after that B, until there is no such pair left.",
        ),
        "mask": (
            'mask "A"',
            "In every run of digits that directly follows an A, replace each digit"
            f"{spared} with `{plan.cover}`.",
        ),
        "drop": ('drop "A"', "If the text contains A, leave the record out."),
        "tag": (
            'tag "A" "T"',
            "If the text contains A, put "
            + ("`[T]` and a blank before" if plan.front else "a blank and `[T]` after")
            + " the whole text.",
        ),
        "limit": (
            "limit N",
            "If the text has more than N characters (Unicode code points), keep only the first N "
            f"and put `{plan.more}` after them.",
        ),
        "skip": (
            'skip "A"',
            f"Split the text at each `{plan.joiner}`, leave out the pieces that begin with A, and "
            "join the others again in the same way.",
        ),
    }
    return [meanings[name] for name in plan.commands]

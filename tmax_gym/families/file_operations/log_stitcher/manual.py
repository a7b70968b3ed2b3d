"""The guide of the log-stitcher family, a document in the world."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.file_operations.log_stitcher.edits import Plan
from tmax_gym.families.file_operations.log_stitcher.records import KINDS
from tmax_gym.families.shared.sheets import flowed


def guide(plan: Plan, kinds: Sequence[str], *, sample: str) -> str:
    """Return the guide of a world, with the layouts and the commands that occur."""
    layouts = "\n".join(f"- {kind}: {KINDS[kind]}" for kind in kinds)
    commands = "\n".join(f"- `{form}`: {meaning}" for form, meaning in _commands(plan))
    levels = " `run NAME for LEVEL` does so only if the record has this level." * plan.by_level
    return flowed(f"""# Stitching logs

## Files

`sources.tsv` has one line for each log with three cells, separated by tabs: the name of the file,
its encoding and its layout. The lines of a log end in a line feed. In some logs there is a carriage
return before it, which is not a part of the line. A log can begin with a byte order mark, which is
not a part of its first line.

## Layouts

{layouts}

Lines before the first record of a log are dropped. The first line of a record that is not empty
begins with a stamp, a blank, the level and another blank. The rest of it is text.

## Stitching

Strip blanks and tabs from both ends of every line of a record, and leave out lines that are empty
then. Cut the stamp and the level off the front. Join what is left of the lines by `{plan.joiner}`,
including its blanks. This is the text of the record. For example:

    {sample}

## Edits

The commands in `edits.txt` are applied to the text of every record, from the first to the last
command. They never change the stamp or the level. Empty lines and lines that begin with `#` do
nothing. Everything between two double quotes is taken literally, including blanks. Upper and lower
case are different, and a character is a Unicode code point.

{commands}
- `macro NAME` ... `end`: The lines in between are stored under this name and are not applied yet.
- `run NAME`: Apply the lines of this macro, in their order. `run NAME when "A"` does so only if the
  text contains A at this moment.{levels}
""")


def _commands(plan: Plan) -> list[tuple[str, str]]:
    replaced = (
        "Every A is replaced by B, from left to right. Do not search again in what was inserted."
        if plan.everywhere
        else "The first A is replaced by B. The others stay."
    )
    removed = (
        "A, B and everything between them are removed"
        if plan.ends
        else "everything between them is removed, while A and B themselves stay"
    )
    spared = f", except for the last {plan.spared} digits," if plan.spared else ""
    meanings = {
        "replace": ('replace "A" "B"', replaced),
        "cut": (
            'cut "A" "B"',
            f"Find the first A and the nearest B after it: {removed}. Then do the same in the text "
            "after that B, until there is no such pair left.",
        ),
        "mask": (
            'mask "A"',
            f"If digits directly follow an A, each digit of this run of digits{spared} is replaced "
            f"by `{plan.cover}`. This is done for every A.",
        ),
        "drop": ('drop "A"', "If the text of a record contains A, the record is left out."),
        "tag": (
            'tag "A" "T"',
            "If the text contains A, put "
            + (
                "`[T]` and a blank in front of it." if plan.front else "a blank and `[T]` after it."
            ),
        ),
        "limit": (
            "limit N",
            "If the text has more than N characters, keep only the first N and put "
            f"`{plan.more}` after them.",
        ),
        "skip": (
            'skip "A"',
            f"Split the text at each `{plan.joiner}`, leave out the pieces that begin with A, and "
            "join the others again.",
        ),
    }
    return [meanings[name] for name in plan.commands]

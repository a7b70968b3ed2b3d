"""The tool of the bisect family: its source at each commit, its faults and harmless changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng

SOURCE = program_text(__package__, "tool.py")
FAULTS = (
    ("if amount >= LIMIT:", "if amount > LIMIT:", "a fee is missing at the limit itself"),
    ("(amount * RATE + 50) // 100", "amount * RATE // 100", "fees are a little too low"),
    ("cells[0].lower(), int", "cells[0], int", "one name comes up twice"),
    ("found[1] < 0:", "found[1] <= 0:", "an entry of nothing is not counted"),
    ('if kind == "void":', 'if kind == "voided":', "void entries are added up"),
    ("in sorted(totals)]", "in totals]", "the names are in no order"),
    ("[cell.strip() for cell", "[cell for cell", "entries with blanks get lost"),
)
"""Right, wrong, and what a user sees."""
MESSAGES = (
    "Tidy names", "Reword a comment", "Shorten the parser", "Prepare the next release",
    "Make the linter happy", "Clean up after review", "Use plain words", "Sort imports",
    "Follow the style guide", "Simplify a condition", "Split a long line",
)  # fmt: skip
DECOYS = ("Change how fees are rounded", "Rework the order of names", "Parse void entries anew")


def source(version: str, numbers: tuple[int, int], extras: str, *, faults: tuple[int, ...]) -> str:
    """Return the tool at one commit; numbers are limit and rate."""
    text = SOURCE.replace("@version", version).replace("@extras", extras)
    text = text.replace("@limit", str(numbers[0])).replace("@rate", str(numbers[1]))
    for index in faults:
        right, wrong, _ = FAULTS[index]
        if text.count(right) != 1:
            raise ValueError(f"{right!r} is not once in the tool")
        text = text.replace(right, wrong)
    return text


@cache
def _report(numbers: tuple[int, int], fault: int) -> Callable[[list[str]], list[str]]:
    namespace: dict[str, Any] = {"__name__": "tool"}
    text = source("0", numbers, "", faults=(fault,) if fault >= 0 else ())
    exec(compile(text, "tool.py", "exec"), namespace)  # our own module
    report: Callable[[list[str]], list[str]] = namespace["report"]
    return report


def answers(text: str, numbers: tuple[int, int], *, fault: int = -1) -> str:
    """Return the output of the tool for an input; the tool has a fault unless `fault` is -1."""
    return "\n".join(_report(numbers, fault)(text.splitlines())) + "\n"


def entries(rng: Rng, names: list[str], limit: int) -> str:
    """Return an input on which every fault shows."""
    kinds = ("sale", "return", "void")
    rows = [
        f"{rng.choice(names)};{rng.choice(kinds)};{rng.integer(1, 3 * limit)}"
        for _ in range(rng.integer(4, 9))
    ]
    first, second = rng.sample(names, 2)
    rows += [f"{first.upper()};sale;{limit}", f"{first};sale;{limit - 1}", f"{second};void;700"]
    rows += [f"{second} ; sale ; {2 * limit + 17}", f"{second};sale;0", f"{first};return;-5"]
    rows += ["-- end of page --", f"zz{first};sale;{limit + 33}", f"aa{second};sale;12"]
    return "\n".join(rng.shuffled(rows)) + "\n"

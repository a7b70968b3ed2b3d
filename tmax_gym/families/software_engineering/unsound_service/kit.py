"""One language of the unsound-service family: right sections, and faults for them.

Covers the frame that the four language modules fill, and what every step means.  Does not cover
the draw of a service: `services` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

DOC = {
    "tally": "Adds up the values of equal names; a name stays where it came first.",
    "window": "Replaces every value by the sum of itself and up to length - 1 values before it.",
    "expand": "Repeats every row: as often more as |value| leaves when divided by most.",
    "drop": "Drops the rows whose value is below least.",
    "join": "Makes one row of each two: NAME-NAME and the sum; an odd last row stays.",
    "recent": "Keeps the room names seen last, each with its last value, the latest first.",
    "spread": "Replaces the rows by size rows b0, b1, ...: how many values have that remainder "
    "(never negative).",
    "digest": "Adds a row: from 7, times 31 plus each byte of a name, then plus its value, for "
    "every row, modulo 2^32.",
    "rank": "Keeps the most best rows: by falling value, and equal values by rising name.",
    "price": "Replaces every value v by v * factor + fee, fees asked of the desk by lanes workers.",
    "fee": "Adds factor * fee to every value, all fees asked of the desk at once.",
    "head": "Keeps the first most rows.",
}
"""The purpose of each step: the only specification for a repair, and always right."""
Edits = tuple[tuple[str, str], ...]
"""Right texts, each of which is found once in its section, and their faulty replacements."""


@dataclass(frozen=True, slots=True)
class Call:
    """One step of a service."""

    step: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Kit:
    """One language."""

    head: str
    """The head of a program: types, reading, printing and freeing."""
    steps: Mapping[str, str]
    """Source of each step and of the frame; `@doc` stands for the step's entry in `DOC`."""
    first: tuple[Edits, ...]
    """Faults in the head or in the step `always`; each spoils every answer."""
    faults: Mapping[str, tuple[Edits, ...]]
    """Faults by step; each spoils some answers."""
    main: Callable[[Sequence[Call]], str]
    strict: str
    """The compiler call with the strictest options, without the files."""
    always: str = ""
    """A step with which every service begins; "" if there is none."""

    def source(self, calls: Sequence[Call], faults: Mapping[str, Edits] | None = None) -> str:
        """Return the program with these faults: one for each step; "" is the frame."""
        wrong = faults or {}
        sections = [
            spoilt(self.steps[step], wrong.get(step, ())).replace("@doc", DOC[step])
            for step in sorted({call.step for call in calls})
        ]
        return spoilt("\n".join([self.head, *sections, self.main(calls)]), wrong.get("", ()))


def spoilt(source: str, edits: Edits) -> str:
    """Return source with one fault."""
    for right, wrong in edits:
        if source.count(right) != 1:
            raise ValueError(f"{right!r} stands {source.count(right)} times")
        source = source.replace(right, wrong)
    return source

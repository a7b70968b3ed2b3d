"""One language of the compiler-said family: sections of source, and ways to break them.

Covers the frame that the four language modules fill.  Does not cover what a section does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

DOC = {
    "record": "One line of input: a name and a number.",
    "reading": "Reads lines of a name and a number until the end of input.",
    "report": "Prints every line, and then how many there are and their sum.",
    "scale": "Replaces every value v by v * factor + offset.",
    "wrap": "Brings every value into 0 .. size - 1 by adding or taking away multiples of size.",
    "merge": "Adds up the values of equal names; a name stays where it came first.",
    "rank": "Sorts by falling value, and equal values by rising name.",
    "delta": "Replaces every value by its difference to the one before; the first becomes 0.",
    "window": "Replaces every value by the sum of itself and up to length - 1 values before it.",
    "keep": "Drops the lines whose value is below least.",
    "head": "Drops all but the first most lines.",
    "fold": "Turns the letters A to Z of every name into a to z.",
}
"""The purpose of each section: the only specification for a repair, and always right."""
SHARED = ("record", "reading", "report")
MAIN = "main"
Slip = tuple[str, str]
"""Right text, found once in its section, and what stands there instead."""


@dataclass(frozen=True, slots=True)
class Call:
    """One stage of a tool."""

    stage: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Kit:
    """One language."""

    sections: Mapping[str, str]
    """Source by section; `@doc` is the section's entry of `DOC`."""
    slips: Mapping[str, tuple[Slip, ...]]
    """By section; none of them compiles, whatever else is right."""
    main: Callable[[str, Sequence[Call]], str]
    """Returns a tool's own part: from the library's name and the calls."""
    main_slips: Callable[[str, Sequence[Call]], tuple[Slip, ...]]
    suffix: str = ""
    """Suffix of a section's file; "" if a tool is one file with everything in it."""

    def section(self, name: str) -> str:
        """Return the right source of a section."""
        return self.sections[name].replace("@doc", DOC[name])

"""Personas: who writes an instruction, and how they begin and end.

Covers at least six invented people in each of the nine domains, each with four openers or
more, and the titles, greetings, closers and scenarios of `phrases`. An opener says how the
work came up; it never states a fact of the task.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Persona:
    """One kind of author."""

    name: str
    """Identifier, as in "key-custodian"; unique within a domain."""
    title: str
    """What a signature says."""
    openers: tuple[str, ...]
    """Templates over the keys of `Skin.slots`."""


@lru_cache(maxsize=1)
def _by_domain() -> dict[str, tuple[Persona, ...]]:
    from tmax_gym.texts.personas import code, data, ops

    found: dict[str, tuple[Persona, ...]] = {}
    for module in (code, data, ops):
        for chapter in re.sub(r"\n +", " ", module.PERSONAS).strip().split("= ")[1:]:
            domain, *blocks = chapter.strip().split("\n")
            people = [block.splitlines() for block in "\n".join(blocks).strip().split("\n\n")]
            found[domain] = tuple(_persona(lines) for lines in people)
    return found


def _persona(lines: list[str]) -> Persona:
    name, _, title = lines[0].partition(" | ")
    return Persona(name, title, tuple(lines[1:]))


def personas(domain: str) -> tuple[Persona, ...]:
    """Return the personas of a domain.

    Raises:
        ValueError: There is no such domain.
    """
    try:
        return _by_domain()[domain]
    except KeyError:
        known = ", ".join(_by_domain())
        raise ValueError(f"no personas for the domain {domain!r}; there are: {known}") from None

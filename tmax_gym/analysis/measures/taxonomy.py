"""The taxonomy of skills: domains, skill types of a domain, primitive skills of a type.

The names are those of TMax's published taxonomy.  In `skills.txt` every name has a line: a domain,
then its types, and below each type its primitive skills, indented.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources


@lru_cache(maxsize=1)
def skills() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the primitive skills by domain and skill type."""
    taxonomy: dict[str, dict[str, tuple[str, ...]]] = {}
    domain, type_ = "", ""
    text = resources.files("tmax_gym.analysis").joinpath("skills.txt").read_text("utf-8")
    for line in text.splitlines():
        if line.startswith("= "):
            domain = line[2:]
            taxonomy[domain] = {}
        elif line.startswith("  "):
            taxonomy[domain][type_] = (*taxonomy[domain][type_], line.strip())
        else:
            type_ = line
            taxonomy[domain][type_] = ()
    return taxonomy


def primitives() -> tuple[str, ...]:
    """Return every primitive skill once."""
    return tuple(s for types in skills().values() for own in types.values() for s in own)

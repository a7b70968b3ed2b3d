"""The taxonomy of skills: domains, their skill types, the primitive skills of those.

The names are those of TMax's published taxonomy, in `skills.txt`: a domain, its types, and
the primitive skills of each type, one a line and further in.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources


@lru_cache(maxsize=1)
def skills() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the primitive skills by domain and skill type."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    domain, type_ = "", ""
    text = resources.files("tmax_gym.analysis").joinpath("skills.txt").read_text("utf-8")
    for line in text.splitlines():
        if line.startswith("= "):
            domain = line[2:]
            found[domain] = {}
        elif line.startswith("  "):
            found[domain][type_] = (*found[domain][type_], line.strip())
        else:
            type_ = line
            found[domain][type_] = ()
    return found


def primitives() -> tuple[str, ...]:
    """Return every primitive skill; no two are equal."""
    return tuple(s for types in skills().values() for own in types.values() for s in own)

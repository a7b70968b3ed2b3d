"""Scripts that run inside the run sandbox, under its trusted interpreter, as root.

They hold no expected value and decide nothing: they run what the agent made, unprivileged,
and report bytes.  Standard library only; nothing here is imported by the package.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

STRETCH = 2.0
"""How many times its limit a run may last where it had to wait for a processor.  A machine with 28
busy processes for 2 processors took 11 rewards of 2,000 away; one that gives less than half of
what is needed is too small, and a verdict has to come."""
_PARTS = {
    "cases": ("processor", "programs", "surroundings"),
    "talk": ("processor", "programs"),
    "editor": ("textfile",),
}
"""What goes before a driver: a script that is sent can import nothing of ours."""
_FUTURE = "from __future__ import annotations\n"


def source(name: str) -> str:
    """Return the source text of a driver, for `python3 -I -S -c`."""
    *parts, text = [
        files(__name__).joinpath(f"{part}.py").read_text(encoding="utf-8")
        for part in (*_PARTS.get(name, ()), name)
    ]
    if not parts:
        return text
    return _FUTURE + "".join(part.replace(_FUTURE, "", 1) for part in (*parts, text))


END_SECONDS = 2.0
"""For a killed program to be gone: `cases` waits a second for its end, `end_all` for the rest."""


def longest(name: str, job: Mapping[str, object]) -> float:
    """Return the seconds that a driver takes at most: whoever waits for it must wait longer.

    A run may begin just before the budget is spent; a conversation ends with its budget.
    """
    last = {"cases": float(str(job["timeout"])), "talk": 0.0}[name]
    return STRETCH * (float(str(job["budget"])) + last) + END_SECONDS

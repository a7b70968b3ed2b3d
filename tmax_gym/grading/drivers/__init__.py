"""Drivers: scripts that run the agent's programs inside a fresh sandbox and report bytes.

They run as root under the sandbox's trusted interpreter, start programs without privileges, hold
no expected values and decide nothing.  They need the standard library only; the package imports
none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

STRETCH = 2.0
"""A run that had to wait for a processor may last this many times its limit.  Without it, a machine
with 28 busy processes for 2 processors took away 11 rewards of 2,000.  There has to be a limit: a
machine that gives less than half of the processor time is too small."""
_PARTS = {
    "cases": ("processor", "programs", "surroundings"),
    "talk": ("processor", "programs"),
    "editor": ("textfile",),
}
"""Modules whose text precedes a driver's: a script in a sandbox cannot import them."""
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
"""For killed programs to be gone: `cases` waits a second for one, `end_all` for the others."""


def longest(name: str, job: Mapping[str, object]) -> float:
    """Return an upper bound of a driver's run time; use a longer time-out.

    A run may begin just before the budget is spent; a conversation ends with its budget.
    """
    last = {"cases": float(str(job["timeout"])), "talk": 0.0}[name]
    return STRETCH * (float(str(job["budget"])) + last) + END_SECONDS

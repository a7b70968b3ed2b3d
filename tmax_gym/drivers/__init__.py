"""Scripts that run inside the run sandbox, under its trusted interpreter, as root.

They hold no expected value and decide nothing: they run what the agent made, unprivileged,
and report bytes.  Standard library only; nothing here is imported by the package.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files


def source(name: str) -> str:
    """Return the source text of a driver, for `python3 -I -S -c`."""
    return files(__name__).joinpath(f"{name}.py").read_text(encoding="utf-8")


END_SECONDS = 2.0
"""For a killed program to be gone: `cases` waits a second for its end, `end_all` for the rest."""


def longest(name: str, job: Mapping[str, object]) -> float:
    """Return the seconds that a driver takes at most: whoever waits for it must wait longer.

    A run may begin just before the budget is spent; a conversation ends with its budget.
    """
    last = {"cases": float(str(job["timeout"])), "talk": 0.0}[name]
    return float(str(job["budget"])) + last + END_SECONDS

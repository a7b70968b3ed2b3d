"""`Verdict` and `Part`: the result of grading an episode; failed grading gives no verdict."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """One check or gate of a verdict."""

    id: str
    kind: str
    """Verifier kind, or `gate`."""
    weight: float
    score: float
    note: str = ""
    """Why the score is not 1, if that is known."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A reward: the product of the gates times the weighted mean of the checks."""

    reward: float
    """In [0, 1]."""
    parts: tuple[Part, ...]
    seconds: float = 0.0
    waited: float = 0.0
    """Seconds that programs waited for a processor, which count against no limit."""

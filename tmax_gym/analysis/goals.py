"""Goals: a measured number, what it should be, and whether it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Goal:
    """One number that is to be reached."""

    value: float
    goal: float
    at_most: bool = True
    """Whether the value may not exceed the goal; else it may not stay below."""

    @property
    def met(self) -> bool:
        """Whether it is reached."""
        return self.value <= self.goal if self.at_most else self.value >= self.goal


def rows(goals: Mapping[str, Goal]) -> dict[str, dict[str, object]]:
    """Return goals as JSON objects, in the form of the results of all benchmarks."""
    return {
        name: {
            "value": round(one.value, 4),
            "goal": one.goal,
            "at_most": one.at_most,
            "ok": one.met,
        }
        for name, one in goals.items()
    }


def line(goals: Mapping[str, Goal]) -> str:
    """Return goals as one line of JSON.

    >>> line({"n": Goal(1, 2)})
    '{"targets": {"n": {"at_most": true, "goal": 2, "ok": true, "value": 1}}}'
    """
    return json.dumps({"targets": rows(goals)}, sort_keys=True)

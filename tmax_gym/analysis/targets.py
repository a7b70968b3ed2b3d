"""Targets: a measured number, what it should be, and whether it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """One number that is to be reached."""

    value: float
    goal: float
    at_most: bool = True
    """Whether the value may not exceed the goal; else it may not stay below."""

    @property
    def met(self) -> bool:
        """Whether it is reached."""
        return self.value <= self.goal if self.at_most else self.value >= self.goal


def rows(targets: Mapping[str, Target]) -> dict[str, dict[str, object]]:
    """Return targets as JSON objects, in the form of the results of all benchmarks."""
    return {
        name: {
            "value": round(one.value, 4),
            "goal": one.goal,
            "at_most": one.at_most,
            "ok": one.met,
        }
        for name, one in targets.items()
    }


def last_line(targets: Mapping[str, Target]) -> str:
    """Return targets as one line of JSON.

    >>> last_line({"n": Target(1, 2)})
    '{"targets": {"n": {"at_most": true, "goal": 2, "ok": true, "value": 1}}}'
    """
    return json.dumps({"targets": rows(targets)}, sort_keys=True)

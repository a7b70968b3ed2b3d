"""Targets: a measured number, its goal, and whether the goal is met."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """A measured number and its goal."""

    value: float
    goal: float
    at_most: bool = True
    """Whether the goal is the largest allowed value; else it is the smallest."""

    @property
    def met(self) -> bool:
        """Whether the goal is met."""
        return self.value <= self.goal if self.at_most else self.value >= self.goal


def rows(targets: Mapping[str, Target]) -> dict[str, dict[str, object]]:
    """Return targets as JSON objects, as in the result files of benchmarks."""
    return {
        name: {
            "value": round(target.value, 4),
            "goal": target.goal,
            "at_most": target.at_most,
            "ok": target.met,
        }
        for name, target in targets.items()
    }


def last_line(targets: Mapping[str, Target]) -> str:
    """Return targets as one line of JSON.

    >>> last_line({"n": Target(1, 2)})
    '{"targets": {"n": {"at_most": true, "goal": 2, "ok": true, "value": 1}}}'
    """
    return json.dumps({"targets": rows(targets)}, sort_keys=True)

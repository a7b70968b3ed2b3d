"""One row of the catalogue: `TaskSpec`, the frozen seed from which a task is regenerated.

Covers the nine axes, the plan and the digest that a regenerated task must match.  Does not
cover the instruction, the files or the checks: `compose.py` makes those from a spec.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from tmax_gym.axes import (
    CommandComplexity,
    Complexity,
    Domain,
    Fixture,
    Language,
    Split,
    VerifierKind,
)


@dataclass(frozen=True, slots=True)
class StageRef:
    """One stage of a plan and where its inputs come from."""

    family: str
    """Family slug, for example `traversal-guard`."""
    inputs: tuple[tuple[str, int, str], ...] = ()
    """(input port, index of the producing stage, its output port); the others are drawn."""


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """Everything that decides a task, and the labels that describe it."""

    name: str
    """The id without its namespace: `<family>.<skin>-<number>`."""
    domain: Domain
    skill: str
    """Skill type, by the taxonomy's name."""
    primitives: tuple[str, ...]
    """Three to five primitive skills, by the taxonomy's names."""
    persona: str
    language: Language
    complexity: Complexity
    commands: CommandComplexity
    fixture: Fixture
    verifier: VerifierKind
    skin: str
    register: str
    explicitness: Literal["explicit", "pointer"]
    plan: tuple[StageRef, ...]
    """Stages in the order in which the reference solution works through them; the last is
    the one that names the task."""
    seed: int
    level: float
    """Difficulty knob of the families, in [0, 1]."""
    image: str
    split: Split
    digest: str = ""
    """Identifies the regenerated task (instruction, files, oracle); "" while it is planned."""

    def to_json(self) -> str:
        """Return one line of JSON with sorted keys."""
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)


def from_row(row: dict[str, Any]) -> TaskSpec:
    """Return the spec of one decoded index row."""
    plan = tuple(
        StageRef(stage["family"], tuple((p, int(i), o) for p, i, o in stage["inputs"]))
        for stage in row["plan"]
    )
    return TaskSpec(**{**row, "plan": plan, "primitives": tuple(row["primitives"])})

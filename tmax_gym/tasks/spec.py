"""`TaskSpec`: one row of the catalogue, from which `compose.py` regenerates a task."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from tmax_gym.axes import (
    CommandComplexity,
    Complexity,
    Domain,
    Fixture,
    Language,
    Split,
    VerifierKind,
    Voice,
)


@dataclass(frozen=True, slots=True)
class StageRef:
    """One stage of a plan and where its inputs come from."""

    family: str
    """Slug of a family or a follow-up, for example `traversal-guard`."""
    inputs: tuple[tuple[str, int, str], ...] = ()
    """(input port, index of the producing stage, its output port); other inputs are drawn."""


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """Everything that decides a task, and the labels of the nine axes."""

    name: str
    """The id without its namespace: `<family>.<skin>-<number>`."""
    domain: Domain
    skill: str
    """Skill type, as named by the taxonomy."""
    primitives: tuple[str, ...]
    """Three to five primitive skills, as named by the taxonomy."""
    persona: str
    """Who asks, as an author may imagine: the name of a persona of the domain."""
    language: Language
    complexity: Complexity
    commands: CommandComplexity
    fixture: Fixture
    verifier: VerifierKind
    skin: str
    voice: Voice
    plan: tuple[StageRef, ...]
    """Stages in the order of the reference solution.  The family that names the task is the first
    one if follow-ups come after it, else the last one."""
    seed: int
    level: float
    """Difficulty for the families, in [0, 1]."""
    image: str
    split: Split
    steps: int = 0
    """Simple commands of the reference solution; 0 before the task is expanded."""
    digest: str = ""
    """Hash of files, set-up and oracle; "" before the task is expanded.  Words do not count."""

    @property
    def family(self) -> str:
        """Return the slug of the family that names the task."""
        return self.name.partition(".")[0]

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

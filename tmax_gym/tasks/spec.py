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
    """One stage of a plan, and what it works on."""

    family: str
    """Slug of a family or a follow-up, for example `traversal-guard`."""
    product: tuple[int, str] | None = None
    """For a follow-up: (index of the earlier stage, name of its product)."""


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
    """The family that names the task, then its follow-ups, in the order of the solution."""
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
        StageRef(stage["family"], tuple(stage["product"]) if stage["product"] else None)
        for stage in row["plan"]
    )
    return TaskSpec(**{**row, "plan": plan, "primitives": tuple(row["primitives"])})

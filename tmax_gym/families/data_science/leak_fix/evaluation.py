"""The vendored evaluation of the leak-fix family: four stages in whole numbers, and its leaks.

Covers the package's source, the leaks and hasty repairs of them, random tables, and the package
run in place.  Does not cover real estimators: a nearest-neighbour vote shows every leak.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng

STAGES = ("folds", "columns", "scale", "score")
MODULES: Mapping[str, str] = {
    "split": program_text(__package__, "folds.py"),
    "columns": program_text(__package__, "features.py"),
    "model": program_text(__package__, "model.py"),
    "__main__": program_text(__package__, "main.py").replace("\\\\", "\\"),
}


@dataclass(frozen=True, slots=True)
class Leak:
    """One place where tested rows influence the training."""

    stage: str
    module: str
    right: str
    wrong: str
    others: tuple[str, str]
    """Hasty repairs."""


LEAKS: tuple[Leak, ...] = (
    Leak("folds", "split",
         '{row["id"]: order.index(row["grp"]) % FOLDS for row in rows}',
         '{row["id"]: at % FOLDS for at, row in enumerate(rows)}',
         ('{row["id"]: order.index(row["grp"]) * FOLDS // len(order) for row in rows}',
          '{row["id"]: row["id"] % FOLDS for row in rows}')),
    Leak("columns", "columns", 'c not in FIXED and not c.startswith("late_")', "c not in FIXED",
         ('c not in FIXED and c.startswith("late_")',
          'c not in FIXED and c[:5] != "late_" and rows[0][c] < 60')),
    Leak("columns", "columns", "seen = train", "seen = train + test",
         ("seen = test", "seen = train[2:]")),
    Leak("scale", "columns", "known = train", "known = train + test",
         ("known = test", "known = train[1:]")),
    Leak("score", "model", "pool = train", "pool = train + test",
         ("pool = test", "pool = train[3:]")),
)  # fmt: skip
RULES = """\
How this evaluation is meant
============================

`python3 {package} STAGE TABLE` prints what a stage decides, fold by fold.

- folds     Groups (`grp`) in order of name are dealt out to folds 0, 1, 2, 0, ...; all rows of a
            group are tested together.
- columns   The two columns whose means differ most between the targets, among the rows trained
            on. Columns `late_...` are filled in after the outcome and never candidates.
- scale     Mean and spread of the chosen columns, from the rows trained on.
- score     A row is predicted by the three nearest rows trained on, ties by id.

No row that is tested may have a say in how it is predicted.
"""
"""The notes in the package, with `{package}` for its path."""
Edits = tuple[tuple[str, str, str], ...]
Rows = list[dict[str, Any]]


@cache
def package(edits: Edits) -> Any:
    """Return the report of the package with (module, right, instead) replaced."""
    space: dict[str, Any] = {"__name__": "package"}
    for module in ("split", "columns", "model", "__main__"):
        source = MODULES[module]
        for where, right, instead in edits:
            source = source.replace(right, instead) if where == module else source
        lines = [x for x in source.split("\n") if not x.startswith(("from ", "import ", "sys."))]
        exec(compile("\n".join(lines), module, "exec"), space)  # our own text, from above
    return space["report"]


def table(rng: Rng, names: list[str], size: int) -> Rows:
    """Return rows of a few groups; columns whose name begins with `late_` give the target away."""
    groups = [f"g{number}" for number in rng.sample(range(10, 100), 6)]
    rows: Rows = []
    for number in range(1, size + 1):
        target = rng.integer(0, 1)
        row: dict[str, Any] = {"id": number, "grp": _group(groups, number, rng)}
        for at, name in enumerate(names):
            shift = 160 if name.startswith("late_") else 35 if at % 2 else 0
            row[name] = rng.integer(0, 120 + 20 * at) + shift * target
        rows.append({**row, "target": target})
    return rows


def _group(groups: list[str], number: int, rng: Rng) -> str:
    """Return a group; every one has a row at least."""
    return groups[number - 1] if number <= len(groups) else rng.choice(groups)


def csv_text(rows: Rows) -> str:
    """Return rows as CSV."""
    lines = [",".join(rows[0])] + [",".join(str(v) for v in row.values()) for row in rows]
    return "\n".join(lines) + "\n"


def edits(leaks: tuple[Leak, ...]) -> Edits:
    """Return the edits that add the leaks."""
    return tuple((leak.module, leak.right, leak.wrong) for leak in leaks)

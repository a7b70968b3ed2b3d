"""The vendored evaluation of the leak-fix family: four stages in whole numbers, and its leaks.

Covers the package's source, the leaks and hasty repairs of them, random tables, and the package
run in place.  Does not cover real estimators: a nearest-neighbour vote shows every leak.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tmax_gym.rng import Rng

STAGES = ("folds", "columns", "scale", "score")
MODULES: Mapping[str, str] = {
    "split": '''\
"""Which row is tested in which fold."""

FOLDS = 3


def folds(rows):
    order = sorted({row["grp"] for row in rows})
    return {row["id"]: order.index(row["grp"]) % FOLDS for row in rows}


def parts(rows, fold):
    place = folds(rows)
    train = [row for row in rows if place[row["id"]] != fold]
    test = [row for row in rows if place[row["id"]] == fold]
    return train, test
''',
    "columns": '''\
"""Which columns the model sees, and on which scale."""

FIXED, WANTED = ("id", "grp", "target"), 2


def candidates(rows):
    return [c for c in rows[0] if c not in FIXED and not c.startswith("late_")]


def mean(values):
    return sum(values) // len(values) if values else 0


def chosen(train, test):
    seen = train
    gap = {}
    for c in candidates(seen):
        one = mean([row[c] for row in seen if row["target"]])
        two = mean([row[c] for row in seen if not row["target"]])
        gap[c] = abs(one - two)
    return sorted(gap, key=lambda c: (-gap[c], c))[:WANTED]


def scale(train, test, names):
    known = train
    found = {}
    for c in names:
        values = [row[c] for row in known]
        found[c] = (mean(values), max(1, max(values) - min(values)))
    return found
''',
    "model": '''\
"""Three nearest neighbours by scaled distance."""


def scaled(row, sizes):
    return [1000 * (row[c] - middle) // spread for c, (middle, spread) in sizes.items()]


def predicted(row, train, test, sizes):
    pool = train
    here = scaled(row, sizes)

    def away(other):
        there = scaled(other, sizes)
        return (sum((a - b) ** 2 for a, b in zip(here, there)), other["id"])

    near = sorted(pool, key=away)[:3]
    return int(2 * sum(other["target"] for other in near) > len(near))
''',
    "__main__": '''\
"""Command line: a stage and a table; prints what the stage decides, fold by fold."""
import csv
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from columns import chosen, scale
from model import predicted
from split import FOLDS, folds, parts


def load(path):
    with open(path) as file:
        return [{k: v if k == "grp" else int(v) for k, v in row.items()}
                for row in csv.DictReader(file)]


def report(stage, rows):
    if stage == "folds":
        return [f"{key} {fold}" for key, fold in sorted(folds(rows).items())]
    lines = []
    for fold in range(FOLDS):
        train, test = parts(rows, fold)
        names = chosen(train, test)
        sizes = scale(train, test, names)
        if stage == "columns":
            lines.append(" ".join(names))
        elif stage == "scale":
            lines.append(" ".join(f"{c}:{m}:{s}" for c, (m, s) in sizes.items()))
        else:
            hits = sum(predicted(r, train, test, sizes) == r["target"] for r in test)
            lines.append(f"{hits} of {len(test)}")
    return lines


if __name__ == "__main__":
    print("\\\\n".join(report(sys.argv[1], load(sys.argv[2]))))
'''.replace("\\\\", "\\"),
}


@dataclass(frozen=True, slots=True)
class Leak:
    """One place where the tested rows get into the training."""

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
    made: Rows = []
    for number in range(1, size + 1):
        target = rng.integer(0, 1)
        row: dict[str, Any] = {"id": number, "grp": _group(groups, number, rng)}
        for at, name in enumerate(names):
            shift = 160 if name.startswith("late_") else 35 if at % 2 else 0
            row[name] = rng.integer(0, 120 + 20 * at) + shift * target
        made.append({**row, "target": target})
    return made


def _group(groups: list[str], number: int, rng: Rng) -> str:
    """Return a group; every one has a row at least."""
    return groups[number - 1] if number <= len(groups) else rng.choice(groups)


def csv_text(rows: Rows) -> str:
    """Return rows as CSV."""
    lines = [",".join(rows[0])] + [",".join(str(v) for v in row.values()) for row in rows]
    return "\n".join(lines) + "\n"


def edits(leaks: tuple[Leak, ...]) -> Edits:
    """Return what puts the leaks in."""
    return tuple((leak.module, leak.right, leak.wrong) for leak in leaks)

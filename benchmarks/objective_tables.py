"""The tables of `docs/objectives.md`, from what `stability.py` measured; `table.py` writes them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tmax_gym.reports.markdown import to_markdown
from tmax_gym.reports.page import Table

HERE = Path(__file__).parent
DOCUMENT = HERE.parent / "docs" / "objectives.md"


def stability() -> list[str]:
    """Return a row for every arm: rewards, entropy and gap by the age of the rollouts."""
    return _table("stability")


def long_runs() -> list[str]:
    """Return the same for the runs of more steps."""
    return _table("stability_long")


TABLES: Mapping[str, Callable[[], list[str]]] = {"stability": stability, "long runs": long_runs}


def _table(name: str) -> list[str]:
    text = (HERE / "results" / f"{name}.json").read_text(encoding="utf-8")
    arms: dict[str, dict[int, Mapping[str, Any]]] = {}
    for row in json.loads(text)["arms"]:
        arms.setdefault(row["arm"], {})[row["versions"]] = row
    ages = sorted({age for rows in arms.values() for age in rows})
    by_age = "" if len(ages) == 1 else f" at {', '.join(map(str, ages))}"
    head = ("arm", *(f"reward, {age} versions old" for age in ages),
            f"entropy{by_age}", f"gap{by_age}")  # fmt: skip
    lines = []
    for arm, rows in arms.items():
        own = [rows[age] for age in ages]
        entropies = ", ".join(f"{row['entropy']:.2f}" for row in own)
        gaps = ", ".join(f"{row['gap']:.3f}" for row in own)
        lines.append((arm, *map(_reward, own), entropies, gaps))
    return to_markdown(Table(head, tuple(lines))).splitlines()


def _reward(row: Mapping[str, Any]) -> str:
    """Return the last reward, the best, the greatest fall, and how many runs collapsed."""
    collapsed = f", {row['collapsed']} of {row['seeds']} collapsed" if row["collapsed"] else ""
    return f"{row['last']:.2f} ({row['best']:.2f}, −{row['fall']:.2f}){collapsed}"

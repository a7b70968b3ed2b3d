"""How often a strong language model solved tasks from the instruction and the shell alone.

Covers what is stored with the catalogue: counts by family, complexity and domain, and rates that
allow for few trials.  Does not cover single trials: they are in `benchmarks/results`, from which
`benchmarks/blind_trials.py` writes this summary.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from tmax_gym.tasks import folder

FILE = "blind_trials.json"
AXES = ("complexity", "domain", "family")
"""The fields of a spec by which trials are counted."""
PRIOR = 2
"""Trials with the mean rate of all that are added to those of a family.  Laplace's rule of
succession adds two as well, but assumes one success in two, which is far below the mean here."""


@dataclass(frozen=True, slots=True)
class Tried:
    """The trials of all tasks with one label."""

    trials: int
    solved: int
    """Trials with a reward of 1."""
    commands: float
    """Mean number of commands of a trial."""

    @property
    def rate(self) -> float:
        """Return the share of trials that solved their task."""
        return self.solved / self.trials


Counts = Mapping[str, Mapping[str, Tried]]
"""Counts by axis (one of `AXES`), then by label."""


@cache
def stored() -> Counts:
    """Return the stored counts; every axis is empty if the catalogue has no trials."""
    file = folder.root() / FILE
    axes = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return {
        axis: {label: Tried(**row) for label, row in axes.get(axis, {}).items()} for axis in AXES
    }


def write(counts: Counts, file: Path | None = None) -> None:
    """Write counts to a file, the catalogue's own by default."""
    axes = {
        axis: {label: asdict(tried) for label, tried in sorted(counts[axis].items())}
        for axis in AXES
    }
    text = json.dumps(axes, indent=1, sort_keys=True) + "\n"
    (file or folder.root() / FILE).write_text(text, encoding="utf-8")


def smoothed(tried: Tried | None, mean: float) -> float:
    """Return a pass rate to which `PRIOR` trials with the mean rate are added.

    >>> smoothed(Tried(trials=2, solved=1, commands=4.0), mean=0.9)
    0.7
    """
    trials, solved = (tried.trials, tried.solved) if tried else (0, 0)
    return (solved + PRIOR * mean) / (trials + PRIOR)


def family_rates(families: Iterable[str], counts: Counts | None = None) -> dict[str, float]:
    """Return the smoothed pass rate of each family; without any trials it is 1 for all."""
    own = (stored() if counts is None else counts)["family"]
    trials = sum(tried.trials for tried in own.values())
    mean = sum(tried.solved for tried in own.values()) / trials if trials else 1.0
    return {family: smoothed(own.get(family), mean) for family in families}

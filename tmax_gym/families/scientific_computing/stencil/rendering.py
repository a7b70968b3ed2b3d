"""The solver of the stencil family in four languages.

Covers half cells at the ends, Newton's rounds and the elimination of a band of three; one program
a language, that of C is C++ as well.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.axes import Language
from tmax_gym.families.scientific_computing.stencil.profiles import Law
from tmax_gym.families.shared.programs import program_text


@dataclass(frozen=True, slots=True)
class Choices:
    """Choices of a solver beyond the equation; the defaults are right."""

    cells: int = 4000
    rounds: int = 60
    sign: int = -1
    """Direction in which the exchange at the right end counts."""
    taper: int = 1
    power: int = -1
    """Power of the loss; -1 for that of the law."""
    half: float = 0.5
    """Share of a cell that an end has."""
    mean: int = -1
    """Whether the mean is printed; -1 for what the law says."""


def render(of: Law, language: Language, choices: Choices = Choices()) -> str:
    """Return a complete program."""
    numbers: dict[str, object] = {
        "cells": choices.cells,
        "rounds": choices.rounds,
        "sign": f"{choices.sign}.0",
        "taper": choices.taper,
        "power": of.loss if choices.power < 0 else choices.power,
        "half": choices.half,
        "mean": int(of.mean) if choices.mean < 0 else choices.mean,
    }
    source = PROGRAMS[language]
    for name, number in numbers.items():
        source = source.replace(f"@{name}", str(number))
    return source


_C = program_text(__package__, "main.c")
PROGRAMS = {
    "c": _C,
    "cpp": _C,
    "go": program_text(__package__, "main.go"),
    "rust": program_text(__package__, "main.rs"),
}

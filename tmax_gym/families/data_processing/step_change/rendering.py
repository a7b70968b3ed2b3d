"""Reference programs of the step-change family, with workers that run side by side.

Covers five languages, and the filling of placeholders.
"""

from __future__ import annotations

from dataclasses import asdict

from tmax_gym.axes import Language
from tmax_gym.families.data_processing.step_change import rules
from tmax_gym.families.shared.programs import program_text


def program(plan: rules.Plan, language: Language) -> str:
    """Return a program; a variant goes by its place in the tables of `rules.py`."""
    numbers: dict[str, int] = {k: v for k, v in asdict(plan).items() if not isinstance(v, str)}
    tables = {
        "scale": rules.SCALES,
        "odd": rules.ODD,
        "change": rules.CHANGES,
        "distance": rules.DISTANCES,
        "deal": rules.DEALS,
    }
    for name, table in tables.items():
        numbers[name] = table.index(getattr(plan, name))
    body = _PROGRAMS[language]
    for name, value in numbers.items():
        body = body.replace(f"@{name}@", str(int(value)))
    return body


_PYTHON = program_text(__package__, "main.py")
_PROGRAMS = {
    "python": _PYTHON,
    "c": program_text(__package__, "main.c"),
    "cpp": program_text(__package__, "main.cpp"),
    "go": program_text(__package__, "main.go"),
    "rust": program_text(__package__, "main.rs"),
}

"""The aligner of the affine-align family in five languages.

Covers one program a language, filled with the numbers of a plan; that of C is C++ as well.
"""

from __future__ import annotations

from tmax_gym.axes import Language
from tmax_gym.families.scientific_computing.affine_align.alignment import STATES, Plan
from tmax_gym.families.shared.programs import program_text


def render(plan: Plan, language: Language) -> str:
    """Return a complete program."""
    numbers: dict[str, object] = {
        "mode": ("global", "fit", "local").index(plan.mode),
        "weights": ", ".join(map(str, plan.weights)),
        "firsts": f"0, {plan.firsts[0]}, {plan.firsts[1]}",
        "nexts": f"0, {plan.nexts[0]}, {plan.nexts[1]}",
        "order": ", ".join(str(STATES.index(s)) for s in plan.order),
    }
    for name in ("touch", "front", "late", "split", "runs", "strands"):
        numbers[name] = int(getattr(plan, name))
    source = PROGRAMS[language]
    for name, number in numbers.items():
        source = source.replace(f"@{name}", str(number))
    return source


_C = program_text(__package__, "main.c")
PROGRAMS = {
    "c": _C,
    "cpp": _C,
    "python": program_text(__package__, "main.py"),
    "go": program_text(__package__, "main.go"),
    "rust": program_text(__package__, "main.rs"),
}

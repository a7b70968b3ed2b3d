"""Reference programs of the template-mill family, and their versions with mistakes.

Each takes a folder and prints all letters.  Covers every variant by substitution.
"""

from __future__ import annotations

from tmax_gym.axes import Language
from tmax_gym.families.data_processing.template_mill.language import NARROW, WIDE, Plan
from tmax_gym.families.shared.programs import program_text

SLIPS: dict[str, tuple[tuple[str, str], ...]] = {
    "uncomposed": (
        ("if made and (made[-1], c) in pairs", "if False"),
        ("if ((last, c) in pair)", "if (0)"),
        ("made[n-1], c}]; ok {", "made[n-1], c}]; ok && false {"),
    ),
    "unfolded": (
        ("folds.get(c, c)", "c"),
        ("(c in fold ? fold[c] : c)", "c"),
        ("folds[string(c)]; ok {", 'folds[string(c)]; ok && folded == "" {'),
    ),
}
"""Mistakes as replacements; each needs one for every language."""


def slipping(plan: Plan, slip: str, language: Language) -> str:
    """Return a mill that forgets something."""
    body = program(plan, language)
    for right, wrong in SLIPS[slip]:
        body = body.replace(right, wrong)
    return body


def program(plan: Plan, language: Language) -> str:
    """Return a mill."""
    body = _PROGRAMS[language]
    if language == "go":
        wide = ", ".join(f"{{{low}, {high}}}" for low, high in WIDE)
        splits = plan.splits.replace('"', '\\"')
    elif language == "bash":
        wide = " ".join(f"{low} {high}" for low, high in WIDE)
        splits = plan.splits.replace("'", "'\\''").replace("-", "") + "-" * ("-" in plan.splits)
    else:
        wide = ", ".join(f"({low}, {high})" for low, high in WIDE)
        splits = plan.splits
    facts = {
        "open": plan.open,
        "close": plan.close,
        "control": plan.control,
        "over": plan.over,
        "splits": splits,
        "between": plan.between,
        "wide": wide,
        "first": str(NARROW[0]),
        "last": str(NARROW[1]),
    }
    for name, value in facts.items():
        body = body.replace(f"@{name}@", value)
    return body


_PYTHON = program_text(__package__, "main.py")
_PROGRAMS = {
    "python": _PYTHON,
    "bash": program_text(__package__, "main.sh"),
    "go": program_text(__package__, "main.go"),
}

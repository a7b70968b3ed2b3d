"""Programs of the subword family in five languages; `@name` stands for a rule's number."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.axes import Language
from tmax_gym.families.data_science.subword.encoding import Rules
from tmax_gym.families.shared.programs import program_text


def render(rules: Rules, language: Language) -> str:
    """Return a complete program."""
    body = _PROGRAMS[language]
    for name, value in rules.flags().items():
        body = body.replace(f"@{name}", str(value))
    return body


PYTHON = program_text(__package__, "main.py")
C = program_text(__package__, "main.c")
_PROGRAMS: Mapping[str, str] = {
    "python": PYTHON,
    "c": C,
    "cpp": program_text(__package__, "main.cpp"),
    "go": program_text(__package__, "main.go"),
    "rust": program_text(__package__, "main.rs"),
}

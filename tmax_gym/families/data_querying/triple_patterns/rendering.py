"""Programs of the triple-patterns family in four languages; each `@name` is filled by a rule."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.axes import Language
from tmax_gym.families.data_querying.triple_patterns.patterns import Rules
from tmax_gym.families.shared.programs import program_text


def render(rules: Rules, language: Language) -> str:
    """Return a complete program."""
    body = _PROGRAMS[language]
    # A sign that does not exist becomes one that no query has.
    for name in ("inverse", "plus", "star", "sequence", "either"):
        body = body.replace(f"@{name}", getattr(rules, name) or "#")
    body = body.replace("@bag", str(int(rules.bag)))
    return body.replace("@both", str(int(rules.hops == "both")))


PYTHON = program_text(__package__, "main.py")
CPP = program_text(__package__, "main.cpp")
_PROGRAMS: Mapping[str, str] = {
    "python": PYTHON,
    "cpp": CPP,
    "go": program_text(__package__, "main.go"),
    "rust": program_text(__package__, "main.rs"),
}

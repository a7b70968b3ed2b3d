"""The runner of the dag-runner family in four languages, filled with the numbers of its rules."""

from __future__ import annotations

from tmax_gym.axes import Language
from tmax_gym.families.data_processing.dag_runner.pipelines import Rules
from tmax_gym.families.shared.programs import program_text


def render(rules: Rules, language: Language) -> str:
    """Return a complete program."""
    numbers = {
        "order": rules.order,
        "delay": ("same", "more", "double").index(rules.delay),
        "pause": rules.pause,
        "halt": int(rules.halt),
        "starts": int(rules.by_start),
        "resume": ("", "plain", "strict").index(rules.resume),
    }
    source = PROGRAMS[language]
    for name, number in numbers.items():
        source = source.replace(f"@{name}", str(number))
    return source


PROGRAMS = {
    "cpp": program_text(__package__, "main.cpp"),
    "go": program_text(__package__, "main.go"),
    "rust": program_text(__package__, "main.rs"),
    "python": program_text(__package__, "main.py"),
}

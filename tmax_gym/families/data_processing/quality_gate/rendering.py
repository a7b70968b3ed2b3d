"""Reference programs of the quality gate, put together from the rules that apply."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.data_processing.quality_gate.rules import COLUMNS, Limits, Rule
from tmax_gym.families.shared.programs import program_text

PYTHON = program_text(__package__, "main.py")
BASH = program_text(__package__, "main.sh")


def filled(text: str, limits: Limits) -> str:
    """Return a text of a rule with the limits in it."""
    values = {
        "@low": str(limits.low),
        "@high": str(limits.high),
        "@length": str(limits.length),
        "@states": ", ".join(limits.states),
        "@first": limits.states[0],
    }
    for name, shown in values.items():
        text = text.replace(name, shown)
    return text


def program(language: str, rules: Sequence[Rule], limits: Limits, *, skip: str = "") -> str:
    """Return a program that tries every rule but `skip`; rule n is called Rn."""
    tests = []
    for number, rule in enumerate(rules, start=1):
        if rule.name != skip:
            if language == "python":
                tests.append(f'    if not ({rule.python}):\n        return "R{number}"')
            else:
                tests.append(f'  if (!({rule.awk})) return "R{number}"')
        if number == 1 and language == "python":
            tests.append(f"    {', '.join(COLUMNS)} = row")
        elif number == 1:
            tests.append("  " + "; ".join(f"{c} = ${n}" for n, c in enumerate(COLUMNS, start=1)))
    body = filled("\n".join(tests), limits)
    frame = PYTHON if language == "python" else BASH
    frame = frame.replace("@list", repr(limits.states)).replace("@bar", "|".join(limits.states))
    return frame.replace("@tests", body)

"""Reference redactors: a policy, written into the source of each language.

Covers constants and the table of rules; what reads them is in `programs/`.
"""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.axes import Language
from tmax_gym.families.security.pii_redactor.kinds import (
    CHECKS,
    COUNTRIES,
    Address,
    Card,
    Email,
    House,
    Iban,
    Phone,
)
from tmax_gym.families.security.pii_redactor.policy import Policy
from tmax_gym.families.shared.programs import program_text

C = program_text(__package__, "main.c")

SOURCES: Mapping[Language, str] = {
    "python": program_text(__package__, "main.py"),
    "c": C,
    "cpp": C,
    "go": program_text(__package__, "main.go"),
    "rust": program_text(__package__, "main.rs"),
}
KINDS = ("email", "card", "iban", "phone", "ipv4", "house")
STYLES = ("label", "number", "tail", "head", "part")


def program(policy: Policy, language: Language) -> str:
    """Return the source of a redactor."""
    slots = {
        "KEPT": '""',
        "SIZE": "0",
        "GROUPS": "0",
        "COUNTRIES": _row(language, '"--"', "0"),
        "LOW": "1",
        "HIGH": "0",
        "PRIVATE": "0",
        "PREFIX": '"--"',
        "JOINT": '"-"',
        "WEIGHTS": "0",
        "MODULUS": "1",
        "CHECKS": '"-"',
        "LUHN": "1",
        "MOD97": "1",
        "WEIGHED": "1",
    }
    for kind, _ in policy.rules:
        match kind:
            case Email(kept):
                slots["KEPT"] = f'"{kept}"'
            case Card(groups):
                slots["SIZE"], slots["GROUPS"] = str(sum(groups)), _numbers(groups)
                slots["LUHN"] = str(int(kind.checked))
            case Iban(countries):
                rows = (_row(language, f'"{c}"', str(COUNTRIES[c])) for c in countries)
                slots["COUNTRIES"] = ", ".join(rows)
                slots["MOD97"] = str(int(kind.checked))
            case Phone(low, high):
                slots["LOW"], slots["HIGH"] = str(low), str(high)
            case Address(private):
                slots["PRIVATE"] = str(int(private))
            case House(prefix, joint, weights, modulus):
                slots |= {
                    "PREFIX": f'"{prefix}"',
                    "JOINT": f'"{joint}"',
                    "WEIGHTS": _numbers(weights),
                    "MODULUS": str(modulus),
                    "CHECKS": f'"{CHECKS[modulus]}"',
                    "WEIGHED": str(int(kind.checked)),
                }
    slots["RULES"] = _rules(policy, language)
    source = SOURCES[language]
    for name in sorted(slots, key=len, reverse=True):
        source = source.replace(f"@{name}", slots[name])
    return source


def _rules(policy: Policy, language: Language) -> str:
    """Return the table of rules: kind, style, count, sign, label up to the number and behind it."""
    rows = []
    for kind, mask in policy.rules:
        before, _, after = mask.label.partition("{}")
        row = _row(
            language,
            str(KINDS.index(kind.name)),
            str(STYLES.index(mask.style)),
            str(mask.count),
            f"'{mask.sign}'",
            f'"{before}"',
            f'"{after}"',
        )
        rows.append(f"\n    {row},")
    return "".join(rows) + "\n"


def _row(language: Language, *cells: str) -> str:
    left, right = ("{", "}") if language in ("c", "cpp", "go") else ("(", ")")
    return left + ", ".join(cells) + right


def _numbers(numbers: tuple[int, ...]) -> str:
    return ", ".join(str(n) for n in numbers)

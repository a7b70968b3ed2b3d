"""The program of the reversible-mask family in five languages.

Covers one program a language, filled with the numbers of a scheme; that of C is C++ as well.
"""

from __future__ import annotations

from tmax_gym.axes import Language
from tmax_gym.families.data_processing.reversible_mask.masking import Scheme
from tmax_gym.families.shared.programs import program_text


def render(scheme: Scheme, language: Language) -> str:
    """Return a complete program."""
    left, right = ("(", ")") if language in ("python", "rust") else ("{", "}")
    columns = [
        f'{left}"{c.name}", {int(c.digits)}, {int(c.letters)}, {c.keep}, {c.check}{right}'
        for c in scheme.columns
    ]
    numbers: dict[str, object] = {
        "columns": "".join(f"    {column},\n" for column in columns).rstrip("\n"),
        "count": len(columns),
        "right": int(scheme.right),
        "longer": int(scheme.longer),
        "named": int(scheme.named),
        "single": int(scheme.single),
        "backward": int(scheme.backward),
        "mix": scheme.mix,
        "multiplier": scheme.multiplier,
        "step": scheme.step,
        "shift": scheme.shift,
        "rounds": scheme.rounds,
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
    "python": program_text(__package__, "main.py"),
}

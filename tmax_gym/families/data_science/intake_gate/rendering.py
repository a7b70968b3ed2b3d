"""Reference programs of the intake gate; both read the dictionary and the history as they run."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

PYTHON = program_text(__package__, "main.py")
BASH = program_text(__package__, "main.sh")
MISTAKES: dict[str, dict[str, tuple[str, str]]] = {
    "python": {
        "more fields welcome": ("set(record) != names", "not names <= set(record)"),
        "limits excluded": ('field["low"] <= value <= field["high"]',
                            'field["low"] < value < field["high"]'),
        "form ignored": ("return bool(re.fullmatch(form, value))", "return True"),
    },
    "bash": {
        "more fields welcome": ("($r | keys) == ($fields | map(.name) | sort)",
                                "(($fields | map(.name)) - ($r | keys)) == []"),
        "limits excluded": ("$v >= $f.low and $v <= $f.high", "$v > $f.low and $v < $f.high"),
        "form ignored": ("$v | test(", 'true or test('),
    },
}  # fmt: skip
"""Mistakes as replacements, by language."""
LEARNED: dict[str, tuple[tuple[str, str], ...]] = {
    "python": (
        ('if check == "observed"', "if False"),
        ('if check == "extremes"', "if False"),
        ("return all(relation_holds(relation, record)", "return all(True"),
    ),
    "bash": (
        ('elif $f.check == "observed"', "elif false"),
        ('elif $f.check == "extremes"', "elif false"),
        ("and all($relations[];", "and all(empty;"),
    ),
}
"""Replacements that leave out the examples, so that the dictionary alone decides."""

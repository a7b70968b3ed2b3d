"""Reference calculators of the odd-grammar family: the tables of a language, as source.

Covers how the tables of a drawn language are written in C, C++, Go, Rust and Python; what reads
them is in `programs/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tmax_gym.axes import Language
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.software_engineering.odd_grammar.language import Tongue

SOURCES: Mapping[Language, str] = {
    "python": program_text(__package__, "main.py"),
    "c": program_text(__package__, "main.c"),
    "cpp": program_text(__package__, "main.c"),
    "go": program_text(__package__, "main.go"),
    "rust": program_text(__package__, "main.rs"),
}
TIES = {"left": 0, "right": 1, "none": 2}
BINARY = {
    "add": "a + b",
    "sub": "a - b",
    "mul": "a * b",
    "quot": "down(a, b)",
    "rest": "a - b * down(a, b)",
    "chop": "chop(a, b)",
    "low": "low(a, b)",
    "high": "high(a, b)",
    "gap": "high(a, b) - low(a, b)",
    "gcd": "common(a, b)",
    "join": "10 * a + b",
    "both": "a & b",
    "either": "a | b",
    "odd": "a ^ b",
    "less": "less(a, b)",
    "same": "1 - less(a, b) - less(b, a)",
    "mean": "down(a + b, 2)",
}
UNARY = {
    "neg": "0 - a",
    "flip": "-1 - a",
    "mag": "high(a, 0 - a)",
    "sign": "less(0, a) - less(a, 0)",
    "square": "a * a",
    "twice": "2 * a",
    "half": "down(a, 2)",
    "next": "a + 1",
    "none": "1 - less(0, a) - less(a, 0)",
}
CALLS = {
    "least": "least",
    "most": "most",
    "total": "total",
    "spread": "most - least",
    "turns": "turns",
    "count": "count",
}
"""Meaning to an expression that C, C++, Go, Rust and Python all read alike."""
FITTED = {
    "modulus": "v - @bound * down(v, @bound)",
    "wrap": "v - 2 * @bound * down(v + @bound, 2 * @bound)",
    "limit": "v",
}
CASE: Mapping[Language, str] = {
    "python": "    if code == {code}:\n        return {value}",
    "c": "    case {code}: return {value};",
    "cpp": "    case {code}: return {value};",
    "go": "\tcase {code}:\n\t\treturn {value}",
    "rust": "        {code} => {value},",
}


def program(tongue: Tongue, language: Language) -> str:
    """Return the source of a calculator."""
    codes = _codes(tongue)
    tables = _tables(tongue, codes)
    bound = 1 << (tongue.bound - 1) if tongue.reach == "wrap" else tongue.bound
    slots = {name: _table(rows, language, name) for name, rows in tables.items()}
    for name, known in (("binary", BINARY), ("unary", UNARY), ("calls", CALLS)):
        slots[f"case_{name}"] = "\n".join(
            CASE[language].format(code=code, value=known[meaning])
            for (kind, meaning), code in codes.items()
            if kind == name
        )
    before, _, after = tongue.shape.partition("{")
    first = "word" if after.startswith("word") else "at"
    _, middle, last = tongue.shape.replace("{word}", "\0").replace("{at}", "\0").split("\0")
    slots |= {
        "fitted": FITTED[tongue.reach],
        "bound": str(bound),
        "limited": str(int(tongue.reach == "limit")),
        "memory": _quoted(tongue.memory),
        "separator": _quoted(tongue.separator),
        "gap": _quoted(tongue.gap or "\n"),
        "words": ", ".join(_quoted(word) for word in tongue.words),
        "before": _quoted(before),
        "middle": _quoted(middle),
        "last": _quoted(last),
        "word_first": str(int(first == "word")),
        "column": str(tongue.first),
    }
    source = SOURCES[language]
    for name in sorted(slots, key=len, reverse=True):
        source = source.replace(f"@{name}", slots[name])
    return source.replace("@bound", str(bound))


Code = Mapping[tuple[str, str], int]
Rows = list[tuple[str | int, ...]]


def _codes(tongue: Tongue) -> Code:
    """Return a number for every meaning in use; 0 is none."""
    between = [m for row in tongue.rows if not row.prefix for _, m in row.signs]
    single = [m for row in tongue.rows if row.prefix for _, m in row.signs]
    single += [m for _, m in tongue.postfix] + [m for _, _, m in tongue.brackets if m]
    codes: dict[tuple[str, str], int] = {}
    given: Iterable[tuple[str, list[str]]] = (
        ("binary", between),
        ("unary", single),
        ("calls", [m for _, m in tongue.calls]),
    )
    for kind, meanings in given:
        for meaning in meanings:
            codes.setdefault((kind, meaning), len(codes) + 1)
    return codes


def _tables(tongue: Tongue, codes: Code) -> dict[str, Rows]:
    """Return the rows of every table: texts and numbers."""
    between: Rows = []
    before: Rows = []
    for level, row in enumerate(tongue.rows, start=1):
        for sign, meaning in row.signs:
            if row.prefix:
                before.append((sign, level, 0, codes["unary", meaning], 0))
            else:
                divides = int(meaning in ("quot", "rest", "chop"))
                code = codes["binary", meaning]
                between.append((sign, level, TIES[row.ties], code, divides))
    pairs = [(o, c, codes["unary", m] if m else 0) for o, c, m in tongue.brackets]
    return {
        "BETWEEN": between,
        "BEFORE": before,
        "AFTER": [(sign, 0, 0, codes["unary", m], 0) for sign, m in tongue.postfix],
        "BRACKETS": list(pairs),
        "CALLS": [(name, codes["calls", m]) for name, m in tongue.calls],
        "SYMBOLS": [(symbol,) for symbol in tongue.symbols],
        "MARKS": [*tongue.marks],
        "SUFFIXES": [*tongue.suffixes],
    }


def _table(rows: Rows, language: Language, name: str) -> str:
    """Return the rows as a language writes them."""
    single = name == "SYMBOLS"
    entries = []
    for row in rows:
        cells = ", ".join(_quoted(c) if isinstance(c, str) else str(c) for c in row)
        left, right = ("{", "}") if language in ("c", "cpp", "go") else ("(", ")")
        entries.append(cells if single else f"{left}{cells}{right}")
    if language in ("c", "cpp"):
        entries.append("0" if single else "{0}")
    return "".join(f"\n    {row}," for row in entries)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'

"""The sheet that describes a drawn expression language, and lines written in it.

The sheet has every rule that a line can meet.  What it leaves open is never tested.  Values are
computed in `calculator.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tmax_gym.families.shared.sheets import flowed
from tmax_gym.families.software_engineering.odd_grammar.calculator import Calculator, Fault
from tmax_gym.families.software_engineering.odd_grammar.language import (
    BINARY,
    CALLS,
    UNARY,
    Row,
    Tongue,
)
from tmax_gym.rng import Rng

DIGITS = "0123456789abcdef"
TIES = {"left": "groups from the left", "right": "groups from the right", "none": "does not chain"}
BROKEN = 6
"""Attempts at a line that is no expression."""
SOUND = 4
"""Attempts at a line that is one."""


def sheet(tongue: Tongue) -> str:
    """Return the description."""
    parts = [
        "# Expressions",
        "## Literals",
        "\n".join(_literals(tongue)),
        "## Operators",
        *_operators(tongue),
        "## Brackets and names",
        "\n".join(_names(tongue)),
        "## Values",
        _values(tongue),
        "## Errors",
        *_errors(tongue),
    ]
    return flowed("\n\n".join(parts))


def _literals(tongue: Tongue) -> Iterator[str]:
    yield "- There are only whole numbers. Digits from 0 to 9 are a decimal literal."
    for mark, base in tongue.marks:
        last = DIGITS[base - 1]
        shown = (
            f"0 to {last}"
            if base <= 10
            else "0 to 9 and a"
            if base == 11
            else f"0 to 9 and a to {last}"
        )
        yield f"- `{mark}` directly before digits from {shown} makes a literal in base {base}."
    for letter, factor in tongue.suffixes:
        yield f"- `{letter}` directly after a decimal literal multiplies it by {factor}."
    if tongue.gap:
        yield f"- A single `{tongue.gap}` between two digits of any literal means nothing."
    unless = ", before a letter multiplies it" if tongue.suffixes else ""
    yield f"- No literal in our tests is above 99999{unless}."
    yield "- There can be blanks between tokens. Of the symbols below, read the longest that fits."


def _operators(tongue: Tongue) -> Iterator[str]:
    yield "The rows are ordered from the loosest to the tightest binding."
    lines = []
    for number, row in enumerate(tongue.rows, start=1):
        kind = "before its operand" if row.prefix else TIES[row.ties]
        lines.append(f"    row {number}  ({kind})")
        for sign, meaning in row.signs:
            form = f"{sign} a" if row.prefix else f"a {sign} b"
            lines.append(f"      {form:9} {(UNARY if row.prefix else BINARY)[meaning][0]}")
    if tongue.postfix:
        lines.append("    after its operand, tighter than all rows")
    lines += [f"      a {sign:7} {UNARY[meaning][0]}" for sign, meaning in tongue.postfix]
    yield "\n".join(lines)
    if any(row.ties == "none" for row in tongue.rows):
        yield (
            "If x is an operator of a row that does not chain, `a x b x c` is a syntax error at "
            "the second x, also if the two operators are different ones of this row. Brackets are "
            "needed there."
        )
    yield (
        "An operator that is written before its operand can begin any operand. It takes what "
        "follows as far as operators of rows below its own row (tighter ones) reach. It can be "
        "repeated."
    )


def _names(tongue: Tongue) -> Iterator[str]:
    yield "- `( )` group."
    for opening, closing, meaning in tongue.brackets[1:]:
        changed = UNARY[meaning][0]
        yield f"- `{opening} {closing}` group, and turn their content a into this: {changed}."
    for name, meaning in tongue.calls:
        yield f"- `{name}( )` is {CALLS[meaning][0]}."
    if tongue.calls:
        yield f"- Functions have one or more arguments, separated by `{tongue.separator}`."
    if tongue.memory:
        yield f"- `{tongue.memory}` is the value of the latest line that had one, and 0 before."
    yield "- Names are runs of letters from a to z. There are no other names."


def _values(tongue: Tongue) -> str:
    results = "Every literal, and every result of an operator, a bracket or a function,"
    match tongue.reach:
        case "modulus":
            return (
                f"{results} is replaced at once by its remainder modulo {tongue.bound}, which is "
                "never negative."
            )
        case "wrap":
            return (
                f"{results} is cut at once to a signed number of {tongue.bound} bits in two's "
                "complement."
            )
    return (
        "A literal, or a result of an operator, a bracket or a function, is out of range if it is "
        f"below -{tongue.bound} or above {tongue.bound}."
    )


def _errors(tongue: Tongue) -> Iterator[str]:
    syntax, zero, big = (tongue.shape.format(word=word, at="N") for word in tongue.words)
    yield (
        f"For a line that is not an expression, print `{syntax}` and nothing else. N is the "
        "column of the first token with which the line can no longer become an expression, or of "
        "a character that does not begin any token. If the line ends too early, N is the column "
        f"after its last character, where blanks count as characters. The first column has the "
        f"number {tongue.first}. "
        "An unknown name is such a token. If a function has no bracket, the error is at whatever "
        "follows the function."
    )
    limit = (
        f" If a value is out of range, print `{big}`, where N is the column of the literal, the "
        "operator, the opening bracket or the name of the function."
        if tongue.reach == "limit"
        else ""
    )
    yield (
        f"Only lines that are expressions are computed. For a division by zero, print `{zero}`, "
        f"where N is the column of the operator.{limit} Operands are computed from left to right, "
        "and before the operation that uses them. Nothing is computed after the first error."
    )


def lines(tongue: Tongue, rng: Rng, kind: str, *, count: int) -> str:
    """Return input lines: of one kind, with one blank line and one wrong line among many."""
    calculator = Calculator(tongue)
    lines = []
    for number in range(count):
        fork = rng.fork(number)
        wrong = fork.chance(0.8 if kind == "errors" else 0.12)
        lines.append((_broken if wrong else _sound)(calculator, fork, kind))
    if count > 6:
        lines.insert(rng.integer(1, count - 1), " " * rng.integer(0, 2))
    return "\n".join(lines) + "\n"


def _sound(calculator: Calculator, rng: Rng, kind: str) -> str:
    """Return a line that is an expression, most of the time."""
    line = ""
    for attempt in range(SOUND):
        line = _spaced(_expression(calculator.tongue, rng.fork(attempt), kind, 2), rng)
        if _parses(calculator, line):
            break
    return line


def _broken(calculator: Calculator, rng: Rng, kind: str) -> str:
    """Return a line that is no expression, most of the time."""
    line = ""
    for attempt in range(BROKEN):
        fork = rng.fork("wrong", attempt)
        tokens = _expression(calculator.tongue, fork, kind, 2)
        at = fork.integer(0, len(tokens) - 1)
        match fork.integer(0, 4):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, fork.choice(calculator.symbols))
            case 2:
                tokens.insert(at, str(fork.integer(0, 9)))
            case 3:
                tokens[at] = fork.choice(('"', "\\", "zz", ".", "foo"))
            case _:
                tokens = tokens[: at + 1] + fork.sample(calculator.symbols, 1)
        line = _spaced(tokens, fork) + " " * (2 * fork.chance(0.3))
        if line.strip() and not _parses(calculator, line):
            break
    return line or "?"


def _parses(calculator: Calculator, line: str) -> bool:
    try:
        return bool(calculator.parsed(line))
    except Fault:
        return False


def _expression(tongue: Tongue, rng: Rng, kind: str, depth: int) -> list[str]:
    """Return the tokens of operands with operators between them, chosen without regard to rows."""
    most = {"literals": 2, "rows": 5, "errors": 3}.get(kind, 3)
    tokens = _operand(tongue, rng, kind, depth)
    rows = [row for row in tongue.rows if not row.prefix]
    for _ in range(rng.integer(1, most if depth == 2 else 2)):
        row: Row = rng.choice(rows)
        tokens += [rng.choice(row.signs)[0], *_operand(tongue, rng, kind, depth)]
    return tokens


def _operand(tongue: Tongue, rng: Rng, kind: str, depth: int) -> list[str]:
    tokens: list[str] = []
    while kind != "literals" and rng.chance(0.2):
        row = rng.choice([row for row in tongue.rows if row.prefix])
        tokens.append(row.signs[0][0])
    deep = depth and kind not in ("literals", "rows") and rng.chance(0.35)
    if deep and tongue.calls and rng.chance(0.5):
        tokens += [rng.choice(tongue.calls)[0], "("]
        for number in range(rng.integer(1, 4)):
            tokens += [tongue.separator] if number else []
            tokens += (
                _expression(tongue, rng, kind, 0) if rng.chance(0.3) else [_literal(tongue, rng)]
            )
        tokens.append(")")
    elif deep:
        opening, closing, _ = rng.choice(tongue.brackets)
        tokens += [opening, *_expression(tongue, rng, kind, depth - 1), closing]
    elif tongue.memory and kind != "literals" and rng.chance(0.15):
        tokens.append(tongue.memory)
    else:
        tokens.append(_literal(tongue, rng))
    if tongue.postfix and rng.chance(0.15):
        tokens.append(rng.choice(tongue.postfix)[0])
    return tokens


def _literal(tongue: Tongue, rng: Rng) -> str:
    value = rng.integer(0, rng.choice((9, 99, 99, 999, 20_000)))
    mark, base = "", 10
    if rng.chance(0.35):
        mark, base = rng.choice(tongue.marks)
    digits = ""
    while value or not digits:
        digits, value = DIGITS[value % base] + digits, value // base
    if tongue.gap and len(digits) > 2 and rng.chance(0.4):
        at = rng.integer(1, len(digits) - 1)
        digits = digits[:at] + tongue.gap + digits[at:]
    if base == 10 and tongue.suffixes and len(digits) < 3 and rng.chance(0.3):
        digits += rng.choice(tongue.suffixes)[0]
    return mark + digits


def _spaced(tokens: list[str], rng: Rng) -> str:
    """Return tokens as a line, with blanks where they are needed and some elsewhere."""
    line = " " * rng.chance(0.1)
    for before, token in zip(["", *tokens], tokens, strict=False):
        melts = before and (before[-1].isalnum() == token[0].isalnum())
        line += (" " if melts or rng.chance(0.35) else "") + token
    return line

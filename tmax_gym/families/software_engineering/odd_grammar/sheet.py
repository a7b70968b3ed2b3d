"""The sheet that describes a drawn expression language, and lines written in it.

The sheet has every rule that a line can meet.  What it leaves open is never tested.  Values are
computed in `calculator.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

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


def sheet(tongue: Tongue, rng: Rng) -> str:
    """Return the description."""
    parts = [
        rng.choice(("LITERALS", "Numbers", "1. Literals")),
        *_literals(tongue),
        "",
        rng.choice(("OPERATORS, the loosest row first", "Operators (loosest binding on top)")),
        *_operators(tongue),
        "",
        rng.choice(("BRACKETS AND NAMES", "Brackets, functions, names")),
        *_names(tongue),
        "",
        rng.choice(("VALUES", "Range of values")),
        *_values(tongue),
        "",
        rng.choice(("ERRORS", "When a line is wrong")),
        *_errors(tongue),
    ]
    return "\n".join(parts) + "\n"


def _literals(tongue: Tongue) -> Iterator[str]:
    yield "  There are only whole numbers.  Digits 0-9 are a decimal literal."
    for mark, base in tongue.marks:
        last = DIGITS[base - 1]
        shown = f"0-{last}" if base <= 10 else "0-9a" if base == 11 else f"0-9 and a-{last}"
        yield f"  {mark} directly before digits {shown} makes a literal in base {base}."
    for letter, factor in tongue.suffixes:
        yield f"  A decimal literal with {letter} directly behind it counts {factor} times."
    if tongue.gap:
        yield f"  One {tongue.gap} may stand between two digits of any literal and means nothing."
    yield "  No literal that is tried exceeds 99999 (before a letter multiplies it)."
    yield "  Blanks may stand between tokens.  Of the symbols below, the longest that fits is read."


def _operators(tongue: Tongue) -> Iterator[str]:
    for number, row in enumerate(tongue.rows, start=1):
        kind = "before its operand" if row.prefix else TIES[row.ties]
        yield f"  row {number}  ({kind})"
        for sign, meaning in row.signs:
            form = f"{sign} a" if row.prefix else f"a {sign} b"
            yield f"    {form:9} {(UNARY if row.prefix else BINARY)[meaning][0]}"
    for sign, meaning in tongue.postfix:
        yield f"  behind its operand, tighter than all rows:\n    a {sign:7} {UNARY[meaning][0]}"
    if any(row.ties == "none" for row in tongue.rows):
        yield "  Operators of a row that does not chain may not follow one another: with x such an"
        yield "  operator, in `a x b x c` the second x is a syntax error; brackets are needed."
    yield "  An operator before its operand may begin any operand; it takes what follows as far"
    yield "  as operators of rows below its own (tighter ones) reach, and may be repeated."


def _names(tongue: Tongue) -> Iterator[str]:
    yield "  ( )  group."
    for opening, closing, meaning in tongue.brackets[1:]:
        yield f"  {opening} {closing}  group, and turn their content a into: {UNARY[meaning][0]}."
    for name, meaning in tongue.calls:
        yield f"  {name}( )  is {CALLS[meaning][0]}."
    if tongue.calls:
        yield f"  Functions take one argument or more, separated by {tongue.separator}"
    if tongue.memory:
        yield f"  {tongue.memory}  is the value of the latest line that had one, 0 before that."
    yield "  Names are runs of a-z; there are no other ones."


def _values(tongue: Tongue) -> Iterator[str]:
    match tongue.reach:
        case "modulus":
            yield "  Every literal, and every result of an operator, a bracket or a function, is"
            yield f"  replaced at once by its remainder modulo {tongue.bound}, which is never"
            yield "  negative."
        case "wrap":
            yield "  Every literal, and every result of an operator, a bracket or a function, is"
            yield f"  cut at once to {tongue.bound} bits in two's complement, with a sign."
        case _:
            yield "  A literal, or the result of an operator, a bracket or a function, below"
            yield f"  -{tongue.bound} or above {tongue.bound} is out of range."


def _errors(tongue: Tongue) -> Iterator[str]:
    syntax, zero, big = (tongue.shape.format(word=word, at="N") for word in tongue.words)
    yield f"  A line that is no expression prints `{syntax}` and nothing else."
    yield "  N is the column of the first token (or character that begins none) with which the"
    yield "  line can no longer become an expression; where the line ends too early, the column"
    yield "  behind its last character, blanks included."
    yield f"  The first column has number {tongue.first}."
    yield "  An unknown name is such a token; a function without its bracket is wrong at what"
    yield "  follows it."
    yield f"  Only a line that is an expression is computed.  Division by zero prints `{zero}`,"
    yield "  N being the column of the operator."
    if tongue.reach == "limit":
        yield f"  What is out of range prints `{big}`, N being the column of the literal, the"
        yield "  operator, the opening bracket or the function's name."
    yield "  Operands are computed from left to right, and before what is done with them; the"
    yield "  first error ends the line."


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

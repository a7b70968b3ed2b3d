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
    DIVIDING,
    UNARY,
    Row,
    Tongue,
)
from tmax_gym.rng import Rng

DIGITS = "0123456789abcdef"
TIES = {"left": "left-associative", "right": "right-associative", "none": "non-associative"}
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
    yield "- All numbers are integers. A run of digits from 0 to 9 is a decimal literal."
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
    if tongue.suffixes:
        yield "- A literal has at most one such letter."
    if tongue.gap:
        yield f"- A single `{tongue.gap}` between two digits of any literal is ignored."
    unless = " (before a letter multiplies them)" if tongue.suffixes else ""
    yield f"- Literals above 99999{unless} do not occur."
    yield "- Blanks (spaces only) are allowed between tokens, but not required."
    yield "- Every token is as long as possible: of the symbols below, read the longest that fits."


def _operators(tongue: Tongue) -> Iterator[str]:
    yield (
        "The rows are ordered from the loosest to the tightest binding. Operators in the same row "
        "bind equally."
    )
    lines = []
    for number, row in enumerate(tongue.rows, start=1):
        kind = "prefix" if row.prefix else TIES[row.ties]
        lines.append(f"    row {number}  ({kind})")
        for sign, meaning in row.signs:
            form = f"{sign} a" if row.prefix else f"a {sign} b"
            lines.append(f"      {form:9} {(UNARY if row.prefix else BINARY)[meaning][0]}")
    if tongue.postfix:
        lines.append("    postfix, tighter than all rows")
    lines += [f"      a {sign:7} {UNARY[meaning][0]}" for sign, meaning in tongue.postfix]
    yield "\n".join(lines)
    if any(row.ties == "none" for row in tongue.rows):
        yield (
            "If x and y are operators of the same non-associative row, equal or not, `a x b y c` "
            "is a syntax error at y. Brackets are needed there."
        )
    repeated = "Prefix and postfix operators" if tongue.postfix else "Prefix operators"
    yield (
        "A prefix operator can begin any operand, even that of a tighter operator. Its own operand "
        "extends to the right as long as the operators that follow are in tighter rows than its "
        "own. Where there are several prefix operators, the last one takes its operand first. "
        f"{repeated} can be repeated."
    )


def _names(tongue: Tongue) -> Iterator[str]:
    yield "- `(a)` groups, and its value is a."
    for opening, closing, meaning in tongue.brackets[1:]:
        yield f"- `{opening}a{closing}` groups like `(a)`, but its value is {UNARY[meaning][0]}."
    for name, meaning in tongue.calls:
        yield f"- `{name}( )` is {CALLS[meaning][0]}."
    if tongue.calls:
        yield f"- Functions have one or more arguments, separated by `{tongue.separator}`."
    if tongue.memory:
        yield (
            f"- `{tongue.memory}` is the value of the most recent line that had one, or 0 if none "
            "had one yet. Lines with an error have no value."
        )
    others = "There are no other names." if tongue.calls or tongue.memory else "No name is known."
    yield f"- A name is a run of letters from a to z. {others}"


def _values(tongue: Tongue) -> str:
    sources = ["an operator"]
    sources += ["a bracket"] if len(tongue.brackets) > 1 else []
    sources += ["a function"] if tongue.calls else []
    listed = _either(sources)
    every = f"Every literal and every result of {listed}"
    match tongue.reach:
        case "modulus":
            return (
                f"{every} is immediately replaced by its remainder modulo {tongue.bound}, which is "
                "never negative."
            )
        case "wrap":
            return (
                f"{every} is immediately wrapped to a signed {tongue.bound}-bit number in two's "
                "complement."
            )
    return (
        f"A literal or a result of {listed} is out of range if it is below -{tongue.bound} or "
        f"above {tongue.bound}."
    )


def _either(words: list[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def _errors(tongue: Tongue) -> Iterator[str]:
    syntax = tongue.shape.format(word=tongue.words[0], at="N")
    call = (
        " If a function name is not followed by `(`, N is the column of whatever follows it."
        if tongue.calls
        else ""
    )
    yield (
        f"If a line is not an expression, print `{syntax}` and nothing else. N is the column of "
        "the first token with which no expression can continue at that point (an unknown name is "
        "such a token), or of a character that does not begin any token, whichever comes first."
        f"{call} If the line ends too early, N is the column after its last character, where "
        f"blanks count as characters. The first column has the number {tongue.first}."
    )
    faults = " ".join(_faults(tongue))
    yield (
        f"Only lines that are expressions are evaluated. {faults} Operands are evaluated from left "
        "to right, and before the operation that uses them. Evaluation stops at the first error."
        if faults
        else "Every line that is an expression has a value."
    )


def _faults(tongue: Tongue) -> Iterator[str]:
    """Yield the errors of lines that are expressions."""
    zero, big = (tongue.shape.format(word=word, at="N") for word in tongue.words[1:])
    if any(meaning in DIVIDING for row in tongue.rows for _, meaning in row.signs):
        yield f"For a division by zero, print `{zero}`, where N is the column of the operator."
    if tongue.reach == "limit":
        places = ["the literal", "the operator"]
        places += ["the opening bracket"] if len(tongue.brackets) > 1 else []
        places += ["the name of the function"] if tongue.calls else []
        where = _either(places)
        yield f"If a value is out of range, print `{big}`, where N is the column of {where}."


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

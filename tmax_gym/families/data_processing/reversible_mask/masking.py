"""A prescribed reversible mask of table cells: the scheme, its evaluator, tables to try it on.

Covers digits and letters that stay digits and letters, check digits that stay right, letters of
other alphabets, which stay, and columns that are masked each in its own way.  Does not cover
quoted cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from string import ascii_letters, digits

from tmax_gym.rng import Rng
from tmax_gym.world.programs.program import M32

CHECKS = ("", "luhn", "alternating", "positions")
MIXES = ("xor, multiply", "multiply, add", "add, shift")
MULTIPLIERS = (16_777_619, 2_654_435_761, 1_664_525, 22_695_477, 747_796_405)
STEPS = (40_503, 9_176_431, 2_246_822_519, 3_266_489_917)
GIVEN = (
    "Zoë", "Søren", "Ana", "Łukasz", "Márta", "Joëlle", "Nuño", "Françoise", "Željko", "Thomas",
    "Olga", "Иван", "Νίκος", "Grace", "Åsa", "Jürgen", "Sinéad", "Peter",
)  # fmt: skip
FAMILY = (
    "Müller", "Østergård", "Novák", "García", "O'Brien", "Kowalska", "Çelik", "Петров", "Larsson",
    "Wagner", "Şahin", "Đorđević", "Ibáñez", "Smith-Jones", "Παππάς", "Lefèvre", "Okafor", "Weiß",
)  # fmt: skip
NAMES = {
    "names": ("name", "contact", "clerk", "signed_by", "owner"),
    "checked": ("account", "member_no", "card", "meter_no", "tax_no"),
    "numbers": ("phone", "order_no", "badge", "terminal"),
    "codes": ("plate", "passport", "locker", "permit"),
}
Table = tuple[tuple[str, ...], ...]
"""Rows of cells, the header first."""


@dataclass(frozen=True, slots=True)
class Column:
    """How one column is masked."""

    name: str
    digits: bool
    letters: bool
    keep: int
    """Leading digits and letters that stay."""
    check: int
    """Index into `CHECKS`."""
    shape: str = ""
    """How its cells look: `A` for a letter, `9` for a digit, marks as they are; "" is a name."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """The scheme that a task prescribes."""

    columns: tuple[Column, ...]
    mix: int
    """Index into `MIXES`."""
    multiplier: int
    step: int
    """The number that each round adds to the key."""
    shift: int
    rounds: int
    right: bool
    """Whether the right half changes in the first round."""
    longer: bool
    """Whether the left half is the longer one of an odd number."""
    named: bool
    """Whether the name of the column is mixed in."""
    single: bool
    """Whether a half changes digit by digit, not as one number."""
    backward: bool = True
    """Whether the rounds are undone from the last to the first."""


def applied(scheme: Scheme, table: Table, key: int, *, undo: bool) -> Table:
    """Return a table with its columns masked, or restored."""
    masked = {c.name: (c, _starts(scheme, c.name, key)) for c in scheme.columns}
    header, *rows = table
    done = [header]
    for row in rows:
        cells = []
        for name, cell in zip(header, row, strict=True):
            if name in masked:
                column, starts = masked[name]
                cell = _cell(scheme, column, (cell, starts, undo))
            cells.append(cell)
        done.append(tuple(cells))
    return tuple(done)


def _cell(scheme: Scheme, column: Column, task: tuple[str, tuple[int, ...], bool]) -> str:
    cell, starts, undo = task
    out, places = list(cell), [i for i, c in enumerate(cell) if c in ascii_letters + digits]
    numbers = [i for i in places if cell[i] in digits]
    if column.check and (len(numbers) < 2 or cell[numbers[-1]] != checked(column.check, cell)):
        return "invalid"
    free = places[column.keep :]
    last = numbers[-1] if column.check else -1
    if column.digits:
        at = [i for i in free if cell[i] in digits and i != last]
        values = _turned(scheme, (10, [int(cell[i]) for i in at], starts, undo))
        for i, value in zip(at, values, strict=True):
            out[i] = str(value)
    if column.letters:
        at = [i for i in free if cell[i] in ascii_letters]
        drawn = [ord(cell[i].lower()) - 97 for i in at]
        for i, value in zip(at, _turned(scheme, (26, drawn, starts, undo)), strict=True):
            letter = chr(97 + value)
            out[i] = letter.upper() if cell[i].isupper() else letter
    if column.check:
        out[last] = checked(column.check, "".join(out))
    return "".join(out)


def checked(kind: int, cell: str) -> str:
    """Return the check digit that belongs to the digits of a cell, its last one left out."""
    values = [int(c) for c in cell if c in digits][:-1]
    if kind == 3:
        return str(sum(n * d for n, d in enumerate(values, start=1)) % 11 % 10)
    total = 0
    for place, digit in enumerate(reversed(values)):
        weight = (2 if kind == 1 else 3) if place % 2 == 0 else 1
        value = digit * weight
        total += value - 9 if kind == 1 and value > 9 else value
    return str(-total % 10)


def _starts(scheme: Scheme, name: str, key: int) -> tuple[int, ...]:
    """Return the state in which each round begins, for all cells of a column."""
    states = []
    for number in range(1, scheme.rounds + 1):
        state = (key + number * scheme.step) & M32
        for byte in name.encode() if scheme.named else b"":
            state = _mixed(scheme, state, byte)
        states.append(state)
    return tuple(states)


def _turned(scheme: Scheme, task: tuple[int, list[int], tuple[int, ...], bool]) -> list[int]:
    """Return digits of a base after all rounds."""
    base, digits, starts, undo = task
    if len(digits) < 2:
        return digits
    middle = (len(digits) + scheme.longer) // 2
    halves = [digits[:middle], digits[middle:]]
    order = range(1, scheme.rounds + 1)
    for number in reversed(order) if undo and scheme.backward else order:
        side = (number + 1 + scheme.right) % 2
        state = starts[number - 1]
        for digit in halves[1 - side]:
            state = _mixed(scheme, state, digit + 1)
        halves[side] = _moved(scheme, state, (base, halves[side], -1 if undo else 1))
    return halves[0] + halves[1]


def _moved(scheme: Scheme, state: int, task: tuple[int, list[int], int]) -> list[int]:
    base, half, sign = task
    if scheme.single:
        digits = []
        for place, digit in enumerate(half, start=1):
            state = _mixed(scheme, state, place)
            digits.append((digit + sign * (state >> 16)) % base)
        return digits
    number = 0
    for digit in half:
        number = number * base + digit
    number = (number + sign * state) % base ** len(half)
    digits = []
    for _ in half:
        number, digit = divmod(number, base)
        digits.append(digit)
    return digits[::-1]


def _mixed(scheme: Scheme, state: int, value: int) -> int:
    if scheme.mix == 0:
        state = (state ^ value) * scheme.multiplier & M32
    elif scheme.mix == 1:
        state = (state * scheme.multiplier + value) & M32
    else:
        state = (state + value) & M32
        state ^= state << 13 & M32
        state ^= state >> 17
        state ^= state << 5 & M32
    return state ^ state >> scheme.shift


def drawn(rng: Rng, level: float, *, columns: int) -> Scheme:
    """Return a scheme for so many columns; the higher the level, the more it asks for."""
    chosen: list[Column] = []
    # Names of people, and numbers with a check digit, stand in every table.
    others = (rng.choice(("numbers", "codes")) for _ in range(columns - 2))
    for kind in ("names", "checked", *others):
        name = rng.choice([n for n in NAMES[kind] if n not in {c.name for c in chosen}])
        check = rng.integer(1, 3) if kind == "checked" else 0
        keep = rng.integer(1, 3) if level >= 0.2 and rng.chance(0.5) else 0
        numeric = kind != "names"
        letters = kind in ("names", "codes")
        shape = _shape(rng.fork("shape", name), letters=letters) if numeric else ""
        chosen.append(Column(name, numeric, letters, keep, check, shape))
    return Scheme(
        columns=tuple(chosen),
        mix=rng.integer(0, 2),
        multiplier=rng.choice(MULTIPLIERS),
        step=rng.choice(STEPS),
        shift=rng.integer(11, 17),
        rounds=rng.integer(2, 4) * 2 + rng.integer(0, 1),
        right=rng.chance(0.5),
        longer=rng.chance(0.5),
        named=level >= 0.15 and rng.chance(0.7),
        single=rng.chance(0.5),
    )


def mistakes(scheme: Scheme) -> Iterator[tuple[str, Scheme]]:
    """Yield schemes with one rule misread, each with a name."""
    yield "undone forwards", replace(scheme, backward=False)
    yield "other half first", replace(scheme, right=not scheme.right)
    yield "other middle", replace(scheme, longer=not scheme.longer)
    yield "a round less", replace(scheme, rounds=scheme.rounds - 1)
    bare = tuple(replace(column, check=0) for column in scheme.columns)
    yield "check digits masked", replace(scheme, columns=bare)
    whole = tuple(replace(column, keep=0) for column in scheme.columns)
    yield "nothing kept", replace(scheme, columns=whole)
    yield "names not mixed in", replace(scheme, named=not scheme.named)
    yield "other halves", replace(scheme, single=not scheme.single)


def cell(rng: Rng, column: Column) -> str:
    """Return a cell of a column: a name, or its shape, filled and perhaps longer."""
    if not column.shape:
        return f"{rng.choice(GIVEN)} {rng.choice(FAMILY)}"
    characters = ""
    for mark in column.shape + column.shape[-1] * rng.choice((0, 0, 1, 2)):
        if mark == "A":
            characters += rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        else:
            characters += str(rng.integer(0, 9)) if mark == "9" else mark
    return characters[:-1] + checked(column.check, characters) if column.check else characters


def _shape(rng: Rng, *, letters: bool) -> str:
    """Return how cells of a column look: `A` for a letter, `9` for a digit."""
    first = "A" * rng.integer(2, 3) if letters else "9" * rng.integer(2, 4)
    blocks = [first, *("9" * rng.integer(2, 4) for _ in range(2))]
    return rng.choice(("-", "/", ".", " ", "")).join(blocks)


def table(rng: Rng, scheme: Scheme, *, rows: int, oddities: bool) -> Table:
    """Return cells of all columns of a scheme behind a number, and one free column.

    Oddities are cells that are too short to change, and wrong check digits.
    """
    columns = rng.shuffled(scheme.columns)
    lines: list[tuple[str, ...]] = [("no", *(c.name for c in columns), "state")]
    for number in range(1, rows + 1):
        cells = [cell(rng, column) for column in columns]
        if oddities and rng.chance(0.5):
            at = rng.integer(0, len(columns) - 1)
            column = columns[at]
            if column.check:
                wrong = (int(cells[at][-1]) + rng.integer(1, 9)) % 10
                cells[at] = cells[at][:-1] + str(wrong)
            else:
                cells[at] = rng.choice(("", "-", cells[at][:2], cells[at][:1]))
        lines.append((str(number), *cells, rng.choice(("open", "closed", "on hold"))))
    return tuple(lines)


def csv(table: Table) -> str:
    """Return a table as text."""
    return "".join(",".join(row) + "\n" for row in table)

"""Formulas and dimensions for the unit-police family: trees, their text, and slips.

Covers sums, products, quotients, whole powers, square roots and functions of pure numbers.  A
dimension is a tuple of exponents of the base units; a tree without one is inconsistent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tmax_gym.rng import Rng

BASE = ("m", "kg", "s", "A", "K")
Dimension = tuple[int, ...]
NONE: Dimension = (0,) * len(BASE)
DERIVED: tuple[tuple[str, str, Dimension], ...] = (
    ("Hz", "1/s", (0, 0, -1, 0, 0)),
    ("N", "kg*m/s^2", (1, 1, -2, 0, 0)),
    ("Pa", "N/m^2", (-1, 1, -2, 0, 0)),
    ("J", "N*m", (2, 1, -2, 0, 0)),
    ("W", "J/s", (2, 1, -3, 0, 0)),
    ("C", "A*s", (0, 0, 1, 1, 0)),
    ("V", "W/A", (2, 1, -3, -1, 0)),
    ("Ohm", "V/A", (2, 1, -3, -2, 0)),
)
"""(symbol, definition by symbols above it, dimension)."""
PLAIN: tuple[tuple[str, Dimension], ...] = (
    ("m", (1, 0, 0, 0, 0)),
    ("kg", (0, 1, 0, 0, 0)),
    ("s", (0, 0, 1, 0, 0)),
    ("m/s", (1, 0, -1, 0, 0)),
    ("m^2", (2, 0, 0, 0, 0)),
    ("m^3", (3, 0, 0, 0, 0)),
    ("m^3/s", (3, 0, -1, 0, 0)),
    ("kg/m^3", (-3, 1, 0, 0, 0)),
    ("m/s^2", (1, 0, -2, 0, 0)),
    ("1", NONE),
    ("A", (0, 0, 0, 1, 0)),
    ("K", (0, 0, 0, 0, 1)),
    ("J/(kg*K)", (2, 0, -2, 0, -1)),
    ("W/(m*K)", (1, 1, -3, 0, -1)),
)
FUNCTIONS = ("exp", "log", "sin")


@dataclass(frozen=True, slots=True)
class Formula:
    """A tree: `kind` is a name, a number, an operator, `sqrt`, a function or `^n`."""

    kind: str
    parts: tuple[Formula, ...] = ()
    power: int = 0

    def text(self, level: int = 0) -> str:
        """Return the formula; `level` is how tightly the surroundings bind."""
        if not self.parts:
            return self.kind
        if self.kind == "^":
            return f"{self.parts[0].text(3)}^{self.power}"
        if self.kind in (*FUNCTIONS, "sqrt"):
            return f"{self.kind}({self.parts[0].text()})"
        own = 1 if self.kind in "+-" else 2
        left = self.parts[0].text(own)
        right = self.parts[1].text(own + (self.kind in "-/"))
        text = f"{left} {self.kind} {right}"
        return f"({text})" if own < level else text


def dimension(tree: Formula, known: Mapping[str, Dimension]) -> Dimension | None:
    """Return the dimension of a formula, None where it is inconsistent."""
    if not tree.parts:
        return known.get(tree.kind, NONE)
    dimensions = [dimension(part, known) for part in tree.parts]
    if any(d is None for d in dimensions):
        return None
    dims = [d for d in dimensions if d is not None]
    if tree.kind in "+-":
        return dims[0] if dims[0] == dims[1] else None
    if tree.kind == "*":
        return tuple(a + b for a, b in zip(*dims, strict=True))
    if tree.kind == "/":
        return tuple(a - b for a, b in zip(*dims, strict=True))
    if tree.kind == "^":
        return tuple(a * tree.power for a in dims[0])
    if tree.kind == "sqrt":
        return tuple(a // 2 for a in dims[0]) if all(a % 2 == 0 for a in dims[0]) else None
    return NONE if dims[0] == NONE else None


@dataclass(frozen=True, slots=True)
class Lab:
    """The quantities of one laboratory."""

    quantities: tuple[tuple[str, str], ...]
    """(name, unit)."""
    known: Mapping[str, Dimension]
    functions: bool
    depth: int

    def consistent(self, rng: Rng) -> tuple[str, Formula]:
        """Return (left side, right side) of an equation that holds together."""
        name = rng.choice([n for n, _ in self.quantities])
        return name, self.term(self.known[name], rng, self.depth)

    def term(self, want: Dimension, rng: Rng, depth: int) -> Formula:
        """Return a formula of a dimension."""
        same = [n for n, d in self.known.items() if d == want]
        if depth <= 0 and want == NONE:
            return Formula(rng.choice([*same, "2", "0.5", "3"]))
        if depth <= 0 and same:
            return Formula(rng.choice(same))
        kind = rng.choice(("+", "-", "*", "/", "*", "/", "f"))
        if kind in "+-" and depth > 0:
            one, two = self.term(want, rng, depth - 1), self.term(want, rng, depth - 1)
            return Formula(kind, (one, two))
        if kind == "f" and depth > 0 and self.functions:
            if want == NONE and rng.chance(0.6):
                return Formula(rng.choice(FUNCTIONS), (self.term(NONE, rng, depth - 1),))
            doubled = tuple(2 * a for a in want)
            return Formula("sqrt", (self.term(doubled, rng, depth - 1),))
        return self._product(want, rng, depth)

    def _product(self, want: Dimension, rng: Rng, depth: int) -> Formula:
        """Return factors, nearest first, until nothing is missing; units fill what no name has."""
        left, tree = want, None
        names = rng.sample(sorted(self.known), min(len(self.known), 1 + depth))
        for name in names[: 1 + depth // 2]:
            left, tree = self._factor(tree, Formula(name), left, self.known[name])
        for at, exponent in enumerate(left):
            base = self._pure(at, rng)
            for _ in range(abs(exponent)):
                whole = base if exponent > 0 else None
                tree = _times(tree, base) if whole else _over(tree, base)
        assert tree is not None
        if depth > 1 and rng.chance(0.4):
            tree = Formula("^", (Formula("sqrt", (tree,)),), 2) if self.functions else tree
            if self.functions and dimension(tree, self.known) is None:
                return self._product(want, rng.fork("again"), 0)
        return tree

    def _factor(
        self, tree: Formula | None, part: Formula, left: Dimension, own: Dimension
    ) -> tuple[Dimension, Formula]:
        down = tuple(a - b for a, b in zip(left, own, strict=True))
        up = tuple(a + b for a, b in zip(left, own, strict=True))
        if sum(map(abs, down)) <= sum(map(abs, up)):
            return down, _times(tree, part)
        return up, _over(tree, part)

    def _pure(self, at: int, rng: Rng) -> Formula:
        unit = tuple(int(n == at) for n in range(len(BASE)))
        return Formula(rng.choice([n for n, d in self.known.items() if d == unit]))


def _times(tree: Formula | None, part: Formula) -> Formula:
    return part if tree is None else Formula("*", (tree, part))


def _over(tree: Formula | None, part: Formula) -> Formula:
    return Formula("/", (tree or Formula("1"), part))


def slipped(tree: Formula, known: Mapping[str, Dimension], rng: Rng) -> Formula:
    """Return the formula with one slip: a name, an operator or a power exchanged."""
    if not tree.parts or (tree.kind == "^" and rng.chance(0.5)):
        if tree.kind == "^":
            return replace(tree, power=tree.power + 1)
        others = [n for n, d in known.items() if d != known.get(tree.kind, NONE)]
        return Formula(rng.choice(others))
    if tree.kind in "*/" and rng.chance(0.3):
        return replace(tree, kind="/" if tree.kind == "*" else "*")
    at = rng.integer(0, len(tree.parts) - 1)
    parts = list(tree.parts)
    parts[at] = slipped(parts[at], known, rng)
    return replace(tree, parts=tuple(parts))


def corpus(lab: Lab, rng: Rng, count: int) -> tuple[list[str], list[str]]:
    """Return (inconsistent, consistent) equations, `count` of each, all different."""
    evil: list[str] = []
    clean: list[str] = []
    for attempt in range(60 * count):
        r = rng.fork(attempt)
        name, tree = lab.consistent(r)
        good = f"{name} = {tree.text()}"
        if len(good) < 160 and dimension(tree, lab.known) == lab.known[name]:
            if len(clean) < count and good not in clean:
                clean.append(good)
            wrong = slipped(tree, lab.known, r)
            bad = f"{name} = {wrong.text()}"
            if len(evil) < count and dimension(wrong, lab.known) != lab.known[name]:
                evil.append(bad)
        if len(evil) == len(clean) == count:
            return evil, clean
    raise ValueError(f"no {count} equations of each kind in {60 * count} draws")


def laboratory(names: Sequence[str], rng: Rng, *, functions: bool, depth: int) -> Lab:
    """Return quantities under these names; every base unit has one of its own."""
    bases = [(symbol, _single(at)) for at, symbol in enumerate(BASE)]
    more = [*PLAIN, *((symbol, dim) for symbol, _, dim in DERIVED)]
    units = bases + rng.sample(more, max(0, len(names) - len(bases)))
    pairs = list(zip(names, units, strict=False))
    return Lab(
        tuple((name, unit) for name, (unit, _) in pairs),
        {name: dim for name, (_, dim) in pairs},
        functions,
        depth,
    )


def _single(at: int) -> Dimension:
    return tuple(int(n == at) for n in range(len(BASE)))

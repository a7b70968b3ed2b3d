"""Assemblies of the bill-of-materials family: drawn parts and uses, and the answers about them.

Parts are in layers, and every use is valid for some days.  The answers are computed by recursion.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.families.contract import Context
from tmax_gym.rng import Rng

DAY = "2024-07-01"
"""Placeholder of the day in drafts of rows; the real day is drawn."""


@dataclass(frozen=True, slots=True)
class Part:
    """A row of `parts`."""

    code: str
    name: str
    cost: int
    """Own cost in cents: of a bought part its price, of an assembly the work on it."""
    days: int


@dataclass(frozen=True, slots=True)
class Use:
    """A row of `uses`."""

    parent: str
    child: str
    quantity: int
    since: str
    until: str | None


@dataclass(frozen=True, slots=True)
class Assembly:
    """All rows, and the product that is asked about."""

    parts: tuple[Part, ...]
    uses: tuple[Use, ...]
    product: str
    common: str
    """A part that many assemblies use."""
    day: str

    def children(self) -> dict[str, list[tuple[str, int]]]:
        """Return the uses on the day, by parent."""
        children: dict[str, list[tuple[str, int]]] = {p.code: [] for p in self.parts}
        for use in self.uses:
            if use.since <= self.day and (use.until is None or self.day < use.until):
                children[use.parent].append((use.child, use.quantity))
        return children


def drawn(ctx: Context) -> Assembly:
    """Return parts in layers; expired rows close loops, so that dates cannot be ignored."""
    rng = ctx.rng.fork("assembly")
    day = f"2024-{rng.integer(4, 9):02d}-{rng.integer(3, 27):02d}"
    layers = _layers(ctx, rng.fork("layers"))
    parts = tuple(p for layer in layers for p in layer)
    uses: list[Use] = []
    for depth, layer in enumerate(layers[:-1]):
        for number, part in enumerate(layer):
            r = rng.fork("uses", depth, number)
            below = [p.code for p in layers[depth + 1]]
            chosen = r.sample(below, min(len(below), r.integer(2, 3)))
            chosen.append(r.choice(layers[-1]).code)
            uses += [_use(part.code, child, r, day) for child in dict.fromkeys(chosen)]
    product, common = layers[0][0].code, layers[-1][0].code
    uses += _traps(layers, rng.fork("traps"), day)
    return Assembly(parts, tuple(rng.shuffled(uses)), product, common, day)


def _layers(ctx: Context, rng: Rng) -> list[list[Part]]:
    depth = ctx.knob(3, 6)
    sizes = [2 + (ctx.level > 0.5), *([ctx.knob(3, 5)] * (depth - 2)), ctx.knob(5, 9)]
    codes = sorted({ctx.skin.code(rng.fork("code", n)) for n in range(2 * sum(sizes))})
    fresh = iter(rng.shuffled(codes))
    return [
        [
            Part(
                next(fresh),
                f"{ctx.skin.thing(rng.fork('name', depth, n)).singular} {depth}{n}",
                rng.integer(15, 900),
                rng.integer(1, 30),
            )
            for n in range(size)
        ]
        for depth, size in enumerate(sizes)
    ]


def _use(parent: str, child: str, rng: Rng, day: str) -> Use:
    """Return a row that applies on the day, or one time in six one that does not."""
    since, until = f"2023-{rng.integer(1, 12):02d}-{rng.integer(1, 28):02d}", None
    if rng.chance(0.3):
        until = f"2025-{rng.integer(1, 12):02d}-{rng.integer(1, 28):02d}"
    elif rng.chance(0.15):
        until = f"2024-02-{rng.integer(1, 28):02d}"
    return Use(parent, child, rng.integer(1, 4), since, until)


def _traps(layers: list[list[Part]], rng: Rng, day: str) -> list[Use]:
    """Return rows that end or begin on the day, a second row of one pair, and closed loops."""
    product, bought = layers[0][0].code, [p.code for p in layers[-1]]
    middle = layers[1][0].code
    return [
        Use(product, middle, 2, "2023-03-01", None),
        Use(product, bought[0], rng.integer(2, 5), "2023-02-01", day),
        Use(product, bought[1], rng.integer(2, 5), day, None),
        Use(middle, bought[0], rng.integer(2, 4), "2023-05-01", None),
        Use(middle, bought[2], 1, "2024-01-05", "2025-01-01"),
        Use(middle, bought[2], 2, "2023-01-05", None),
        Use(middle, product, 1, "2022-01-01", "2023-01-01"),
    ]


def exploded(structure: Assembly) -> list[tuple[object, ...]]:
    """Return (part, quantity) of everything bought that one product needs."""
    children, total = structure.children(), dict[str, int]()

    def walk(code: str, quantity: int) -> None:
        if not children[code]:
            total[code] = total.get(code, 0) + quantity
        for child, each in children[code]:
            walk(child, quantity * each)

    walk(structure.product, 1)
    return sorted(total.items())


def where_used(structure: Assembly) -> list[tuple[object, ...]]:
    """Return (assembly, fewest levels down to the common part)."""
    children = structure.children()
    level, depth = {structure.common: 0}, 0
    while True:
        depth += 1
        more = {
            code
            for code, below in children.items()
            if code not in level and any(level.get(child) == depth - 1 for child, _ in below)
        }
        if not more:
            return sorted((code, n) for code, n in level.items() if n)
        level.update(dict.fromkeys(more, depth))


def costs(structure: Assembly) -> list[tuple[object, ...]]:
    """Return (product, full cost) of parts that no other part contains, dearest first."""
    children, own = structure.children(), {p.code: p.cost for p in structure.parts}

    def full(code: str) -> int:
        return own[code] + sum(each * full(child) for child, each in children[code])

    return [(code, -cents) for cents, code in sorted((-full(c), c) for c in _tops(children))]


def lead(structure: Assembly) -> list[tuple[object, ...]]:
    """Return (product, days until it is ready) if parts of an assembly are made side by side."""
    children, own = structure.children(), {p.code: p.days for p in structure.parts}

    def ready(code: str) -> int:
        return own[code] + max((ready(child) for child, _ in children[code]), default=0)

    return sorted((code, ready(code)) for code in _tops(children))


def unused(structure: Assembly) -> list[tuple[object, ...]]:
    """Return the parts that once stood in a row of use and do so no more."""
    children = structure.children()
    now = {code for code, below in children.items() if below}
    now |= {child for below in children.values() for child, _ in below}
    ever = {code for use in structure.uses for code in (use.parent, use.child)}
    return [(code,) for code in sorted(ever - now)] or [("none",)]


def _tops(children: dict[str, list[tuple[str, int]]]) -> list[str]:
    below = {child for rows in children.values() for child, _ in rows}
    return [code for code, rows in children.items() if rows and code not in below]

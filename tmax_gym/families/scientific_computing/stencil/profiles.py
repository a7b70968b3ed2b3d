"""Steady profiles along a rod: the law of a task, and problems whose solution is known.

A solution is drawn first, a polynomial; source and ends follow from it.  Covers one dimension,
cross sections that vary, conductivity that depends on the value, losses and drift.  Does not
cover time, layers or solutions with jumps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from tmax_gym.rng import Rng

Poly = tuple[float, ...]
"""Coefficients by rising power."""
End = Literal["value", "flux", "exchange"]
POINTS = 5
FIXED = (2, 20, 38)
"""Places in fortieths of the rod."""


@dataclass(frozen=True, slots=True)
class Law:
    """Which terms the equation of a task has."""

    taper: bool
    """Whether the cross section varies."""
    bent: bool
    """Whether the conductivity grows with the value."""
    loss: Literal[0, 1, 3]
    """Power of the value that is lost along the rod, 0 for no loss."""
    drift: bool
    mean: bool
    """Whether the mean is asked for as well."""
    ends: tuple[End, ...]

    @property
    def equation(self) -> str:
        """Return the equation on one line."""
        section = "A(x) " if self.taper else ""
        conductivity = "(k0 + k1 u)" if self.bent else "k0"
        terms = [f"-d/dx[ {section}{conductivity} du/dx ]"]
        terms += ["c du/dx"] * self.drift
        terms += ["r u^3" if self.loss == 3 else "r u"] * bool(self.loss)
        return " + ".join(terms) + " = q(x)"

    @property
    def conduction(self) -> str:
        """Return the quantities that the ends fix."""
        return "(k0 + k1 u) du/dx" if self.bent else "k0 du/dx"


@dataclass(frozen=True, slots=True)
class Problem:
    """One rod."""

    lines: tuple[str, ...]
    """The input."""
    points: tuple[float, ...]
    wanted: tuple[float, ...]
    """The solution at the points, and its mean where that is asked for."""
    spread: float
    """Highest less lowest value at the points."""

    @property
    def stdin(self) -> str:
        """Return the input as text."""
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each wanted number: its point, or `mean`."""
        return (*map(_digits, self.points), *["mean"] * (len(self.wanted) - len(self.points)))


def law(rng: Rng, level: float) -> Law:
    """Return a law; the higher the level, the more terms."""
    ends: list[End] = ["value", "flux", "exchange"]
    return Law(
        taper=rng.chance(0.3 + 0.5 * level),
        bent=level >= 0.3 and rng.chance(0.4 + 0.4 * level),
        loss=rng.choice((0, 1)) if level < 0.4 else rng.choice((1, 3, 3)),
        drift=rng.chance(0.25 + 0.3 * level),
        mean=rng.chance(0.5),
        ends=tuple(ends) if level >= 0.2 else tuple(rng.choice((ends[:2], [ends[0], ends[2]]))),
    )


def problem(rng: Rng, of: Law) -> Problem:
    """Return a rod of a law."""
    start, length = rng.choice((0.0, 0.5, 1.0, 2.0)), rng.choice((0.5, 1.0, 2.0))
    stop = start + length
    value = _profile(rng, start, length)
    slope = _derived(value)
    section: Poly = (_draw(rng, 8, 20), _draw(rng, 2, 9)) if of.taper else (1.0,)
    kept: Poly = (_draw(rng, 5, 20),)
    if of.bent:
        kept = (*kept, _draw(rng, 3, 9))
    conductivity = _plus(kept[:1], _times(kept[1:], value)) if of.bent else kept
    flow = _times(conductivity, slope)
    source = _times((-1.0,), _derived(_times(section, flow)))
    lines = [f"span {start!r} {stop!r}"]
    lines += [f"section {_spelt(section)}"] * of.taper
    lines.append(f"conductivity {_spelt(kept)}")
    if of.drift:
        speed = _draw(rng, 3, 15) * rng.choice((1, -1))
        source = _plus(source, _times((speed,), slope))
        lines.append(f"drift {speed!r}")
    if of.loss:
        rate = _draw(rng, 3, 25)
        power = value if of.loss == 1 else _times(value, _times(value, value))
        source = _plus(source, _times((rate,), power))
        lines.append(f"loss {rate!r}")
    lines.append(f"source {_spelt(source)}")
    lines += _ends(rng, of, (value, flow, (start, stop)))
    # Ends and middle are among the places, so that their range is that of the bump.
    others = [n for n in range(1, 40) if n not in FIXED]
    marks = sorted((*FIXED, *rng.sample(others, POINTS - len(FIXED))))
    points = tuple(start + length * n / 40 for n in marks)
    wanted = tuple(_at(value, x) for x in points)
    spread = max(wanted) - min(wanted)
    if of.mean:
        whole: Poly = (0.0, *(c / (n + 1) for n, c in enumerate(value)))
        wanted = (*wanted, (_at(whole, stop) - _at(whole, start)) / length)
    lines.append(f"at {_spelt(points)}")
    return Problem(tuple(lines), points, wanted, spread)


def _profile(rng: Rng, start: float, length: float) -> Poly:
    """Return a positive polynomial that no straight line is close to."""
    t: Poly = (-start / length, 1 / length)
    bump = _times(_times(t, _plus((1.0,), _times((-1.0,), t))), (_draw(rng, 36, 60),))
    lean = _plus((1.0,), _times((rng.choice((-1, 1)) * _draw(rng, 2, 9),), t))
    tilt = _times((rng.choice((-1, 1)) * _draw(rng, 2, 6),), t)
    return _plus(_plus((_draw(rng, 18, 30),), tilt), _times(bump, lean))


def _ends(rng: Rng, of: Law, known: tuple[Poly, Poly, tuple[float, float]]) -> list[str]:
    """Return one line for each end; at least one of them fixes the level of the solution."""
    value, flow, span = known
    kinds = [rng.choice(of.ends), rng.choice(of.ends)]
    if kinds == ["flux", "flux"]:
        kinds[rng.integer(0, 1)] = rng.choice([end for end in of.ends if end != "flux"])
    lines = []
    for number, (name, kind) in enumerate(zip(("left", "right"), kinds, strict=True)):
        here, through = _at(value, span[number]), _at(flow, span[number])
        rate = _draw(rng, 4, 30)
        # Heat leaves at either end: to the left against x, to the right along x.
        outside = here - through / rate if number == 0 else here + through / rate
        settings = {
            "value": f"value {_digits(here)}",
            "flux": f"flux {_digits(through)}",
            "exchange": f"exchange {rate!r} {_digits(outside)}",
        }
        lines.append(f"{name} {settings[kind]}")
    return lines


def _draw(rng: Rng, low: int, high: int) -> float:
    return rng.integer(low, high) / 10


def _spelt(poly: Sequence[float]) -> str:
    return " ".join(map(_digits, poly))


def _digits(number: float) -> str:
    """Return a number without the noise of its last binary digit."""
    return f"{number:.15g}"


def _at(poly: Poly, x: float) -> float:
    value = 0.0
    for c in reversed(poly):
        value = value * x + c
    return value


def _plus(one: Poly, other: Poly) -> Poly:
    return tuple(a + b for a, b in zip_longest(one, other, fillvalue=0.0))


def _times(one: Poly, other: Poly) -> Poly:
    product = [0.0] * (len(one) + len(other) - 1)
    for n, a in enumerate(one):
        for m, b in enumerate(other):
            product[n + m] += a * b
    return tuple(product)


def _derived(poly: Poly) -> Poly:
    return tuple(n * c for n, c in enumerate(poly))[1:] or (0.0,)

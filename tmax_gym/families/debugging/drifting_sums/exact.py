"""The figures of the drifting-sums family, computed to thirty digits and more.

Derived from the definitions with fractions and long decimals, never by the way the routines go.
Covers the decimal numbers of a request as they are written.  Does not cover requests that a
routine's comment rules out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise

LONG = Context(prec=60, Emax=99_999, Emin=-99_999)
"""Digits enough to lose forty of them to cancellation and still have twenty."""
SHORT = Context(prec=30, Emax=99_999, Emin=-99_999)
Numbers = Sequence[Fraction]


def _long(value: Fraction, context: Context = LONG) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def _root(value: Fraction) -> Decimal:
    return LONG.sqrt(_long(value))


def _spread(x: Numbers) -> Fraction:
    total = Fraction(sum(x))
    return (sum(v * v for v in x) - total * total / len(x)) / (len(x) - 1)


def _slope(x: Numbers) -> Fraction:
    a, b, n = x[::2], x[1::2], len(x) // 2
    both = n * sum(u * v for u, v in zip(a, b, strict=True)) - sum(a) * sum(b)
    return Fraction(both) / (n * sum(u * u for u in a) - sum(a) * sum(a))


def _near_root(x: Numbers) -> Decimal:
    b, root = _long(x[0]), _root(x[0] ** 2 - 4 * x[1])
    return min((LONG.divide(LONG.add(-b, r), Decimal(2)) for r in (root, -root)), key=abs)


def _sag(x: Numbers) -> Decimal:
    return LONG.subtract(_long(x[0]), _root(x[0] ** 2 - (x[1] / 2) ** 2))


def _geomean(x: Numbers) -> Decimal:
    product = Fraction(1)
    for v in x:
        product *= v
    return LONG.exp(LONG.divide(LONG.ln(_long(product)), Decimal(len(x))))


def _cuberoot(x: Numbers) -> Decimal:
    size = LONG.exp(LONG.divide(LONG.ln(_long(abs(x[0]))), Decimal(3)))
    return size if x[0] > 0 else -size


def _agm(x: Numbers) -> Decimal:
    a, b = _long(x[0]), _long(x[1])
    for _ in range(12):  # every round doubles the digits
        a, b = LONG.divide(LONG.add(a, b), Decimal(2)), LONG.sqrt(LONG.multiply(a, b))
    return a


def _payback(x: Numbers) -> Decimal:
    paid = [_long(v, SHORT) for v in x]
    low, high = Decimal(0), Decimal(1)
    for _ in range(80):
        middle = SHORT.divide(SHORT.add(low, high), Decimal(2))
        discount, factor, worth = Decimal(1), SHORT.divide(Decimal(1), 1 + middle), Decimal(0)
        for v in paid:
            worth = SHORT.add(worth, SHORT.multiply(v, discount))
            discount = SHORT.multiply(discount, factor)
        low, high = (middle, high) if worth > 0 else (low, middle)
    return low


def _artanh(x: Numbers) -> Decimal:
    return LONG.divide(LONG.ln(_long((1 + x[0]) / (1 - x[0]))), Decimal(2))


def _leading(x: Numbers) -> Decimal:
    a, b, d = x
    return LONG.add(_long((a + d) / 2), _root(((a - d) / 2) ** 2 + b * b))


def _simpson(x: Numbers) -> Fraction:
    y = x[1:]
    return x[0] / 3 * (y[0] + y[-1] + 4 * sum(y[1:-1:2]) + 2 * sum(y[2:-1:2]))


def _area(x: Numbers) -> Fraction:
    corners = list(zip(x[::2], x[1::2], strict=True))
    turns = [p[0] * q[1] - q[0] * p[1] for p, q in pairwise([*corners, corners[0]])]
    return abs(Fraction(sum(turns))) / 2


def _grown(rate: Fraction, periods: int) -> Fraction:
    return Fraction((1 + rate) ** periods)


def _instalment(x: Numbers) -> Fraction:
    grown = _grown(x[1], int(x[2]))
    return x[0] * x[1] * grown / (grown - 1)


def _weighted(x: Numbers) -> Fraction:
    return Fraction(sum(v * w for v, w in zip(x[::2], x[1::2], strict=True))) / sum(x[1::2])


def _matches(x: Numbers) -> Fraction:
    return Fraction(sum(a * b == x[0] for a, b in zip(x[1::2], x[2::2], strict=True)))


EXACT: Mapping[str, Callable[[Numbers], Fraction | Decimal]] = {
    "total": lambda x: Fraction(sum(x)),
    "spread": _spread,
    "slope": _slope,
    "near_root": _near_root,
    "sag": _sag,
    "norm": lambda x: _root(Fraction(sum(v * v for v in x))),
    "geomean": _geomean,
    "growth": lambda x: _grown(x[0], int(x[1])) - 1,
    "cuberoot": _cuberoot,
    "agm": _agm,
    "payback": _payback,
    "artanh": _artanh,
    "leading": _leading,
    "simpson": _simpson,
    "area": _area,
    "instalment": _instalment,
    "weighted": _weighted,
    "points": lambda x: Fraction((x[1] - x[0]) // x[2] + 1),
    "matches": _matches,
    "squares": lambda x: Fraction(sum(v * v for v in x)),
}


def exact(request: str) -> Fraction:
    """Return the value of a request, or of a decimal of sixty digits next to it."""
    name, *words = request.split()
    return Fraction(EXACT[name]([Fraction(word) for word in words]))

"""The slips of the drifting-sums family, and requests that show them.

Covers what is wrong in a routine, of which kind that is, and how an input is drawn that the slip
spoils or spares.  Does not cover which slips a task has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from tmax_gym.rng import Rng

Kind = Literal["precision", "instability", "convergence", "formula"]
KINDS: tuple[Kind, ...] = ("precision", "instability", "convergence", "formula")
Draw = Callable[[Rng], list[str]]


@dataclass(frozen=True, slots=True)
class Slip:
    """One thing that is wrong in a routine."""

    figure: str
    kind: Kind
    right: str
    """A piece of the routine that is in it once."""
    wrong: str
    hard: bool = False
    """Whether only the harder of the figure's two kinds of input shows it."""
    compiled: bool = False
    """Whether it needs a number type that Python does not have."""


SLIPS: tuple[Slip, ...] = (
    Slip("total", "precision", "return s + lost", "return s", hard=True),
    Slip("total", "precision", "abs(s) >= abs(v)", "abs(s) <= abs(v)", hard=True),
    Slip("total", "precision", "s = t", "s = single(t)", hard=True, compiled=True),
    Slip("norm", "precision", "s += (v / most) * (v / most)",
         "s = single(s + (v / most) * (v / most))", compiled=True),
    Slip("weighted", "precision", "s += x[2 * i] * x[2 * i + 1]",
         "s = single(s + x[2 * i] * x[2 * i + 1])", compiled=True),
    Slip("simpson", "precision", "x[0] / 3.0", "x[0] * 0.3333333"),
    Slip("points", "precision",
         "    steps: float = (x[1] - x[0]) / x[2]\n    return math.floor(steps + 1e-6) + 1.0",
         "    at: float = x[0]\n    found: float = 0.0\n    while at <= x[1]:\n"
         "        found += 1.0\n        at += x[2]\n    return found", hard=True),
    Slip("points", "precision", "steps + 1e-6", "steps", hard=True),
    Slip("matches", "precision", "abs(x[2 * i - 1] * x[2 * i] - x[0]) <= 1e-12 * abs(x[0])",
         "x[2 * i - 1] * x[2 * i] == x[0]", hard=True),
    Slip("squares", "precision", "s += k * k", "s += short(k * k)", hard=True, compiled=True),
    Slip("squares", "precision", "s += k * k", "s = short(s + k * k)", hard=True, compiled=True),
    Slip("spread", "instability", "s += (v - mean) * (v - mean)", "s += v * v - mean * mean",
         hard=True),
    Slip("slope", "instability", "sxx += (x[2 * i] - mx) * (x[2 * i] - mx)",
         "sxx += x[2 * i] * x[2 * i] - mx * mx", hard=True),
    Slip("near_root", "instability", "return c / far", "return -b - far", hard=True),
    Slip("sag", "instability", "h * h / (r + math.sqrt(r * r - h * h))",
         "r - math.sqrt(r * r - h * h)", hard=True),
    Slip("norm", "instability",
         "s += (v / most) * (v / most)\n    return most * math.sqrt(s)",
         "s += v * v\n    return math.sqrt(s)", hard=True),
    Slip("geomean", "instability",
         "    s: float = 0.0\n    for v in x:\n        s += math.log(v)\n"
         "    return math.exp(s / float(len(x)))",
         "    s: float = 1.0\n    for v in x:\n        s *= v\n"
         "    return math.pow(s, 1.0 / float(len(x)))", hard=True),
    Slip("growth", "instability",
         "gain: float = 0.0\n    for _ in range(periods):\n        gain += rate + gain * rate\n"
         "    return gain",
         "gain: float = 1.0\n    for _ in range(periods):\n        gain *= 1.0 + rate\n"
         "    return gain - 1.0", hard=True),
    Slip("area", "instability",
         "        s += (x[2 * i] - x[0]) * (x[2 * j + 1] - x[1])\n"
         "        s -= (x[2 * j] - x[0]) * (x[2 * i + 1] - x[1])",
         "        s += x[2 * i] * x[2 * j + 1] - x[2 * j] * x[2 * i + 1]", hard=True),
    Slip("instalment", "instability", "-math.expm1(-x[2] * math.log1p(rate))",
         "1.0 - math.pow(1.0 + rate, -x[2])", hard=True),
    Slip("cuberoot", "convergence", "<= 1e-13 * abs(r)", "<= 1e-7", hard=True),
    Slip("cuberoot", "convergence", "range(500)", "range(30)", hard=True),
    Slip("agm", "convergence", "<= 1e-14 * a", "<= 1e-6", hard=True),
    Slip("agm", "convergence", "range(80)", "range(3)"),
    Slip("payback", "convergence", "range(100)", "range(20)"),
    Slip("payback", "convergence", "high: float = 1.0", "high: float = 0.2", hard=True),
    Slip("payback", "convergence", "if worth > 0.0", "if worth < 0.0"),
    Slip("artanh", "convergence", "<= 1e-16 * abs(s)", "<= 1e-6"),
    Slip("artanh", "convergence", "range(5000)", "range(50)", hard=True),
    Slip("leading", "convergence", "v: float = 0.5", "v: float = -1.0", hard=True),
    Slip("leading", "convergence", "<= 1e-15 * now", "<= 1e-4"),
    Slip("leading", "convergence", "range(5000)", "range(4)"),
    Slip("spread", "formula", "s / float(n - 1)", "s / float(n)"),
    Slip("slope", "formula", "sxx += (x[2 * i] - mx) * (x[2 * i] - mx)",
         "sxx += (x[2 * i + 1] - my) * (x[2 * i + 1] - my)"),
    Slip("near_root", "formula", "b * b - 4.0 * c", "b * b - 2.0 * c"),
    Slip("sag", "formula", "x[1] / 2.0", "x[1]"),
    Slip("geomean", "formula", "s / float(len(x))", "s / float(len(x) - 1)"),
    Slip("growth", "formula", "gain += rate + gain * rate", "gain += rate"),
    Slip("agm", "formula", "        b = math.sqrt(a * b)\n        a = half",
         "        a = half\n        b = math.sqrt(a * b)"),
    Slip("artanh", "formula", "k += 2", "k += 1"),
    Slip("simpson", "formula", "i % 2 == 0", "i % 2 == 1"),
    Slip("simpson", "formula", "x[0] / 3.0", "x[0] / 2.0"),
    Slip("area", "formula", "abs(s) / 2.0", "s / 2.0"),
    Slip("area", "formula", "(i + 1) % n", "(i + 2) % n"),
    Slip("instalment", "formula", "-x[2] * math", "(1.0 - x[2]) * math"),
    Slip("weighted", "formula", "s / weights", "s / float(n)"),
    Slip("points", "formula", "steps + 1e-6) + 1.0", "steps + 1e-6)"),
)  # fmt: skip


def _decimal(rng: Rng, low: int, high: int, places: int = 2) -> str:
    """Return a decimal between two whole numbers that is not 0."""
    unit = 10**places
    drawn = rng.integer(low * unit, high * unit) or 1
    sign, size = "-" * (drawn < 0), abs(drawn)
    return f"{sign}{size // unit}.{size % unit:0{places}d}"


def _eighths(rng: Rng, low: int, high: int) -> str:
    """Return a multiple of 1/8: what doubles hold exactly, however large the rest is."""
    drawn = rng.integer(8 * low, 8 * high)
    return f"{drawn // 8}.{drawn % 8 * 125:03d}"


def _power(rng: Rng, low: int, high: int) -> str:
    return f"{rng.integer(101, 999) / 100}e{rng.integer(low, high)}"


def _many(rng: Rng, least: int, most: int, one: Callable[[Rng], str]) -> list[str]:
    return [one(rng) for _ in range(rng.integer(least, most))]


def _cancelling(rng: Rng) -> list[str]:
    small = _many(rng, 3, 8, lambda r: _eighths(r, 1, 60))
    big = str(rng.integer(11, 89) * 10**14 + rng.integer(1, 10**9) * 8)
    at = rng.integer(1, len(small) - 1)
    return [big, *small[:at], f"-{big}", *small[at:]]


def _line(rng: Rng, start: int, step: int) -> list[str]:
    rise, at, out = rng.integer(2, 30), start, []
    for number in range(rng.integer(4, 9)):
        out += [str(at), f"{rise * number}.{rng.integer(0, 999):03d}"]
        at += rng.integer(1, step)
    return out


def _receipts(rng: Rng, low: int, high: int) -> list[str]:
    """Return payments that come back with `low` to `high` thousandths more a period."""
    count, paid = rng.integer(3, 8), rng.integer(10, 90) * 100
    rate = rng.integer(low, high)
    # Each period brings interest and an equal part of the loan: about that rate, and not exactly.
    parts = [paid // count + paid * rate // 1000 + rng.integer(0, 3) for _ in range(count)]
    return [f"-{paid}", *map(str, parts)]


def _matrix(rng: Rng, *, same: bool) -> list[str]:
    a = rng.integer(20, 90)
    d = a if same else rng.integer(20, 90)
    return [f"{a / 10}", f"{rng.integer(min(a, d) // 3, min(a, d) * 3 // 4) / 10}", f"{d / 10}"]


def _polygon(rng: Rng, x: int, y: int) -> list[str]:
    spots = ((0, 0), (40, 2), (55, 30), (30, 60), (4, 41))[: rng.integer(3, 5)]
    corners = [
        (_decimal(rng, x + a, x + a + 9, 3), _decimal(rng, y + b, y + b + 9, 3)) for a, b in spots
    ]
    turned = corners[::-1] if rng.chance(0.5) else corners
    return [word for corner in turned for word in corner]


def _steps(rng: Rng) -> list[str]:
    """Return a range in steps of some tenths, hundredths or thousandths that ends on a point."""
    unit = 10 ** rng.integer(1, 3)
    step, low = rng.integer(1, 9), rng.integer(0, 5)
    high = low * unit + step * rng.integer(5, 900)
    return [str(low), f"{high / unit}", f"{step / unit}"]


def _products(rng: Rng) -> list[str]:
    """Return a target and pairs of tenths, some of which make it."""
    whole = rng.choice((36, 48, 60, 72, 84, 90, 96, 120, 126, 144, 180, 210, 252, 360))
    factors = [n for n in range(1, whole + 1) if whole % n == 0]
    out = [f"{whole / 100}"]
    for _ in range(rng.integer(4, 9)):
        one = rng.choice(factors)
        other = whole // one * 100 + (rng.integer(1, 9) if rng.chance(0.3) else 0)
        out += [f"{one / 10}", f"{other / 1000}"]
    return out


EASY: Mapping[str, Draw] = {
    "total": lambda r: _many(r, 3, 8, lambda q: str(q.integer(1, 999))),
    "spread": lambda r: _many(r, 4, 10, lambda q: _decimal(q, 1, 90)),
    "slope": lambda r: _line(r, r.integer(0, 20), 9),
    "near_root": lambda r: [_decimal(r, 20, 60), _decimal(r, 10, 90)],
    "sag": lambda r: [_decimal(r, 60, 400), _decimal(r, 20, 90)],
    "norm": lambda r: _many(r, 3, 8, lambda q: _decimal(q, -90, 90, 3)),
    "geomean": lambda r: _many(r, 3, 8, lambda q: _decimal(q, 1, 90)),
    "growth": lambda r: [_decimal(r, 0, 1, 3), str(r.integer(4, 40))],
    "cuberoot": lambda r: [_decimal(r, 2, 900)],
    "agm": lambda r: [_decimal(r, 1, 20), _decimal(r, 300, 900)],
    "payback": lambda r: _receipts(r, 20, 100),
    "artanh": lambda r: [f"{r.choice(('', '-'))}0.{r.integer(20, 89)}"],
    "leading": lambda r: _matrix(r, same=False),
    "simpson": lambda r: ["0.25", *(_decimal(r, 1, 60) for _ in range(2 * r.integer(2, 5) + 1))],
    "area": lambda r: _polygon(r, 0, 0),
    "instalment": lambda r: [
        str(r.integer(10, 900) * 100),
        _decimal(r, 0, 1, 3),
        str(r.integer(6, 60)),
    ],
    "weighted": lambda r: _many(r, 3, 6, lambda q: f"{_decimal(q, 1, 90, 3)} {q.integer(1, 9)}"),
    "points": lambda r: [str(r.integer(0, 9)), str(r.integer(50, 90)), "0.75"],
    "matches": lambda r: ["12", *(str(r.integer(1, 6)) for _ in range(8)), "3", "4"],
    "squares": lambda r: _many(r, 3, 8, lambda q: str(q.integer(2, 400))),
}
HARD: Mapping[str, Draw] = {
    **EASY,
    "total": _cancelling,
    "spread": lambda r: _far(r, r.integer(10**9, 9 * 10**9)),
    "slope": lambda r: _line(r, 1_700_000_000 + r.integer(0, 9_999_999), 40),
    "near_root": lambda r: [
        f"{r.choice(('', '-'))}{r.integer(10**7, 9 * 10**8)}",
        _decimal(r, 1, 90),
    ],
    "sag": lambda r: [str(r.integer(1_700_000, 6_400_000)), _decimal(r, 1, 30)],
    "norm": lambda r: _scaled(r, r.choice((-1, 1)) * r.integer(180, 240)),
    "geomean": lambda r: _sized(r, r.choice((-1, 1))),
    "growth": lambda r: [_power(r, -13, -9), str(r.integer(12, 400))],
    "cuberoot": lambda r: [r.choice(("", "-")) + _power(r, *r.choice(((-29, -23), (20, 29))))],
    "agm": lambda r: [_power(r, -8, -7), _power(r, -9, -8)],
    "payback": lambda r: _receipts(r, 250, 600),
    "artanh": lambda r: [f"{r.choice(('', '-'))}0.9{r.integer(10, 89)}"],
    "leading": lambda r: _matrix(r, same=True),
    "area": lambda r: _polygon(r, r.integer(3 * 10**6, 6 * 10**6), r.integer(10**6, 6 * 10**6)),
    "instalment": lambda r: [
        str(r.integer(10, 900) * 100),
        _power(r, -13, -10),
        str(r.integer(12, 360)),
    ],
    "points": _steps,
    "matches": _products,
    "squares": lambda r: _many(r, 3, 9, lambda q: str(q.integer(47_000, 990_000))),
}


def _far(rng: Rng, base: int) -> list[str]:
    return _many(rng, 4, 10, lambda r: _eighths(r, base, base + 4))


def _scaled(rng: Rng, size: int) -> list[str]:
    return _many(rng, 3, 8, lambda r: _power(r, size, size + 2))


def _sized(rng: Rng, sign: int) -> list[str]:
    low, high = sorted((sign * 14, sign * 25))
    return _many(rng, 30, 45, lambda r: _power(r, low, high))


def request(figure: str, rng: Rng, *, hard: bool) -> str:
    """Return a request for a figure."""
    return " ".join((figure, *(HARD if hard else EASY)[figure](rng)))

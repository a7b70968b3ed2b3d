"""The vendored package of the sign-error family: seven exact routines, and their possible faults.

Every routine works on fractions, so that right and wrong answers differ exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng

MODULES: Mapping[str, str] = {
    "quadrature": program_text(__package__, "integrals.py"),
    "polynomials": program_text(__package__, "polynomials.py"),
    "interpolation": program_text(__package__, "interpolation.py"),
    "steppers": program_text(__package__, "steps.py"),
    "__main__": program_text(__package__, "main.py"),
    "__init__": "from . import interpolation, polynomials, quadrature, steppers\n",
}
NOTES = """\
Exact numerics
==============

Run `python3 {package}` and write one call per line to its standard input.
Numbers can be fractions.

- simpson a b n c0 c1 ...      composite Simpson rule with n panels, each split in two
- boole a b n c0 c1 ...        composite Boole rule with n panels, each split in four
- richardson a b n c0 c1 ...   trapezoid rule with n and with 2n panels, extrapolated
- stencil x h c0 c1 ...        first derivative at x, five-point central difference with step h
- newton x x1 .. xk y1 .. yk   value at x of the interpolating polynomial through k points
- heun p q y h n               n steps of size h of the improved Euler method
- rk4 p q y h n                n steps of size h of the classical Runge-Kutta method

simpson, boole and richardson integrate a polynomial from a to b, and stencil differentiates one.
c0 c1 ... are its coefficients, starting with the constant term. heun and rk4 solve
y' = p*y + q*t, beginning at t = 0 with the given y.
"""
"""The file `NOTES.txt` of the package."""
ROUTINES = ("boole", "heun", "newton", "richardson", "rk4", "simpson", "stencil")


@dataclass(frozen=True, slots=True)
class Fault:
    """One wrong place, with other wrong versions of it."""

    routine: str
    module: str
    right: str
    wrong: str
    others: tuple[str, str]
    """Two more wrong versions, as after a hasty repair."""


FAULTS: tuple[Fault, ...] = (
    Fault("simpson", "quadrature", "4 * odd + 2 * even", "2 * odd + 4 * even",
          ("4 * odd + 4 * even", "2 * odd + 2 * even")),
    Fault("simpson", "quadrature", "return h / 3 * (", "return h / 2 * (",
          ("return h / 6 * (", "return h * (")),
    Fault("boole", "quadrature", "12 * f[2]", "14 * f[2]", ("10 * f[2]", "32 * f[2]")),
    Fault("boole", "quadrature", "return 2 * h / 45", "return 4 * h / 45",
          ("return h / 45", "return 2 * h / 90")),
    Fault("richardson", "quadrature", "(4 * fine - coarse) / 3", "(4 * fine + coarse) / 5",
          ("(2 * fine - coarse)", "(16 * fine - coarse) / 15")),
    Fault("richardson", "quadrature", "(c, a, b, 2 * n)", "(c, a, b, 3 * n)",
          ("(c, a, b, 4 * n)", "(c, a, b, n + 2)")),
    Fault("stencil", "polynomials", "- 8 * f[1] + 8 * f[3]", "+ 8 * f[1] - 8 * f[3]",
          ("- 8 * f[1] + 6 * f[3]", "- 4 * f[1] + 4 * f[3]")),
    Fault("stencil", "polynomials", "/ (12 * h)", "/ (10 * h)", ("/ (6 * h)", "/ (24 * h)")),
    Fault("newton", "interpolation", "(xs[i] - xs[i - k])", "(xs[i] - xs[i - 1])",
          ("(xs[i] + xs[i - k])", "(xs[i - k] - xs[i])")),
    Fault("newton", "interpolation", "total * (x - xs[i]) + d[i]", "total * (x + xs[i]) + d[i]",
          ("total * (x - xs[i]) - d[i]", "total * (x - xs[i + 1]) + d[i]")),
    Fault("heun", "steppers", "+ q * (t + h)\n        y += h * (one + two) / 2",
          "+ q * t\n        y += h * (one + two) / 2",
          ("- q * (t + h)\n        y += h * (one + two) / 2",
           "+ q * (t - h)\n        y += h * (one + two) / 2")),
    Fault("heun", "steppers", "(one + two) / 2", "(one + 2 * two) / 3",
          ("(one - two) / 2", "(one + two) / 3")),
    Fault("rk4", "steppers", "(one + 2 * two + 2 * three + four)",
          "(2 * one + two + three + 2 * four)",
          ("(one + two + 2 * three + 2 * four)", "(one + 2 * two + 3 * three + four)")),
    Fault("rk4", "steppers", "two = p * (y + h / 2 * one) + q * (t + h / 2)",
          "two = p * (y - h / 2 * one) + q * (t + h / 2)",
          ("two = p * (y + h * one) + q * (t + h / 2)",
           "two = p * (y + h / 2 * one) - q * (t + h / 2)")),
)  # fmt: skip


@cache
def routines(faults: tuple[tuple[str, str, str], ...]) -> Mapping[str, Any]:
    """Return the routines by name, with (module, right, instead) replaced."""
    space: dict[str, Any] = {}
    for module in ("polynomials", "quadrature", "interpolation", "steppers"):
        source = MODULES[module].replace("from .polynomials import value\n", "")
        for where, right, instead in faults:
            source = source.replace(right, instead) if where == module else source
        exec(compile(source, module, "exec"), space)  # our own text, from above
    return space


def answer(space: Mapping[str, Any], line: str) -> Fraction:
    """Return the answer of the command line."""
    name, *words = line.split()
    v = [Fraction(word) for word in words]
    if name in ("simpson", "boole", "richardson"):
        return Fraction(space[name](v[3:], v[0], v[1], int(v[2])))
    if name == "stencil":
        return Fraction(space[name](v[2:], v[0], v[1]))
    if name == "newton":
        half = len(v) // 2
        return Fraction(space[name](v[1 : half + 1], v[half + 1 :], v[0]))
    return Fraction(space[name](v[0], v[1], v[2], v[3], int(v[4])))


def call(routine: str, rng: Rng) -> str:
    """Return a line that calls a routine with small random numbers."""

    def some(count: int) -> list[str]:
        return [f"{rng.integer(1, 19)}/{rng.integer(1, 6)}" for _ in range(count)]

    if routine in ("simpson", "boole", "richardson"):
        a = rng.integer(-3, 3)
        words = [str(a), str(a + rng.integer(1, 4)), str(rng.integer(1, 3)), *some(7)]
    elif routine == "stencil":
        words = [str(rng.integer(-4, 4)), f"1/{rng.integer(2, 9)}", *some(6)]
    elif routine == "newton":
        first, count = rng.integer(1, 3), rng.integer(3, 5)
        xs = [str(first + 2 * k + rng.integer(0, 1)) for k in range(count)]
        words = [f"{rng.integer(1, 40)}/7", *xs, *some(count)]
    else:
        words = [*some(3), f"1/{rng.integer(2, 6)}", str(rng.integer(2, 3))]
    return " ".join((routine, *words))

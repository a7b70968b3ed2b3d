"""The routines of the drifting-sums family: real code, handed to the agent in five languages.

Covers statements and calls that `rendering.py` knows.  Does not cover sorting, texts or
arrays of a routine's own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

NONE = math.nan


def total(x: Sequence[float]) -> float:
    """Return the sum of the numbers.

    Large ones may cancel and leave the small ones: 4e15 2.5 -4e15 makes 2.5.
    """
    s: float = 0.0
    lost: float = 0.0
    for v in x:
        t: float = s + v
        if abs(s) >= abs(v):
            lost += (s - t) + v
        else:
            lost += (v - t) + s
        s = t
    return s + lost


def spread(x: Sequence[float]) -> float:
    """Return the sample variance of two or more numbers (their number less one divides).

    They may lie close together and far from 0, as readings near 1e10 that differ by 1.
    """
    n: int = len(x)
    mean: float = 0.0
    for v in x:
        mean += v
    mean = mean / float(n)
    s: float = 0.0
    for v in x:
        s += (v - mean) * (v - mean)
    return s / float(n - 1)


def slope(x: Sequence[float]) -> float:
    """Return the slope of y over x by least squares, from x1 y1 x2 y2 and so on.

    Three points or more; x may be clock times in seconds near 1.7e9.
    """
    n: int = len(x) // 2
    mx: float = 0.0
    my: float = 0.0
    for i in range(n):
        mx += x[2 * i] / float(n)
        my += x[2 * i + 1] / float(n)
    sxx: float = 0.0
    sxy: float = 0.0
    for i in range(n):
        sxx += (x[2 * i] - mx) * (x[2 * i] - mx)
        sxy += (x[2 * i] - mx) * (x[2 * i + 1] - my)
    return sxy / sxx


def near_root(x: Sequence[float]) -> float:
    """Return the root of z * z + b * z + c = 0 that is nearer to 0, from b and c.

    Both roots are real, b is not 0 and may be as large as 1e9 beside a small c.
    """
    b: float = x[0]
    c: float = x[1]
    d: float = math.sqrt(b * b - 4.0 * c)
    far: float = (-b - d) / 2.0
    if b < 0.0:
        far = (-b + d) / 2.0
    return c / far


def sag(x: Sequence[float]) -> float:
    """Return the height of an arc over its chord, from the radius and the whole chord.

    The radius may be millions of times the chord, as that of the earth.
    """
    r: float = x[0]
    h: float = x[1] / 2.0
    return h * h / (r + math.sqrt(r * r - h * h))


def norm(x: Sequence[float]) -> float:
    """Return the square root of the sum of the squares of one or more numbers.

    They may be as large as 1e250 and as small as 1e-250.
    """
    most: float = 0.0
    for v in x:
        if abs(v) > most:
            most = abs(v)
    if most == 0.0:
        return 0.0
    s: float = 0.0
    for v in x:
        s += (v / most) * (v / most)
    return most * math.sqrt(s)


def geomean(x: Sequence[float]) -> float:
    """Return the geometric mean of the numbers: up to 80 of them, from 1e-30 to 1e30."""
    s: float = 0.0
    for v in x:
        s += math.log(v)
    return math.exp(s / float(len(x)))


def growth(x: Sequence[float]) -> float:
    """Return what 1 gains at compound interest, from the rate and the number of periods.

    Rates go down to 1e-13, and there are up to 400 periods.
    """
    rate: float = x[0]
    periods: int = int(x[1])
    gain: float = 0.0
    for _ in range(periods):
        gain += rate + gain * rate
    return gain


def cuberoot(x: Sequence[float]) -> float:
    """Return the cube root of a number other than 0, of any size from 1e-30 to 1e30."""
    a: float = x[0]
    r: float = a
    for _ in range(500):
        step: float = (r * r * r - a) / (3.0 * r * r)
        r -= step
        if abs(step) <= 1e-13 * abs(r):
            return r
    return NONE


def agm(x: Sequence[float]) -> float:
    """Return the arithmetic-geometric mean of two positive numbers of any size.

    Both are replaced at once by their arithmetic and their geometric mean, until they agree.
    """
    a: float = x[0]
    b: float = x[1]
    for _ in range(80):
        if abs(a - b) <= 1e-14 * a:
            return a
        half: float = (a + b) / 2.0
        b = math.sqrt(a * b)
        a = half
    return NONE


def payback(x: Sequence[float]) -> float:
    """Return the rate at which all payments together are worth nothing today.

    The first number is negative and paid now, each further one is received a period later; the
    rate lies between 0 and 1.
    """
    low: float = 0.0
    high: float = 1.0
    for _ in range(100):
        rate: float = (low + high) / 2.0
        worth: float = 0.0
        for i in range(len(x)):
            worth = worth / (1.0 + rate) + x[len(x) - 1 - i]
        if worth > 0.0:
            low = rate
        else:
            high = rate
    return (low + high) / 2.0


def artanh(x: Sequence[float]) -> float:
    """Return half the logarithm of (1 + z) / (1 - z), as z + z^3 / 3 + z^5 / 5 and so on.

    z is not 0 and lies between -0.99 and 0.99.
    """
    power: float = x[0]
    s: float = 0.0
    k: int = 1
    for _ in range(5000):
        term: float = power / float(k)
        s += term
        if abs(term) <= 1e-16 * abs(s):
            return s
        power *= x[0] * x[0]
        k += 2
    return NONE


def leading(x: Sequence[float]) -> float:
    """Return the largest eigenvalue of the matrix a b / b d, from a, b and d.

    All three are positive, of any size, and the other eigenvalue is smaller by a tenth at least.
    """
    u: float = 1.0
    v: float = 0.5
    old: float = 0.0
    for _ in range(5000):
        p: float = x[0] * u + x[1] * v
        q: float = x[1] * u + x[2] * v
        size: float = math.sqrt(p * p + q * q)
        u = p / size
        v = q / size
        now: float = u * (x[0] * u + x[1] * v) + v * (x[1] * u + x[2] * v)
        if abs(now - old) <= 1e-15 * now:
            return now
        old = now
    return NONE


def simpson(x: Sequence[float]) -> float:
    """Return the integral by Simpson's rule, from the step and an odd number of ordinates.

    There are three ordinates or more, a step apart.
    """
    last: int = len(x) - 1
    s: float = x[1] + x[last]
    for i in range(2, last):
        if i % 2 == 0:
            s += 4.0 * x[i]
        else:
            s += 2.0 * x[i]
    return s * x[0] / 3.0


def area(x: Sequence[float]) -> float:
    """Return the area of a polygon, from x1 y1 x2 y2 and so on, in either sense of rotation.

    Coordinates may be in the millions for a plot of a few metres.
    """
    n: int = len(x) // 2
    s: float = 0.0
    for i in range(n):
        j: int = (i + 1) % n
        s += (x[2 * i] - x[0]) * (x[2 * j + 1] - x[1])
        s -= (x[2 * j] - x[0]) * (x[2 * i + 1] - x[1])
    return abs(s) / 2.0


def instalment(x: Sequence[float]) -> float:
    """Return the equal payment at each period's end that repays a loan with interest.

    From the loan, the rate per period (down to 1e-13, never 0) and the number of periods.
    """
    rate: float = x[1]
    left: float = -math.expm1(-x[2] * math.log1p(rate))
    return x[0] * rate / left


def weighted(x: Sequence[float]) -> float:
    """Return the mean of values by positive weights, from v1 w1 v2 w2 and so on."""
    n: int = len(x) // 2
    s: float = 0.0
    weights: float = 0.0
    for i in range(n):
        s += x[2 * i] * x[2 * i + 1]
        weights += x[2 * i + 1]
    return s / weights


def points(x: Sequence[float]) -> float:
    """Return how many of lo, lo + step, lo + 2 step and so on do not exceed hi.

    From lo, hi and step; a point counts as hi if it misses it by a millionth of a step or less.
    """
    steps: float = (x[1] - x[0]) / x[2]
    return math.floor(steps + 1e-6) + 1.0


def matches(x: Sequence[float]) -> float:
    """Return how many products equal a target to twelve digits, from target a1 b1 a2 b2 on."""
    found: float = 0.0
    for i in range(1, len(x) // 2 + 1):
        if abs(x[2 * i - 1] * x[2 * i] - x[0]) <= 1e-12 * abs(x[0]):
            found += 1.0
    return found


def squares(x: Sequence[float]) -> float:
    """Return the sum of the squares of whole numbers, exactly; they go up to a million."""
    s: int = 0
    for v in x:
        k: int = int(v)
        s += k * k
    return float(s)

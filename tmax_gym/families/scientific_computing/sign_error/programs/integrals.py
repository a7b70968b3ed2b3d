"""Integrals of polynomials (coefficients from the constant up) over [a, b], n panels."""
from .polynomials import value


def trapezoid(c, a, b, n):
    h = (b - a) / n
    inner = sum(value(c, a + i * h) for i in range(1, n))
    return h * ((value(c, a) + value(c, b)) / 2 + inner)


def simpson(c, a, b, n):
    """Composite Simpson rule; every panel is halved."""
    h = (b - a) / (2 * n)
    odd = sum(value(c, a + (2 * i + 1) * h) for i in range(n))
    even = sum(value(c, a + 2 * i * h) for i in range(1, n))
    return h / 3 * (value(c, a) + value(c, b) + 4 * odd + 2 * even)


def boole(c, a, b, n):
    """Composite Boole rule; every panel is quartered."""
    h, total = (b - a) / (4 * n), 0
    for i in range(n):
        f = [value(c, a + (4 * i + k) * h) for k in range(5)]
        total += 7 * f[0] + 32 * f[1] + 12 * f[2] + 32 * f[3] + 7 * f[4]
    return 2 * h / 45 * total


def richardson(c, a, b, n):
    """Trapezoids with n and 2n panels, combined so that the h^2 term cancels."""
    coarse, fine = trapezoid(c, a, b, n), trapezoid(c, a, b, 2 * n)
    return (4 * fine - coarse) / 3

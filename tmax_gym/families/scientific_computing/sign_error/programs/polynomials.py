"""Values and derivatives of polynomials, coefficients from the constant up."""


def value(c, x):
    total = 0
    for factor in reversed(c):
        total = total * x + factor
    return total


def stencil(c, x, h):
    """Central difference of fourth order for the first derivative."""
    f = [value(c, x + k * h) for k in (-2, -1, 0, 1, 2)]
    return (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h)

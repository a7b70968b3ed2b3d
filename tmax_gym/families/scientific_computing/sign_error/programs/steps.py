"""One-step methods for y' = p*y + q*t."""


def heun(p, q, y, h, n):
    """Improved Euler: the mean of the slopes at both ends."""
    for i in range(n):
        t = i * h
        one = p * y + q * t
        two = p * (y + h * one) + q * (t + h)
        y += h * (one + two) / 2
    return y


def rk4(p, q, y, h, n):
    """The classical Runge-Kutta method."""
    for i in range(n):
        t = i * h
        one = p * y + q * t
        two = p * (y + h / 2 * one) + q * (t + h / 2)
        three = p * (y + h / 2 * two) + q * (t + h / 2)
        four = p * (y + h * three) + q * (t + h)
        y += h * (one + 2 * two + 2 * three + four) / 6
    return y

"""Interpolation through points by Newton's divided differences."""


def newton(xs, ys, x):
    d, n = list(ys), len(xs)
    for k in range(1, n):
        for i in range(n - 1, k - 1, -1):
            d[i] = (d[i] - d[i - 1]) / (xs[i] - xs[i - k])
    total = d[n - 1]
    for i in range(n - 2, -1, -1):
        total = total * (x - xs[i]) + d[i]
    return total

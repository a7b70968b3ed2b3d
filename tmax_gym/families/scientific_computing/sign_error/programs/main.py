"""Command line: a routine and its numbers a line, each answered by one fraction."""
import os
import sys
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
package = __import__(os.path.basename(os.path.dirname(os.path.abspath(__file__))))


def answer(line):
    name, *words = line.split()
    v = [Fraction(word) for word in words]
    if name in ("trapezoid", "simpson", "boole", "richardson"):
        return getattr(package.quadrature, name)(v[3:], v[0], v[1], int(v[2]))
    if name == "stencil":
        return package.polynomials.stencil(v[2:], v[0], v[1])
    if name == "newton":
        half = len(v) // 2
        return package.interpolation.newton(v[1:half + 1], v[half + 1:], v[0])
    return getattr(package.steppers, name)(v[0], v[1], v[2], v[3], int(v[4]))


for line in sys.stdin:
    if line.strip():
        print(answer(line))

"""@about"""

import math
import sys


HOLE("@routines")


FIGURES = {
HOLE("@chosen")
}


def main():
    for line in sys.stdin:
        name, *words = line.split()
        try:
            found = FIGURES[name]([float(word) for word in words])
        except (ArithmeticError, ValueError):
            found = math.nan
        print(f"{found:.12e}" if math.isfinite(found) else "none")


main()

"""Reads rows, one a line, and prints what the reader makes of each: a list, or `invalid`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "vendor" / "rows"))
sys.dont_write_bytecode = True

from rows import parse  # noqa: E402

for line in sys.stdin:
    try:
        print(parse(line.rstrip("\n")))
    except ValueError:
        print("invalid")

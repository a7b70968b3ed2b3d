"""Reads commands of the NAME library, one a line, and prints one answer for each."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "vendor" / "NAME"))
sys.dont_write_bytecode = True

from NAME import Session  # noqa: E402

session = Session()
for line in sys.stdin:
    words = line.split()
    if words:
        print(session.run(*words))

"""Reads lines `<now> <audience> <token>` and prints the verdict on each token."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "vendor" / "tokens"))
sys.dont_write_bytecode = True

from tokens import verify  # noqa: E402

keys = json.loads((HERE / "keys.json").read_text())
for line in sys.stdin:
    now, audience, token = line.split()
    print(verify(token, keys, now=int(now), audience=audience))

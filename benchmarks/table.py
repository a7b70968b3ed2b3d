"""The table of the README, from what the benchmarks wrote into `results/`.

Every result file has a `targets` object: a name, the value that was measured, the target and
whether it was met.  This script measures nothing and knows no number.

    python benchmarks/table.py           rewrites the table
    python benchmarks/table.py --check   fails where the table is not up to date
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
BEGIN = "| what | measured by | measured | target |\n|---|---|---|---|\n"
END = "\n\n`tmax doctor`"


def rows() -> Iterator[str]:
    """Yield a row a target, by result file and name."""
    for file in sorted((HERE / "results").glob("*.json")):
        for name, row in sorted(json.loads(file.read_text()).get("targets", {}).items()):
            missed = "" if row["ok"] else " (missed)"
            script = f"`benchmarks/{file.stem}.py`"
            what = name.replace("_", " ")
            goal = f"{'at most' if row['at_most'] else 'at least'} {row['goal']:g}"
            yield f"| {what} | {script} | {row['value']}{missed} | {goal} |"


def rewritten(text: str) -> str:
    """Return the README with the present table."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{README.name} has no table that begins with:\n{BEGIN}")
    return head + begin + "\n".join(rows()) + end + tail


def main() -> int:
    """Write the table, or compare it."""
    old = README.read_text(encoding="utf-8")
    new = rewritten(old)
    if "--check" in sys.argv[1:]:
        if new != old:
            print("README.md: the table is out of date; run: python benchmarks/table.py")
        return int(new != old)
    README.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

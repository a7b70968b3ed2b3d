"""Write the tables of results from the files in `results/`.

Writes `RESULTS.md`, with a row for every target, the main figures of the README, and the tables
of `tmax_gym/sandboxes/README.md` and `docs/objectives.md`.  Every result file has a `targets`
object: names, measured values, goals, and whether they are met.

    python benchmarks/table.py           rewrites them
    python benchmarks/table.py --check   fails if one of them is not up to date
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks import objective_tables, sandbox_tables
from benchmarks.script import high, median

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
RESULTS = HERE / "RESULTS.md"
INTRODUCTION = """\
# Results

Every number that this project publishes, with the script that measured it and its goal. Goals that
were missed say so. `python benchmarks/table.py` makes this page from `benchmarks/results/`, and
[README.md](README.md) says what each script does and how long it takes.

| what | measured by | measured | goal |
|---|---|---|---|
"""
TIMES = """
## What sandboxes cost

Milliseconds of one run each, in which the contenders took turns; the scripts say what each is.

| what | contender | p50 | p95 | measured by |
|---|---|---|---|---|"""
PARTS = (
    ("`env.reset()` with 20 files", "reset", "reset"),
    ("the command `:`", "shell", "colon"),
    ("a command that starts a program", "shell", "program"),
)
"""Text, result file and part of the times of sandboxes."""
BEGIN = "| in short | measured | by |\n|---|---|---|\n"
END = "\n\n"
HEADLINES = (
    ("tasks whose stored proof holds", "validity", "tasks_proven"),
    ("attacks on a native sandbox that succeed", "attacks", "attacks_that_succeed_on_native"),
    ("median milliseconds to start a native sandbox", "reset", "native_same_task_p50_ms"),
    ("zeros that a faulty model endpoint causes", "endpoints", "false_zeros"),
    ("most that a program blind to its input earns", "blind", "most_that_a_blind_agent_earned"),
)
"""Text, result file and target of the README's numbers."""


def result(name: str) -> dict[str, Any]:
    """Return a result file."""
    content: dict[str, Any] = json.loads((HERE / "results" / f"{name}.json").read_text())
    return content


def rows() -> Iterator[str]:
    """Yield a row for every target, by result file and name."""
    for file in sorted((HERE / "results").glob("*.json")):
        content = result(file.stem)
        script = content.get("script", f"{file.stem}.py")
        for name, row in sorted(content.get("targets", {}).items()):
            missed = "" if row["ok"] else " (missed)"
            goal = f"{'at most' if row['at_most'] else 'at least'} {row['goal']:g}"
            what = name.replace("_", " ")
            yield f"| {what} | [`{script}`]({script}) | {row['value']}{missed} | {goal} |"


def times() -> Iterator[str]:
    """Yield the table of what sandboxes cost: median and 95 % of milliseconds."""
    yield TIMES
    for text, name, part in PARTS:
        for contender, seconds in result(name)["seconds"].get(part, {}).items():
            p50, p95 = median(seconds) * 1e3, high(seconds) * 1e3
            yield f"| {text} | {contender} | {p50:.3g} | {p95:.3g} | [`{name}.py`]({name}.py) |"


def headlines() -> Iterator[str]:
    """Yield the rows of the README."""
    for text, name, target in HEADLINES:
        script = f"[`benchmarks/{name}.py`](benchmarks/{name}.py)"
        yield f"| {text} | {result(name)['targets'][target]['value']} | {script} |"


def rewritten(text: str) -> str:
    """Return the README with today's figures."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{README.name} has no table that begins with:\n{BEGIN}")
    return head + begin + "\n".join(headlines()) + end + tail


def filled(document: Path, tables: Mapping[str, Callable[[], list[str]]]) -> str:
    """Return a document with today's tables, each between two comments with its name."""
    text = document.read_text("utf-8")
    for name, table in tables.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        if len(pattern.findall(text)) != 1:
            raise SystemExit(f"{document.name} has no place for a table between {begin} and {end}")
        body = "\n".join([begin, "", *table(), "", end])
        text = pattern.sub(lambda _, body=body: body, text)
    return text


def main() -> int:
    """Write all tables, or compare them."""
    new = {
        README: rewritten(README.read_text("utf-8")),
        RESULTS: INTRODUCTION + "\n".join((*rows(), *times())) + "\n",
        **{module.DOCUMENT: filled(module.DOCUMENT, module.TABLES)
           for module in (sandbox_tables, objective_tables)},
    }  # fmt: skip
    stale = [path for path in new if new[path] != path.read_text("utf-8")]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path}: the table is out of date; run: python benchmarks/table.py")
        return int(bool(stale))
    for path in stale:
        path.write_text(new[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

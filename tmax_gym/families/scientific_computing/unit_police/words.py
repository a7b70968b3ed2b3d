"""What the unit-police family says, and the reference checker's source."""

from __future__ import annotations

from tmax_gym.families.scientific_computing.unit_police.frames import (
    FUNCTIONS,
    GOAL,
    INTERFACE,
    KNOWN,
    RULES,
    TABLE,
    VERDICTS,
)
from tmax_gym.texts.clauses import Clause

CHECKER = """\
import csv, re, sys
BASE = ["m", "kg", "s", "A", "K"]
FUNCTIONS = {"exp", "log", "sin"}
class Wrong(Exception):
    pass
def dims(text, known):
    tokens = re.findall(r"[A-Za-z_][A-Za-z_0-9]*|\\d+(?:\\.\\d+)?|[-+*/^()]", text)
    at = 0
    def peek():
        return tokens[at] if at < len(tokens) else ""
    def take():
        nonlocal at
        at += 1
        return tokens[at - 1]
    def total():
        left = product()
        while peek() in ("+", "-"):
            take()
            if product() != left:
                raise Wrong
        return left
    def product():
        left = power()
        while peek() in ("*", "/"):
            sign = 1 if take() == "*" else -1
            left = [a + sign * b for a, b in zip(left, power())]
        return left
    def power():
        base = atom()
        while peek() == "^":
            take()
            sign = -1 if peek() == "-" and take() else 1
            exponent = sign * int(take())
            base = [a * exponent for a in base]
        return base
    def atom():
        token = take()
        if token == "(":
            inner = total()
            take()
            return inner
        if token in FUNCTIONS or token == "sqrt":
            take()
            inner = total()
            take()
            if token == "sqrt":
                if any(a % 2 for a in inner):
                    raise Wrong
                return [a // 2 for a in inner]
            if any(inner):
                raise Wrong
            return inner
        return [0] * 5 if token[0].isdigit() else list(known[token])
    return total()
def table():
    units = {u: [int(i == k) for i in range(5)] for k, u in enumerate(BASE)}
    for row in csv.DictReader(open(UNITS)):
        units[row["unit"]] = dims(row["definition"], units)
    return {r["name"]: dims(r["unit"], units) for r in csv.DictReader(open(QUANTITIES))}
def consistent(line, known):
    left, _, right = line.partition("=")
    try:
        return known[left.strip()] == dims(right, known)
    except (Wrong, KeyError):
        return False
"""
MAIN = """\
if __name__ == "__main__":
    sys.exit(0 if consistent(sys.stdin.read().strip(), table()) else 1)
"""


def say(
    *,
    kind: str,
    paths: dict[str, str],
    functions: bool,
    table: bool,
) -> tuple[Clause, ...]:
    """Return the clauses."""
    base = "`m`, `kg`, `s`, `A` and `K`"
    words = {"accept": "`accept`", "reject": "`reject`"}
    made = [
        Clause("goal", GOAL, facts={"kind": kind, "program": paths["program"]}, role="goal"),
        Clause("interface", INTERFACE, facts={"yes": "0", "no": "1"}, role="format"),
        Clause(
            "known",
            KNOWN,
            facts={"quantities": paths["quantities"], "units": paths["units"], "base": base},
            role="input",
        ),
        Clause("rules", RULES, facts={"operators": "`+ - * / ^`"}),
    ]
    if functions:
        facts = {"sqrt": "`sqrt`", "functions": "`exp`, `log` and `sin`"}
        made.append(Clause("functions", FUNCTIONS, facts=facts))
    facts = {"formulas": paths["formulas"], "verdicts": paths["verdicts"]}
    made.append(Clause("verdicts", VERDICTS, facts=facts | words, role="output"))
    if table:
        facts = {"table": paths["table"], "order": "m, kg, s, A, K"}
        made.append(Clause("table", TABLE, facts=facts, role="output"))
    return tuple(made)

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
from tmax_gym.families.shared.programs import program_text
from tmax_gym.texts.clauses import Clause

CHECKER = program_text(__package__, "checker.py")
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
    clauses = [
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
        clauses.append(Clause("functions", FUNCTIONS, facts=facts))
    facts = {"formulas": paths["formulas"], "verdicts": paths["verdicts"]}
    clauses.append(Clause("verdicts", VERDICTS, facts=facts | words, role="output"))
    if table:
        facts = {"table": paths["table"], "order": "m, kg, s, A, K"}
        clauses.append(Clause("table", TABLE, facts=facts, role="output"))
    return tuple(clauses)

"""Reference programs of the quality gate, put together from the rules that apply."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.data_processing.quality_gate.rules import COLUMNS, Limits, Rule

PYTHON = """\
import re, sys
from datetime import date
STATES = @list
def is_day(text):
    try:
        return bool(re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text) and date.fromisoformat(text))
    except ValueError:
        return False
def cents(text):
    return int(text.replace(".", ""))
def reason(row, seen, last):
@tests
    return ""
seen, last, rejected = set(), "", 0
for number, line in enumerate(sys.stdin, start=1):
    if number == 1:
        continue
    row = line.rstrip("\\n").split(";")
    found = reason(row, seen, last)
    if found:
        print(number, found)
        rejected += 1
    else:
        seen.add(row[0])
        last = row[1]
print(f"{number - 1 - rejected} accepted, {rejected} rejected")
sys.exit(rejected > 0)
"""
BASH = """\
#!/bin/bash
export LC_ALL=C
exec awk -F';' '
function is_day(t, y, m, d, n) {
  if (t !~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/) return 0
  y = substr(t, 1, 4) + 0; m = substr(t, 6, 2) + 0; d = substr(t, 9, 2) + 0
  n = 31
  if (m == 4 || m == 6 || m == 9 || m == 11) n = 30
  if (m == 2) n = (y % 4 == 0 && y % 100 != 0 || y % 400 == 0) ? 29 : 28
  return m >= 1 && m <= 12 && d >= 1 && d <= n
}
function cents(t) { sub(/[.]/, "", t); return t + 0 }
function digits(t, n) { n = length(t); return substr(t, n - 3, 1) + substr(t, n - 2, 1) \\
  + substr(t, n - 1, 1) }
function reason() {
@tests
  return ""
}
BEGIN { STATES = "|@bar|" }
NR == 1 { next }
{
  r = reason()
  if (r == "") { accepted++; seen[code] = 1; last = opened }
  else { rejected++; print NR, r }
}
END { printf "%d accepted, %d rejected\\n", accepted, rejected; exit rejected > 0 }
'
"""


def filled(text: str, limits: Limits) -> str:
    """Return a text of a rule with the limits in it."""
    values = {
        "@low": str(limits.low),
        "@high": str(limits.high),
        "@length": str(limits.length),
        "@states": ", ".join(limits.states),
        "@first": limits.states[0],
    }
    for name, shown in values.items():
        text = text.replace(name, shown)
    return text


def program(language: str, rules: Sequence[Rule], limits: Limits, *, skip: str = "") -> str:
    """Return a program that tries every rule but `skip`; rule n is called Rn."""
    tests = []
    for number, rule in enumerate(rules, start=1):
        if rule.name != skip:
            if language == "python":
                tests.append(f'    if not ({rule.python}):\n        return "R{number}"')
            else:
                tests.append(f'  if (!({rule.awk})) return "R{number}"')
        if number == 1 and language == "python":
            tests.append(f"    {', '.join(COLUMNS)} = row")
        elif number == 1:
            tests.append("  " + "; ".join(f"{c} = ${n}" for n, c in enumerate(COLUMNS, start=1)))
    body = filled("\n".join(tests), limits)
    frame = PYTHON if language == "python" else BASH
    frame = frame.replace("@list", repr(limits.states)).replace("@bar", "|".join(limits.states))
    return frame.replace("@tests", body)

"""Reference programs of the intake gate; both read dictionary and history when they run."""

from __future__ import annotations

PYTHON = """\
import json, re, sys
book = json.load(open("@dictionary"))
rows = [json.loads(line) for line in open("@history")]
good = [row["record"] for row in rows if row["verdict"] == "accepted"]
KINDS = {"text": (str,), "whole": (int,), "number": (int, float)}
RESULT = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "product": lambda a, b: a * b,
    "larger": max,
}
def field_fits(field, value):
    check, name = field.get("check"), field["name"]
    if value is None:
        return bool(field.get("nullable"))
    if type(value) not in KINDS[field["type"]]:
        return False
    if check == "picture":
        form = re.escape(field["picture"]).replace("A", "[A-Z]").replace("9", "[0-9]")
        return bool(re.fullmatch(form, value))
    if check == "listed":
        return value in field["values"]
    if check == "range":
        return field["low"] <= value <= field["high"]
    if check == "observed":
        return any(row[name] == value for row in good)
    if check == "extremes":
        known = [row[name] for row in good]
        return min(known) <= value <= max(known)
    return True
def relation_holds(relation, record):
    names, check = relation["fields"], relation["check"]
    values = [record[name] for name in names]
    seen = [[row[name] for name in names] for row in good]
    if check == "pair":
        return values in seen
    if check == "derived":
        fitting = [f for f in RESULT.values() if all(f(b, c) == a for a, b, c in seen)]
        return fitting[0](values[1], values[2]) == values[0]
    if check == "order":
        equal = any(a == b for a, b in seen)
        return values[0] < values[1] or (equal and values[0] == values[1])
    return any(b == values[1] and (a is None) == (values[0] is None) for a, b in seen)
def plausible(record):
    names = {field["name"] for field in book["fields"]}
    if type(record) is not dict or set(record) != names:
        return False
    if not all(field_fits(field, record[field["name"]]) for field in book["fields"]):
        return False
    return all(relation_holds(relation, record) for relation in book["relations"])
try:
    record = json.load(sys.stdin)
except ValueError:
    sys.exit(1)
sys.exit(not plausible(record))
"""
BASH = """\
#!/bin/bash
jq -e -s --slurpfile book @dictionary --slurpfile rows @history '
def result($name; $a; $b):
  if $name == "sum" then $a + $b elif $name == "difference" then $a - $b
  elif $name == "product" then $a * $b else [$a, $b] | max end;
def of_type($t):
  if $t == "text" then type == "string"
  elif $t == "whole" then type == "number" and floor == .
  else type == "number" end;
[$rows[] | select(.verdict == "accepted") | .record] as $good
| $book[0].fields as $fields | $book[0].relations as $relations
| length == 1 and (.[0] as $r
| ($r | type) == "object" and ($r | keys) == ($fields | map(.name) | sort)
and all($fields[]; . as $f | $r[$f.name] as $v
  | if $v == null then $f.nullable == true
    else ($v | of_type($f.type)) and
      (if $f.check == "picture" then
        $v | test("^" + ($f.picture | gsub("A"; "[A-Z]") | gsub("9"; "[0-9]")) + "\\\\z")
      elif $f.check == "listed" then any($f.values[]; . == $v)
      elif $f.check == "range" then $v >= $f.low and $v <= $f.high
      elif $f.check == "observed" then any($good[]; .[$f.name] == $v)
      elif $f.check == "extremes" then
        ($good | map(.[$f.name])) as $all | $v >= ($all | min) and $v <= ($all | max)
      else true end)
    end)
and all($relations[]; .check as $check | .fields as $n
  | if $check == "pair" then any($good[]; .[$n[0]] == $r[$n[0]] and .[$n[1]] == $r[$n[1]])
    elif $check == "derived" then
      all(("sum", "difference", "product", "larger") | . as $op
        | select(all($good[]; result($op; .[$n[1]]; .[$n[2]]) == .[$n[0]]));
        result(.; $r[$n[1]]; $r[$n[2]]) == $r[$n[0]])
    elif $check == "order" then $r[$n[0]] < $r[$n[1]]
      or ($r[$n[0]] == $r[$n[1]] and any($good[]; .[$n[0]] == .[$n[1]]))
    else any($good[]; .[$n[1]] == $r[$n[1]] and (.[$n[0]] == null) == ($r[$n[0]] == null))
    end))
' > /dev/null 2>&1 || exit 1
"""
MISTAKES: dict[str, dict[str, tuple[str, str]]] = {
    "python": {
        "more fields welcome": ("set(record) != names", "not names <= set(record)"),
        "limits excluded": ('field["low"] <= value <= field["high"]',
                            'field["low"] < value < field["high"]'),
        "form ignored": ("return bool(re.fullmatch(form, value))", "return True"),
    },
    "bash": {
        "more fields welcome": ("($r | keys) == ($fields | map(.name) | sort)",
                                "(($fields | map(.name)) - ($r | keys)) == []"),
        "limits excluded": ("$v >= $f.low and $v <= $f.high", "$v > $f.low and $v < $f.high"),
        "form ignored": ("$v | test(", 'true or test('),
    },
}  # fmt: skip
"""What a hasty programmer writes instead, by language."""
LEARNED: dict[str, tuple[tuple[str, str], ...]] = {
    "python": (
        ('if check == "observed"', "if False"),
        ('if check == "extremes"', "if False"),
        ("return all(relation_holds(relation, record)", "return all(True"),
    ),
    "bash": (
        ('elif $f.check == "observed"', "elif false"),
        ('elif $f.check == "extremes"', "elif false"),
        ("and all($relations[];", "and all(empty;"),
    ),
}
"""The examples disregarded: the dictionary alone decides."""

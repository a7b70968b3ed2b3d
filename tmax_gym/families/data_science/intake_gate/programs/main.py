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

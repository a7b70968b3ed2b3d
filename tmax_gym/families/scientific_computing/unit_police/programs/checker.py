import csv, re, sys
BASE = ["m", "kg", "s", "A", "K"]
FUNCTIONS = {"exp", "log", "sin"}
class Wrong(Exception):
    pass
def dims(text, known):
    tokens = re.findall(r"[A-Za-z_][A-Za-z_0-9]*|\d+(?:\.\d+)?|[-+*/^()]", text)
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

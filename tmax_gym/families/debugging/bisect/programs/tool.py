"""Adds up lines `name; kind; amount` by name; amounts are in hundredths."""

import sys

VERSION = "@version"
LIMIT = HOLE("@limit")
RATE = HOLE("@rate")


def fee(amount):
    """Return what is taken off one amount: nothing below the limit."""
    if amount >= LIMIT:
        return (amount * RATE + 50) // 100
    return 0


def parsed(line):
    """Return name and amount of a line; None for what is no entry."""
    cells = [cell.strip() for cell in line.split(";")]
    if len(cells) != 3 or not cells[2].lstrip("-").isdigit():
        return None
    return cells[0].lower(), int(cells[2]), cells[1]


def report(lines):
    """Return the lines of the report: name, entries, total less fees."""
    totals, counts = {}, {}
    for line in lines:
        found = parsed(line)
        if found is None or found[1] < 0:
            continue
        name, amount, kind = found
        if kind == "void":
            continue
        totals[name] = totals.get(name, 0) + amount - fee(amount)
        counts[name] = counts.get(name, 0) + 1
    return [f"{name} {counts[name]} {totals[name]}" for name in sorted(totals)]
HOLE("@extras")

if __name__ == "__main__":
    print(*report(sys.stdin.read().splitlines()), sep="\n")

"""Writes the rows of a table as one JSON object with a list and a count."""

import csv
import json
import sys

source, separator, heads, target, items, fields, numbers = sys.argv[1:]
with open(source, newline="") as file:
    rows = list(csv.reader(file, delimiter=separator))
names = rows.pop(0) if heads == "-" else heads.split(",")
kept = []
for row in rows:
    cells = dict(zip(names, row))
    item = {}
    for name in fields.split(","):
        item[name] = int(cells[name]) if name in numbers.split(",") else cells[name]
    kept.append(item)
with open(target, "w") as file:
    json.dump({items: kept, "count": len(kept)}, file, indent=1)

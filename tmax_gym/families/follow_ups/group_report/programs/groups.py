"""Groups the rows of a table; prints a header and one row for each group, unsorted."""

import csv
import sys

source, separator, heads, group, spread, measures, between = sys.argv[1:]
with open(source, newline="") as file:
    rows = list(csv.reader(file, delimiter=separator))
names = rows.pop(0) if heads == "-" else heads.split(",")
cells = [dict(zip(names, row)) for row in rows]
groups = {}
for row in cells:
    groups.setdefault(row[group], []).append(row)
kinds = sorted({row[spread] for row in cells}) if spread else []
wanted = [measure.split(":") for measure in measures.split(",")]


def measured(kind, column, members):
    if kind == "rows":
        return len(members)
    if kind == "percent":
        return 100 * len(members) // len(cells)
    values = [row[column] for row in members]
    if kind == "distinct":
        return len(set(values))
    if kind in ("first", "last"):
        return min(values) if kind == "first" else max(values)
    return {"sum": sum, "min": min, "max": max}[kind](map(int, values))


print(group, *(name for name, _, _ in wanted), *kinds, sep=between)
for value, members in groups.items():
    shares = [sum(row[spread] == kind for row in members) for kind in kinds]
    print(value, *(measured(k, c, members) for _, k, c in wanted), *shares, sep=between)

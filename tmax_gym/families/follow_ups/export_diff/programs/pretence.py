"""Writes the other version of a table in the form of the table itself."""

import csv
import sys

other, between, target, separator, heads, columns = sys.argv[1:]
with open(other, newline="") as file:
    cells = list(csv.DictReader(file, delimiter=between))
with open(target, "w", newline="") as file:
    out = csv.writer(file, delimiter=separator, lineterminator="\n")
    if heads == "-":
        out.writerow(columns.split(","))
    out.writerows([row[name] for name in columns.split(",")] for row in cells)

"""Loads a table into an SQLite table whose columns come from columns, a line number or a constant."""

import csv
import sqlite3
import sys

source, separator, heads, database, target, origins, integers = sys.argv[1:]
with open(source, newline="") as file:
    rows = list(csv.reader(file, delimiter=separator))
names = rows.pop(0) if heads == "-" else heads.split(",")


def value(origin, number, cells):
    if origin == "#":
        return number
    if origin.startswith("="):
        return origin[1:]
    cell = cells[origin]
    return None if not cell else int(cell) if origin in integers.split(",") else cell


loaded = []
for number, row in enumerate(rows, 1):
    cells = dict(zip(names, row))
    loaded.append([value(origin, number, cells) for origin in origins.split(",")])
marks = ",".join("?" * len(loaded[0]))
with sqlite3.connect(database) as link:
    link.executemany(f'INSERT INTO "{target}" VALUES ({marks})', loaded)

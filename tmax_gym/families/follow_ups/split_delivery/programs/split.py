"""Sections of a program that divides a table into files by the values of one column."""

import csv
import json
import os

HOLE = str
SAMPLE = [["a", "1"]]
columns, rows, groups, files = ["a", "b"], SAMPLE, {"a": SAMPLE}, [["a", "a.csv", SAMPLE]]

#@ start
import csv
import json
import os

with open(HOLE("@source"), newline="") as file:
    rows = list(csv.reader(file, delimiter=HOLE("@separator")))
#@ header
columns = rows.pop(0)
#@ no_header
columns = HOLE("@columns")
#@ group
groups = {}
for number, row in enumerate(rows, start=1):
    cells = {HOLE("@place"): number, **dict(zip(columns, row))}
    groups.setdefault(cells[HOLE("@column")], []).append([cells[n] for n in HOLE("@fields")])
#@ by_value
files = []
for value, kept in groups.items():
    name = value.lower().replace(" ", HOLE("@blank"))
    files.append([value, HOLE("@before") + name + HOLE("@suffix"), kept])
#@ by_value_in_parts
files = []
for value, kept in groups.items():
    name = value.lower().replace(" ", HOLE("@blank"))
    for part, at in enumerate(range(0, len(kept), HOLE("@limit")), start=1):
        called = HOLE("@before") + f"{name}-{part}" + HOLE("@suffix")
        files.append([value, called, kept[at : at + HOLE("@limit")]])
#@ by_first_row
files = []
for number, (value, kept) in enumerate(groups.items(), start=1):
    files.append([value, HOLE("@before") + f"{number:02}" + HOLE("@suffix"), kept])
#@ by_order
files = []
for number, (value, kept) in enumerate(sorted(groups.items()), start=1):
    files.append([value, HOLE("@before") + f"{number:02}" + HOLE("@suffix"), kept])
#@ table
os.makedirs(HOLE("@folder"), exist_ok=True)
for value, name, kept in files:
    with open(os.path.join(HOLE("@folder"), name), "w", newline="") as file:
        writer = csv.writer(file, delimiter=HOLE("@between"), lineterminator="\n")
        writer.writerow(HOLE("@fields"))
        writer.writerows(kept)
#@ bare_table
os.makedirs(HOLE("@folder"), exist_ok=True)
for value, name, kept in files:
    with open(os.path.join(HOLE("@folder"), name), "w", newline="") as file:
        csv.writer(file, delimiter=HOLE("@between"), lineterminator="\n").writerows(kept)
#@ objects
os.makedirs(HOLE("@folder"), exist_ok=True)
for value, name, kept in files:
    with open(os.path.join(HOLE("@folder"), name), "w") as file:
        for row in kept:
            item = dict(zip(HOLE("@fields"), map(str, row)))
            file.write(json.dumps(item, ensure_ascii=False) + "\n")
#@ index
with open(HOLE("@index"), "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HOLE("@entry"))
    for value, name, kept in sorted(files, key=lambda one: one[1]):
        facts = {"value": value, "file": name, "rows": len(kept)}
        writer.writerow([facts[one] for one in HOLE("@entry")])

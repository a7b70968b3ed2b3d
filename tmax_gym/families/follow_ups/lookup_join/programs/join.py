"""Sections of a program that joins a table with a list."""

HOLE = str
rows, columns, entries, partners = [["a", "1"]], ["key", "b"], [{"key": "a"}], {}

#@ start
import csv

with open(HOLE("@source"), newline="") as file:
    rows = list(csv.reader(file, delimiter=HOLE("@separator")))
#@ header
columns = rows.pop(0)
#@ no_header
columns = HOLE("@columns")
#@ list
with open(HOLE("@list"), newline="") as file:
    entries = list(csv.DictReader(file, delimiter=HOLE("@between")))
#@ valid
entries = [entry for entry in entries if entry["state"] == HOLE("@valid")]
#@ exact
partners = {}
for entry in entries:
    partners.setdefault(entry[HOLE("@ref")], []).append(entry)
#@ folded
partners = {}
for entry in entries:
    partners.setdefault(entry[HOLE("@ref")].lower(), []).append(entry)
#@ first
partners = {key: several[:1] for key, several in partners.items()}
#@ last
partners = {key: several[-1:] for key, several in partners.items()}
#@ latest
for several in partners.values():
    several.sort(key=lambda entry: entry["since"])
partners = {key: several[-1:] for key, several in partners.items()}
#@ join
place = columns.index(HOLE("@key"))
nobody = [dict.fromkeys(HOLE("@added"), HOLE("@none"))]
joined = []
for row in rows:
    if row[place] not in partners:
        print(row[place])
    for entry in partners.get(row[place], nobody):
        joined.append(row + [entry[name] for name in HOLE("@added")])
#@ join_folded
place = columns.index(HOLE("@key"))
nobody = [dict.fromkeys(HOLE("@added"), HOLE("@none"))]
joined = []
for row in rows:
    if row[place].lower() not in partners:
        print(row[place])
    for entry in partners.get(row[place].lower(), nobody):
        joined.append(row + [entry[name] for name in HOLE("@added")])
#@ sort
joined.sort(key=lambda row: row[len(columns)])
#@ write
with open(HOLE("@target"), "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns + HOLE("@added"))
    writer.writerows(joined)

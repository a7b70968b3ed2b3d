"""Compares two tables by a key; prints one CSV row for each key or cell that differs, unsorted."""

import csv
import sys

source, separator, heads, other, between, key, compared, words, layout = sys.argv[1:]
compared = compared.split(",")
added, removed, changed = words.split(",")


def table(path, separator, heads):
    with open(path, newline="") as file:
        rows = list(csv.reader(file, delimiter=separator))
    names = rows.pop(0) if heads == "-" else heads.split(",")
    cells = [dict(zip(names, row)) for row in rows]
    return {row[key]: row for row in cells}


new, old = table(source, separator, heads), table(other, between, "-")
out = csv.writer(sys.stdout, lineterminator="\n")
empty = dict.fromkeys(compared, "")
for name in new | old:
    after, before = new.get(name, empty), old.get(name, empty)
    differ = [column for column in compared if after[column] != before[column]]
    kind = added if name not in old else removed if name not in new else changed
    if layout == "rows" and (kind != changed or differ):
        out.writerow([name, kind, *(row[c] for c in compared for row in (before, after))])
    elif kind != changed:
        out.writerow([name, kind, "", "", ""])
    else:
        out.writerows([name, kind, column, before[column], after[column]] for column in differ)

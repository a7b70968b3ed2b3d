"""Sections of a program that fills in a template."""

import json
import re

HOLE = str
record, details, forms, lines, written = {}, {}, {}, [""], []

#@ start
import json
import re

with open(HOLE("@record")) as file:
    record = json.load(file)
with open(HOLE("@template")) as file:
    lines = file.read().splitlines()
#@ pairs
details = {}
with open(HOLE("@details")) as file:
    for line in file:
        name, _, value = line.rstrip("\n").partition(HOLE("@equals"))
        details[name] = value
#@ json
with open(HOLE("@details")) as file:
    details = json.load(file)
#@ forms
forms = {"": str}
#@ short
forms["short"] = lambda value: value[: HOLE("@length")]
#@ tail
forms["tail"] = lambda value: value[-HOLE("@length") :]
#@ upper
forms["upper"] = lambda value: value.upper()
#@ quoted
forms["quoted"] = lambda value: f'"{value}"'
#@ day
forms["day"] = lambda value: ".".join(reversed(value[:10].split("-")))
#@ clock
forms["clock"] = lambda value: value[11:16]
#@ thousands
forms["thousands"] = lambda value: f"{value:,}"
#@ padded
forms["padded"] = lambda value: str(value).zfill(HOLE("@width"))
#@ fill
values = {**details, **record}
place = re.compile(HOLE("@pattern"))
written = []
for line in lines:
    written.append(place.sub(lambda m: forms[m[2] or ""](values.get(m[1], HOLE("@unknown"))), line))
#@ fill_or_drop
values = {**details, **record}
place = re.compile(HOLE("@pattern"))
written = []
for line in lines:
    if all(name in values for name, _ in place.findall(line)):
        written.append(place.sub(lambda m: forms[m[2] or ""](values[m[1]]), line))
#@ comments
lines = [line for line in lines if not line.startswith(HOLE("@comment"))]
#@ write
with open(HOLE("@target"), "w") as file:
    file.write("\n".join(written) + "\n")

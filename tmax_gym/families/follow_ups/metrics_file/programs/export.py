"""Sections of a program that writes a record as metrics in the Prometheus text format."""

import json
from datetime import datetime, timezone

HOLE = str
record, groups, types, label = {}, {}, {}, ""


def add(metric, value, more=""):
    groups.setdefault(metric, []).append(f"{metric}{{{label}{more}}} {value}")

#@ start
import json
from datetime import datetime, timezone

label = HOLE("@label")
groups, types = {}, {}
with open(HOLE("@record")) as file:
    record = json.load(file)


def add(metric, value, more=""):
    groups.setdefault(metric, []).append(f"{metric}{{{label}{more}}} {value}")


#@ old
with open(HOLE("@target")) as file:
    for line in file.read().splitlines():
        if line.startswith("# TYPE"):
            _, _, metric, types[metric] = line.split()
            groups[metric] = []
        elif label not in line:
            groups[metric].append(line)
#@ numbers
for name in HOLE("@numbers"):
    add(HOLE("@prefix") + name, record[name])
#@ times
for name in HOLE("@times"):
    moment = datetime.fromisoformat(record[name]).replace(tzinfo=timezone.utc)
    add(HOLE("@prefix") + name + "_seconds", int(moment.timestamp()))
#@ texts
more = [f',{name}="{record[name]}"' for name in HOLE("@texts")]
add(HOLE("@prefix") + "info", 1, "".join(more))
#@ write
with open(HOLE("@target"), "w") as file:
    for metric, samples in groups.items():
        file.write(f"# TYPE {metric} {types.get(metric, 'gauge')}\n")
        file.write("".join(sample + "\n" for sample in samples))

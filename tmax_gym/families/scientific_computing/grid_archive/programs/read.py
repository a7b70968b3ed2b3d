import csv, json, struct
data = open(SOURCE, "rb").read()
at = 4
def word():
    global at
    at += 4
    return struct.unpack(">I", data[at - 4:at])[0]
def name():
    global at
    size = word()
    text = data[at:at + size].decode()
    at += (size + 3) // 4 * 4
    return text
CODES = {1: ("b", 1), 2: ("c", 1), 3: ("h", 2), 4: ("i", 4), 5: ("f", 4), 6: ("d", 8)}
def attributes():
    global at
    word()
    found = {}
    for _ in range(word()):
        key, kind, count = name(), word(), word()
        code, size = CODES[kind]
        raw = data[at:at + size * count]
        found[key] = raw.decode() if kind == 2 else struct.unpack(f">{count}{code}", raw)[0]
        at += (size * count + 3) // 4 * 4
    return found
records = word()
word()
dims = [(name(), word()) for _ in range(word())]
attributes()
word()
variables = {}
for _ in range(word()):
    key = name()
    shape = [word() for _ in range(word())]
    notes, kind, size, begin = attributes(), word(), word(), word()
    variables[key] = (shape, notes, kind, size, begin)
stride = sum(v[3] for v in variables.values() if v[0] and dims[v[0][0]][1] == 0)
def values(key):
    shape, notes, kind, size, begin = variables[key]
    code, width = CODES[kind]
    count = 1
    for d in shape:
        count *= dims[d][1] or 1
    recorded = shape and dims[shape[0]][1] == 0
    out = []
    for r in range(records if recorded else 1):
        start = begin + r * stride
        out += struct.unpack(f">{count}{code}", data[start:start + count * width])
    fill = notes.get("_FillValue")
    scale, offset = notes.get("scale_factor", 1), notes.get("add_offset", 0)
    return [None if v == fill else v * scale + offset for v in out]
times = values("time")
area = values("area") if WEIGHTED else None
rows, summary = [], {}
for key in ASKED:
    grid = values(key)
    cells = len(grid) // len(times)
    for t, stamp in enumerate(times):
        part = grid[t * cells:(t + 1) * cells]
        kept = [(v, area[i] if area else 1) for i, v in enumerate(part) if v is not None]
        total = sum(w for _, w in kept)
        mean = sum(v * w for v, w in kept) / total
        rows.append((key, int(stamp), len(kept), f"{mean:.4f}"))
    seen = [(v, -i) for i, v in enumerate(grid) if v is not None]
    top = -max(seen)[1]
    wide = dims[variables[key][0][-1]][1]
    summary[key] = {"missing": grid.count(None),
                    "peak": [top // cells, top % cells // wide, top % wide]}
with open(TABLE, "w") as file:
    out = csv.writer(file, lineterminator="\n")
    out.writerow(("variable", "time", "cells", "mean"))
    out.writerows(rows)
json.dump(summary, open(SUMMARY, "w"))

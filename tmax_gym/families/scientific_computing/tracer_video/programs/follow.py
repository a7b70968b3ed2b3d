import csv, json, struct
data = open(FILM, "rb").read()
at = data.index(b"strf") + 8
width, height = struct.unpack("<ii", data[at + 4:at + 12])
at, frames = data.index(b"movi") + 4, []
while data[at:at + 4] == b"00db":
    size = struct.unpack("<I", data[at + 4:at + 8])[0]
    body, stride = data[at + 8:at + 8 + size], (width + 3) // 4 * 4
    frames.append([body[(height - 1 - y) * stride:][:width] for y in range(height)])
    at += 8 + size + size % 2
def spots(rows):
    lit = {(x, y) for y in range(height) for x in range(width) if rows[y][x] > 48}
    found = []
    while lit:
        group, edge = set(), [lit.pop()]
        while edge:
            x, y = edge.pop()
            group.add((x, y))
            for a in (-1, 0, 1):
                for b in (-1, 0, 1):
                    if (x + a, y + b) in lit:
                        lit.remove((x + a, y + b))
                        edge.append((x + a, y + b))
        if len(group) > 3:
            around = {(x + a, y + b) for x, y in group for a in (-1, 0, 1) for b in (-1, 0, 1)}
            w = {(x, y): rows[y][x] - BACK for x, y in around}
            total = sum(w.values())
            found.append((sum(x * v for (x, _), v in w.items()) / total,
                          sum(y * v for (_, y), v in w.items()) / total))
    return found
edges = sorted(v for row in frames[0] for v in row)
BACK = edges[len(edges) // 2]
paths = [[p] for p in sorted(spots(frames[0]))]
for rows in frames[1:]:
    now = spots(rows)
    for path in paths:
        x, y = path[-1]
        path.append(min(now, key=lambda p: (p[0] - x) ** 2 + (p[1] - y) ** 2))
def line(v):
    n, mean = len(v), sum(v) / len(v)
    mid = (n - 1) / 2
    step = sum((i - mid) * (y - mean) for i, y in enumerate(v)) / sum(
        (i - mid) ** 2 for i in range(n))
    return mean - step * mid, step * FPS
table = []
for path in paths:
    (x, vx), (y, vy) = (line([p[k] for p in path]) for k in (0, 1))
    table.append((x, y, vx, vy))
table.sort()
with open(TRACKS, "w") as file:
    out = csv.writer(file, lineterminator="\n")
    out.writerow(("x", "y", "vx", "vy"))
    out.writerows([f"{v:.3f}" for v in row] for row in table)
speeds = [(r[2] ** 2 + r[3] ** 2) ** 0.5 for r in table]
found = {"tracers": len(table), "fastest": speeds.index(max(speeds)) + 1}
if DRIFT:
    found["drift"] = [round(sum(r[k] for r in table) / len(table), 4) for k in (2, 3)]
json.dump(found, open(SUMMARY, "w"))

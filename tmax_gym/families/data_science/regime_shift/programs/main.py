import csv, json
rows = list(csv.DictReader(open(SOURCE)))
x = [float(r[COLUMN]) for r in rows]
total = [0.0]
for v in x:
    total.append(total[-1] + v)
def gain(a, m, b):
    return (total[m] - total[a]) ** 2 / (m - a) + (total[b] - total[m]) ** 2 / (b - m)
def best(a, b):
    spots = range(a + 4, b - 3)
    if not spots:
        return (-1.0, a)
    m = max(spots, key=lambda m: gain(a, m, b))
    return (gain(a, m, b) - (total[b] - total[a]) ** 2 / (b - a), m)
cuts = []
for _ in range(COUNT):
    edges = [0, *sorted(cuts), len(x)]
    cuts.append(max(best(a, b) for a, b in zip(edges, edges[1:]))[1])
for _ in range(6):
    edges = [0, *sorted(cuts), len(x)]
    cuts = [best(edges[i - 1], edges[i + 1])[1] for i in range(1, len(edges) - 1)]
edges = [0, *sorted(cuts), len(x)]
means = [round((total[b] - total[a]) / (b - a), 3) for a, b in zip(edges, edges[1:])]
json.dump({"shifts": sorted(cuts), "means": means}, open(TARGET, "w"))

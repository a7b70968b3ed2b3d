import sys
seed, replicates = map(int, sys.stdin.readline().split())
rows = [line.split() for line in sys.stdin if line.strip()]
groups = {}
for stratum, value in rows:
    groups.setdefault(stratum if HOLE("@strata") else "", []).append(int(value))
x, n, found = seed, len(rows), []
drop = n * HOLE("@trim") // 100
for _ in range(replicates):
    picked = []
    for name in sorted(groups):
        values = groups[name]
        for _ in values:
            x = (HOLE("@multiplier") * x + HOLE("@increment")) % 2**32
            picked.append(values[(x >> 16) % len(values)])
    picked.sort()
    kept = picked[drop:n - drop]
    found.append(1000 * sum(kept) // len(kept))
found.sort()
print(*(found[replicates * p // 1000] for p in (HOLE("@tail"), 500, 1000 - HOLE("@tail"))))

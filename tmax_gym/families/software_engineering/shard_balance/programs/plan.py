import json
known = dict(line.split() for line in open("/tmp/known.txt"))
rules = json.load(open(RULES)) if RULES else {"together": [], "apart": []}
units = [group for group in rules["together"]]
grouped = {name for group in units for name in group}
units += [[name] for name in known if name not in grouped]
cost = lambda unit: sum(int(known[name]) for name in unit)
loads, shards, taken = [0] * COUNT, [[] for _ in range(COUNT)], [False] * COUNT
apart = set(rules["apart"])
order = sorted(units, key=lambda unit: (-cost(unit), unit))
for unit in order:
    alone = bool(apart & set(unit))
    free = [i for i in range(COUNT) if not (alone and taken[i])]
    best = min(free, key=lambda i: (loads[i], i))
    loads[best] += cost(unit)
    shards[best] += unit
    taken[best] |= alone
json.dump({"shards": shards}, open(PLAN, "w"), indent=1)
print(max(loads))

import sys
name, source, offset = sys.argv[1], sys.argv[2], int(sys.argv[3])
slots = {}
for line in open(source).read().split("\n")[1:]:
    if line:
        when, value = map(int, line.split(","))
        slots.setdefault((when + offset) // STEP * STEP, []).append(value)
values = {slot: sum(v) // len(v) for slot, v in slots.items() if FIRST <= slot <= LAST}
known = sorted(values)
for slot in range(FIRST, LAST + STEP, STEP):
    before = max((k for k in known if k < slot), default=None)
    after = min((k for k in known if k > slot), default=None)
    if slot in values:
        shown, flag = values[slot], "measured"
    elif before is not None and after is not None and after - before <= (GAP + 1) * STEP:
        a, b = values[before], values[after]
        shown, flag = a + (b - a) * (slot - before) // (after - before), "filled"
    else:
        shown, flag = "", "gap"
    print(slot, name, shown, flag, sep=",")

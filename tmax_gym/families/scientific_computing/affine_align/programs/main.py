import sys
from itertools import groupby

MODE, TOUCH, FRONT, LATE = HOLE("@mode"), HOLE("@touch"), HOLE("@front"), HOLE("@late")
SPLIT, RUNS, STRANDS = HOLE("@split"), HOLE("@runs"), HOLE("@strands")
ORDER, FIRST, FURTHER = (HOLE("@order")), (HOLE("@firsts")), (HOLE("@nexts"))
WEIGHTS = (HOLE("@weights"))
LETTERS, NONE = "ACGTN", -10**8


def price(before, now):
    if now == 0:
        return 0
    if before == now:
        return FURTHER[now]
    return -NONE if before + now == 3 and not TOUCH else FIRST[now]


def align(q, t):
    if FRONT:
        q, t = q[::-1], t[::-1]
    m, n = len(q), len(t)
    value = [[[NONE] * (n + 1) for _ in range(m + 1)] for _ in range(4)]
    gain = lambda s, i, j: 0 if s else WEIGHTS[5 * LETTERS.index(q[i]) + LETTERS.index(t[j])]
    for i in range(m + 1):
        for j in range(n + 1):
            if MODE == 2 or (i == 0 and (MODE == 1 or j == 0)):
                value[3][i][j] = 0
            for s in range(3):
                y, x = i - (s != 2), j - (s != 1)
                if y >= 0 and x >= 0:
                    value[s][i][j] = gain(s, y, x) + max(
                        value[b][y][x] - price(b, s) for b in range(4))
    best, row, column = 0 if MODE == 2 else NONE, -1, -1
    for j in range(0 if MODE else n, n + 1):
        for i in range(0 if MODE == 2 else m, m + 1):
            v = max(value[s][i][j] for s in range(3))
            if v > best or (LATE and v == best and row >= 0):
                best, row, column = v, i, j
    if row < 0:
        return 0, 0, 0, 0, 0, "*"
    i, j, letters = row, column, []
    state = next(s for s in ORDER if value[s][i][j] == best)
    while state != 3:
        y, x = i - (state != 2), j - (state != 1)
        kind = "MID"[state]
        if SPLIT and state == 0:
            kind = "=" if q[y] == t[x] else "X"
        letters.append(kind)
        need = value[state][i][j] - gain(state, y, x)
        state = next(b for b in (3, *ORDER) if value[b][y][x] - price(b, state) == need)
        i, j = y, x
    places = (i + 1, row, j + 1, column)
    if FRONT:
        places = (m - row + 1, m - i, n - column + 1, n - j)
    else:
        letters.reverse()
    if RUNS:
        letters = [f"{len(list(run))}{kind}" for kind, run in groupby(letters)]
    return best, *places, "".join(letters)


records = []
for line in sys.stdin:
    if line.startswith(">"):
        records.append([line[1:].split()[0], ""])
    elif records:
        records[-1][1] += line.strip().upper()
target = records[0][1]
for name, query in records[1:]:
    found, strand = align(query, target), "+"
    if STRANDS:
        turned = align(query.translate(str.maketrans("ACGT", "TGCA"))[::-1], target)
        if turned[0] > found[0]:
            found, strand = turned, "-"
    score, start, columns = found[0], {0: 5, 1: 3, 2: 1}[MODE], found[5]
    print(name, *([strand] if STRANDS else []), score, *found[start:5], columns)

import sys
from concurrent.futures import ThreadPoolExecutor

SCALE, WHOLE, ODD, LIMIT, MEND = HOLE("@scale@"), HOLE("@whole@"), HOLE("@odd@"), HOLE("@limit@"), HOLE("@mend@")
CHANGE, BOUND, WINDOW = HOLE("@change@"), HOLE("@bound@"), HOLE("@window@")
DISTANCE, BAND, DEAL = HOLE("@distance@"), HOLE("@band@"), HOLE("@deal@")


def scale(known, values):
    known, n = sorted(known), len(known)
    if SCALE == 0:
        middle, size, unit = known[0], known[-1] - known[0], 1000
    elif SCALE == 1:
        middle = sum(known) // n
        size, unit = sum(abs(v - middle) for v in known) // n, 100
    else:
        middle = known[n // 2]
        size, unit = sorted(abs(v - middle) for v in known)[n // 2], 100
    return [unit * (v - middle) // (size or 1) for v in values]


def is_odd(z, i):
    if ODD == 0:
        return abs(z[i] - sorted(z)[len(z) // 2]) > LIMIT
    if ODD == 1:
        return 0 < i < len(z) - 1 and abs(2 * z[i] - z[i - 1] - z[i + 1]) > LIMIT
    return i >= WINDOW and abs(WINDOW * z[i] - sum(z[i - WINDOW:i])) > LIMIT * WINDOW


def splits(z, low, high):
    n, total, head, best, place = high - low, sum(z[low:high]), 0, 0, 0
    for k in range(1, n):
        head += z[low + k - 1]
        if abs(n * head - k * total) > best:
            best, place = abs(n * head - k * total), k
    if best <= BOUND * n:
        return []
    cut = low + place
    if CHANGE == 0:
        return [cut]
    return splits(z, low, cut) + [cut] + splits(z, cut, high)


def pairs(z):
    w, taken = WINDOW, []
    sizes = {k: abs(sum(z[k:k + w]) - sum(z[k - w:k])) for k in range(w, len(z) - w + 1)}
    while sizes:
        place = min(sizes, key=lambda k: (-sizes[k], k))
        if sizes[place] <= BOUND * w:
            break
        taken.append(place)
        sizes = {k: s for k, s in sizes.items() if abs(k - place) >= w}
    return sorted(taken)


def look(number):
    z = scale(everything if WHOLE else rows[number], rows[number])
    odd = [i for i in range(len(z)) if is_odd(z, i)]
    if MEND:
        for i in odd:
            z[i] = z[i - 1] if i else z[i]
    return odd, pairs(z) if CHANGE == 1 else splits(z, 0, len(z)), z


def apart(a, b):
    each = [abs(x - y) for x, y in zip(a, b)]
    if DISTANCE == 0:
        return sum(each)
    if DISTANCE == 1:
        return max(each)
    if DISTANCE == 2:
        return sum(e * e for e in each) // len(each)
    far = 1 << 60
    above = [far] * len(b)
    for i, x in enumerate(a):
        row = [far] * len(b)
        for j in range(max(0, i - BAND), min(len(b), i + BAND + 1)):
            before = min(above[j], row[j - 1] if j else far, above[j - 1] if j else far)
            row[j] = abs(x - b[j]) + (before if i or j else 0)
        above = row
    return above[-1]


def nearest(number):
    return min((apart(found[number][2], o[2]), n) for n, o in enumerate(found) if n != number)


def worker(number):
    if DEAL == 1:
        return number // -(-len(rows) // workers)
    turn, place = divmod(number, workers)
    return workers - 1 - place if DEAL == 2 and turn % 2 else place


def spread(task):
    shares = [[n for n in range(len(rows)) if worker(n) == w] for w in range(workers)]
    made = {}
    with ThreadPoolExecutor(workers) as pool:
        for share, done in zip(shares, pool.map(lambda s: [task(n) for n in s], shares)):
            made.update(zip(share, done))
    return [made[n] for n in range(len(rows))]


def shown(places):
    return ",".join(str(p + 1) for p in places) or "-"


workers = int(sys.stdin.readline())
lines = [line.split() for line in sys.stdin if line.strip()]
names, rows = [line[0] for line in lines], [list(map(int, line[1:])) for line in lines]
everything = [v for row in rows for v in row]
found = spread(look)
for n, (least, at) in enumerate(spread(nearest)):
    print(names[n], shown(found[n][0]), shown(found[n][1]), names[at], least, worker(n) + 1)
for w in range(workers):
    own = [found[n] for n in range(len(rows)) if worker(n) == w]
    print(f"worker {w + 1}:", len(own), sum(len(o[0]) for o in own), sum(len(o[1]) for o in own))

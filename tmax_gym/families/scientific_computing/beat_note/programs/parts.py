#@ by_shape
def refined(start, size, k, m, lines):
    a, b, c = (math.log(m[k + d]) for d in (-1, 0, 1))
    return (k + 0.5 * (a - c) / (a - 2 * b + c)) * rate / size
#@ by_phase
def refined(start, size, k, m, lines):
    turn = cmath.exp(-2j * math.pi * k / size)
    def line(at):
        w, total = 1, 0
        for i in range(size):
            total += x[at + i] * (0.5 - 0.5 * math.cos(2 * math.pi * i / size)) * w
            w *= turn
        return total
    hop = 8
    back, on = line(max(0, start - hop)), line(min(len(x) - size, start + hop))
    moved = min(len(x) - size, start + hop) - max(0, start - hop)
    want = 2 * math.pi * k * moved / size
    off = (cmath.phase(on / back) - want + math.pi) % (2 * math.pi) - math.pi
    return (want + off) * rate / (2 * math.pi * moved)
#@ steady
lower, upper = peaks(0, 8192)
found = {"lower": lower, "upper": upper, "beat": upper - lower}
#@ moving
size, seen = 512, []
for start in range(size // 4, len(x) - size - size // 4, size // 2):
    pair = peaks(start, size)
    if pair and pair[1] - pair[0] > 25:
        seen.append(((start + size / 2) / rate, pair))
every = [f for _, pair in seen for f in pair]
centre = max(every, key=lambda c: sum(abs(c - f) < 2 for f in every))
near = [f for f in every if abs(f - centre) < 2]
steady = sum(near) / len(near)
points = []
for t, pair in seen:
    rest = [f for f in pair if abs(f - centre) >= 2]
    if len(rest) == 1:
        points.append((t, rest[0]))
for _ in range(3):
    n = len(points)
    mt, mf = sum(t for t, _ in points) / n, sum(f for _, f in points) / n
    drift = sum((t - mt) * (f - mf) for t, f in points) / sum((t - mt) ** 2 for t, _ in points)
    begin = mf - drift * mt
    points = [(t, f) for t, f in points if abs(begin + drift * t - f) < 8] or points
found = {"steady": steady, "start": begin, "drift": drift}
found["crossing"] = (steady - begin) / drift
#@ finish
json.dump({name: round(found[name], 4) for name in ASKED}, open(TARGET, "w"))

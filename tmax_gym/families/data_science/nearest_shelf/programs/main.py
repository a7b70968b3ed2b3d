def inside(c: int) -> int:
    if c >= 65 and c <= 90:
        return c + 32
    if c >= 97 and c <= 122:
        return c
    HOLE("@digits")
    return 0


def step(h: int, c: int) -> int:
    return HOLE("@hash")


def features(text: list, first: int, last: int, made: list, count: list):
    i = first
    HOLE("@before")
    while i < last:
        while i < last and inside(text[i]) == 0:
            i += 1
        j = i
        while j < last and inside(text[j]) > 0:
            j += 1
        if j - i >= SHORTEST:
            HOLE("@features")
        i = j


def weight(made: list, from_: int, k: int, starts: list, n: int) -> int:
    HOLE("@weight")


def embed(made: list, first: int, last: int, starts: list, n: int, x: list, at: int):
    for k in range(first, last):
        h = made[k]
        w = weight(made, first, k, starts, n)
        HOLE("@signed")
        axis = HOLE("@axis")
        x[at + axis] += w


def covariance(x: list, n: int, c: list):
    for a in range(0, AXES):
        for b in range(0, AXES):
            both = 0
            left = 0
            right = 0
            for i in range(0, n):
                both += x[i * AXES + a] * x[i * AXES + b]
                left += x[i * AXES + a]
                right += x[i * AXES + b]
            c[a * AXES + b] = n * both - left * right


def cut(top: int, bottom: int) -> int:
    if top < 0:
        return -((-top) // bottom)
    return top // bottom


def direction(c: list, v: list):
    w = array(AXES)
    for a in range(0, AXES):
        v[a] = 1
    for t in range(0, ROUNDS):
        largest = 0
        for a in range(0, AXES):
            w[a] = 0
            for b in range(0, AXES):
                w[a] += c[a * AXES + b] * v[b]
            largest = max(largest, abs(w[a]))
        if largest > 0:
            for a in range(0, AXES):
                v[a] = cut(64 * w[a], largest)


def take_out(x: list, at: int, v: list):
    along = 0
    length = 0
    for a in range(0, AXES):
        along += v[a] * x[at + a]
        length += v[a] * v[a]
    if length > 0:
        for a in range(0, AXES):
            x[at + a] -= cut(v[a] * along, length)


def keep(c: list, axes: list) -> int:
    used = array(AXES)
    kept = 0
    for t in range(0, AXES):
        best = -1
        for a in range(0, AXES):
            if used[a] == 0:
                if best < 0:
                    best = a
                elif c[a * AXES + a] > c[best * AXES + best]:
                    best = a
        used[best] = 1
        fits = 1
        HOLE("@fits")
        if fits == 1:
            axes[kept] = best
            kept += 1
    return kept


def nearer(x: list, i: int, y: list, axes: list, kept: int, score: list):
    top = 0
    bottom = 1
    for k in range(0, kept):
        a = x[i * AXES + axes[k]]
        b = y[axes[k]]
        HOLE("@measure")
    HOLE("@finish")
    score[2 * i] = top
    score[2 * i + 1] = bottom


def hash_of(text: list, first: int, last: int) -> int:
    h = START
    for i in range(first, last):
        h = step(h, text[i])
    return h


def ranking(text: list, ids: list, n: int, score: list, used: list, most: int):
    for t in range(0, most):
        best = -1
        for i in range(0, n):
            if used[i] == 0:
                if best < 0:
                    best = i
                elif HOLE("@ahead"):
                    best = i
        if best >= 0:
            used[best] = 1
            if t > 0:
                say(" ")
            span(text, ids[2 * best], ids[2 * best + 1])
    say("\n")


def numbers(x: list, first: int, last: int):
    for i in range(first, last):
        if i > first:
            say(" ")
        put(x[i])
    say("\n")


def main():
    text = read()
    ids = array(1024)
    starts = array(1024)
    made = array(65536)
    count = array(1)
    ask = text[0]
    i = 0
    while text[i] > 32:
        i += 1
    i += 1
    most = 0
    while text[i] > 32:
        most = most * 10 + text[i] - 48
        i += 1
    i += 1
    n = 0
    while text[i] != 0 and text[i] != 63:
        ids[2 * n] = i
        while text[i] > 32:
            i += 1
        ids[2 * n + 1] = i
        j = i
        while text[j] != 0 and text[j] != 10:
            j += 1
        starts[n] = count[0]
        features(text, i, j, made, count)
        n += 1
        starts[n] = count[0]
        i = j + 1
    x = array(n * AXES)
    for k in range(0, n):
        embed(made, starts[k], starts[k + 1], starts, n, x, k * AXES)
    if ask == 118:
        for k in range(0, n):
            span(text, ids[2 * k], ids[2 * k + 1])
            say(" ")
            numbers(x, k * AXES, k * AXES + AXES)
    c = array(AXES * AXES)
    covariance(x, n, c)
    if ask == 99:
        for a in range(0, AXES):
            numbers(c, a * AXES, a * AXES + a + 1)
    HOLE("@remove")
    axes = array(AXES)
    kept = keep(c, axes)
    if ask == 97:
        HOLE("@shown")
        numbers(axes, 0, kept)
    score = array(2 * n)
    used = array(n)
    y = array(AXES)
    while ask == 110 and text[i] == 63:
        for k in range(0, n):
            used[k] = 0
        for a in range(0, AXES):
            y[a] = 0
        i += 1
        j = i
        while text[j] != 0 and text[j] != 10:
            j += 1
        HOLE("@request")
        for k in range(0, n):
            nearer(x, k, y, axes, kept, score)
        ranking(text, ids, n, score, used, most)
        i = j + 1

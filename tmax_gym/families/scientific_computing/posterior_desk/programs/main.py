def word(text: list, at: list) -> int:
    while text[at[0]] != 0 and text[at[0]] <= 32:
        at[0] += 1
    first = text[at[0]]
    while text[at[0]] > 32:
        at[0] += 1
    return first


def number(text: list, at: list) -> int:
    while text[at[0]] != 0 and text[at[0]] <= 32:
        at[0] += 1
    value = 0
    while text[at[0]] > 32:
        value = value * 10 + text[at[0]] - 48
        at[0] += 1
    return value


def below(s: list, n: int) -> int:
    HOLE("@step")
    return HOLE("@below")


def fraction(top: int, bottom: int):
    a = top
    b = bottom
    while b > 0:
        rest = a % b
        a = b
        b = rest
    put(top // a)
    say("/")
    put(bottom // a)


def spread(v: list, n: int, w: list):
    for i in range(0, n):
        for k in range(-REACH, REACH + 1):
            cell = v[i] // WIDTH + k
            HOLE("@edge")
            if cell >= 0 and cell < CELLS:
                w[cell] += HOLE("@kernel")


def density(a: list, m: int, b: list, n: int):
    p = array(CELLS)
    q = array(CELLS)
    spread(a, m, p)
    spread(b, n, q)
    for k in range(0, CELLS):
        put(p[k])
        say(" ")
    say("|")
    for k in range(0, CELLS):
        say(" ")
        put(q[k])


def gap(a: list, m: int, b: list, n: int):
    p = array(CELLS)
    q = array(CELLS)
    spread(a, m, p)
    spread(b, n, q)
    left = 0
    right = 0
    for k in range(0, CELLS):
        left += p[k]
        right += q[k]
    ahead = 0
    top = 0
    bottom = 0
    for k in range(0, CELLS):
        x = p[k] * right
        y = q[k] * left
        ahead += x - y
        HOLE("@distance")
    HOLE("@bottom")
    fraction(top, bottom)


def sorted_copy(v: list, first: int, n: int, made: list):
    for i in range(0, n):
        made[i] = v[first + i]
    order(made, n)


def statistic(v: list, m: int, n: int) -> int:
    found = 0
    HOLE("@statistic")


def test(s: list, v: list, m: int, n: int, rounds: int):
    w = array(m + n)
    for i in range(0, m + n):
        w[i] = v[i]
    seen = statistic(v, m, n)
    over = 0
    same = 0
    for t in range(0, rounds):
        HOLE("@again")
        HOLE("@shuffle")
        x = statistic(w, m, n)
        if x > seen:
            over += 1
        elif x == seen:
            same += 1
    put(seen)
    say(" ")
    HOLE("@share")


def resample(s: list, v: list, n: int, made: list):
    for i in range(0, n):
        j = below(s, n)
        made[i] = v[j]


def estimate(a: list, m: int, b: list, n: int) -> int:
    order(a, m)
    order(b, n)
    HOLE("@estimate")


def interval(s: list, a: list, m: int, b: list, n: int, rounds: int):
    x = array(m)
    y = array(n)
    found = array(rounds)
    for t in range(0, rounds):
        HOLE("@resample")
        found[t] = estimate(x, m, y, n)
    order(found, rounds)
    k = rounds * TAIL // 1000
    low = found[k]
    high = found[rounds - 1 - k]
    seen = estimate(a, m, b, n)
    HOLE("@turn")
    put(low)
    say(" ")
    put(seen)
    say(" ")
    put(high)


def energy(b: list, n: int, theta: int, centre: int) -> int:
    total = 0
    for i in range(0, n):
        off = b[i] - theta
        size = abs(off)
        HOLE("@loss")
    away = abs(theta - centre)
    return total + HOLE("@prior")


def proposed(s: list, theta: int) -> int:
    HOLE("@proposal")


def threshold(rise: int) -> int:
    HOLE("@ladder")


def posterior(s: list, a: list, m: int, b: list, n: int, rounds: int):
    c = array(m)
    sorted_copy(a, 0, m, c)
    centre = c[(m - 1) // 2]
    theta = HOLE("@start")
    kept = array(rounds)
    count = 0
    accepted = 0
    total = 0
    for step in range(1, rounds + 1):
        made = proposed(s, theta)
        if made >= 0:
            rise = energy(b, n, made, centre) - energy(b, n, theta, centre)
            taken = 1
            HOLE("@taken")
            if taken == 1:
                accepted += 1
                theta = made
        if step > BURN and (step - BURN) % THIN == 0:
            kept[count] = theta
            total += theta
            count += 1
    order(kept, count)
    k = count * TAIL // 1000
    put(accepted)
    say(" ")
    put(100 * total // count)
    say(" ")
    put(kept[k])
    say(" ")
    put(kept[count - 1 - k])


def main():
    text = read()
    at = array(1)
    name = word(text, at)
    s = array(1)
    s[0] = number(text, at)
    rounds = number(text, at)
    a = array(4096)
    b = array(4096)
    v = array(8192)
    m = 0
    n = 0
    label = word(text, at)
    while label != 0:
        value = number(text, at)
        if label == SECOND:
            b[n] = value
            n += 1
        else:
            a[m] = value
            m += 1
        label = word(text, at)
    for i in range(0, m):
        v[i] = a[i]
    for i in range(0, n):
        v[m + i] = b[i]
    if name == 100:
        density(a, m, b, n)
    elif name == 103:
        gap(a, m, b, n)
    elif name == 116:
        test(s, v, m, n, rounds)
    elif name == 105:
        interval(s, a, m, b, n, rounds)
    else:
        posterior(s, a, m, b, n, rounds)
    say("\n")

import sys
from string import ascii_letters as LETTERS, digits as DIGITS

COLUMNS = (
HOLE("@columns")
)
RIGHT, LONGER, NAMED, SINGLE, BACKWARD = HOLE("@right"), HOLE("@longer"), HOLE("@named"), HOLE("@single"), HOLE("@backward")
MIX, MULTIPLIER, STEP, SHIFT, ROUNDS = HOLE("@mix"), HOLE("@multiplier"), HOLE("@step"), HOLE("@shift"), HOLE("@rounds")
M = 0xFFFFFFFF


def mixed(h, v):
    if MIX == 0:
        h = (h ^ v) * MULTIPLIER & M
    elif MIX == 1:
        h = (h * MULTIPLIER + v) & M
    else:
        h = (h + v) & M
        h ^= h << 13 & M
        h ^= h >> 17
        h ^= h << 5 & M
    return h ^ h >> SHIFT


def turn(name, base, d, undo):
    if len(d) < 2:
        return d
    middle = (len(d) + LONGER) // 2
    halves = [d[:middle], d[middle:]]
    rounds = range(1, ROUNDS + 1)
    for r in reversed(rounds) if undo and BACKWARD else rounds:
        side = (r + 1 + RIGHT) % 2
        h = (key + r * STEP) & M
        for v in name.encode() if NAMED else b"":
            h = mixed(h, v)
        for v in halves[1 - side]:
            h = mixed(h, v + 1)
        half, sign = halves[side], -1 if undo else 1
        if SINGLE:
            for i in range(len(half)):
                h = mixed(h, i + 1)
                half[i] = (half[i] + sign * (h >> 16)) % base
            continue
        number = 0
        for v in half:
            number = number * base + v
        number = (number + sign * h) % base ** len(half)
        for i in reversed(range(len(half))):
            number, half[i] = divmod(number, base)
    return halves[0] + halves[1]


def check_digit(kind, text):
    digits = [int(c) for c in text if c in DIGITS][:-1]
    if kind == 3:
        return sum(n * d for n, d in enumerate(digits, 1)) % 11 % 10
    total = 0
    for i, d in enumerate(reversed(digits)):
        v = d * (1 if i % 2 else 2 if kind == 1 else 3)
        total += v - 9 if kind == 1 and v > 9 else v
    return -total % 10


def convert(column, text, undo):
    name, digits, letters, keep, check = column
    numbers = [i for i, c in enumerate(text) if c in DIGITS]
    last = numbers[-1] if check and numbers else -1
    if check and (len(numbers) < 2 or int(text[last]) != check_digit(check, text)):
        return "invalid"
    out = list(text)
    free = [i for i, c in enumerate(text) if c in DIGITS + LETTERS][keep:]
    if digits:
        at = [i for i in free if text[i] in DIGITS and i != last]
        for i, v in zip(at, turn(name, 10, [int(text[i]) for i in at], undo)):
            out[i] = str(v)
    if letters:
        at = [i for i in free if text[i] in LETTERS]
        for i, v in zip(at, turn(name, 26, [ord(text[i].lower()) - 97 for i in at], undo)):
            out[i] = chr((65 if text[i].isupper() else 97) + v)
    if check:
        out[last] = str(check_digit(check, "".join(out)))
    return "".join(out)


word, key = sys.stdin.readline().split()
key = int(key)
header = sys.stdin.readline().rstrip("\n")
print(header)
columns = [next((c for c in COLUMNS if c[0] == name), None) for name in header.split(",")]
for line in sys.stdin:
    cells = line.rstrip("\n").split(",")
    print(",".join(convert(c, cell, word == "unmask") if c else cell
                   for c, cell in zip(columns, cells)))

import sys
from itertools import pairwise

FOLD, MARK, TIE, LEAST, TYPES = HOLE("@fold"), HOLE("@mark"), HOLE("@tie"), HOLE("@least"), HOLE("@types")
DIGITS, LIMIT, GREEDY, NUMBERS = HOLE("@digits"), HOLE("@limit"), HOLE("@greedy"), HOLE("@numbers")


def words(line):
    line = line.lower() if FOLD else line
    return [("_" if MARK == 1 else "") + w + ("_" if MARK == 2 else "") for w in line.split()]


def fits(pair):
    left, right = pair
    if DIGITS and left[0].isdigit() != right[0].isdigit():
        return False
    return len(left) + len(right) <= LIMIT


def winner(pairs):
    if TIE == 2:
        return pairs[0]
    if TIE == 1:
        return max(pairs)
    sign = {0: 0, 3: 1, 4: -1}[TIE]
    return min(pairs, key=lambda p: (sign * len(p[0] + p[1]), p))


def joined(word, pair):
    made, at = [], 0
    while at < len(word):
        step = 2 if tuple(word[at:at + 2]) == pair else 1
        made.append("".join(word[at:at + step]))
        at += step
    return made


def encoded(word):
    if not GREEDY:
        tokens = list(word)
        for pair in merges:
            tokens = joined(tokens, pair)
        return tokens
    made = []
    while word:
        size = len(word)
        while size > 1 and word[:size] not in number:
            size -= 1
        made.append(word[:size])
        word = word[size:]
    return made


given = [line.rstrip("\n") for line in sys.stdin]
count, given = int(given[0]), given[1:]
cut = given.index("%")
times = {}
for line in given[:cut]:
    for word in words(line):
        times[word] = times.get(word, 0) + 1
known = sorted({c for word in times for c in word})
parts = [(list(word), 1 if TYPES else n) for word, n in times.items()]
merges = []
while len(merges) < count:
    seen = {}
    for word, n in parts:
        for pair in pairwise(word):
            if fits(pair):
                seen[pair] = seen.get(pair, 0) + n
    most = max(seen.values(), default=0)
    if most < LEAST:
        break
    best = winner([pair for pair in seen if seen[pair] == most])
    merges.append(best)
    parts = [(joined(word, best), n) for word, n in parts]
    print(*best)
number = {}
for token in known + [a + b for a, b in merges]:
    number.setdefault(token, len(number))
found = []
for line in given[cut + 1:]:
    tokens = [token for word in words(line) for token in encoded(word)]
    found += tokens
    print(*(number.get(t, -1) if NUMBERS else t for t in tokens))
total = sum(len(line.split()) for line in given[cut + 1:])
print("words", total, "tokens", len(found), "unknown", sum(t not in number for t in found))

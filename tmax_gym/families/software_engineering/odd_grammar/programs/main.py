import sys

BETWEEN = [HOLE("@BETWEEN")
]
BEFORE = [HOLE("@BEFORE")
]
AFTER = [HOLE("@AFTER")
]
BRACKETS = [HOLE("@BRACKETS")
]
CALLS = [HOLE("@CALLS")
]
SYMBOLS = [HOLE("@SYMBOLS")
]
MARKS = [HOLE("@MARKS")
]
SUFFIXES = [HOLE("@SUFFIXES")
]
WORDS = [HOLE("@words")]
line, at, start, kind, word, value, steps, memory = "", 0, 0, "", "", 0, [], 0


class Fault(Exception):
    pass


def down(a, b):
    return a // b


def chop(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def low(a, b):
    return min(a, b)


def high(a, b):
    return max(a, b)


def less(a, b):
    return int(a < b)


def common(a, b):
    while b:
        a, b = b, a % b
    return abs(a)


def digit(where, base):
    found = "0123456789abcdef".find(line[where]) if where < len(line) else -1
    return found if found < base else -1


def number():
    global at, kind, value
    base = dict(MARKS).get(line[at], 10)
    here = at + (base != 10)
    if digit(here, base) < 0:
        return False
    value = 0
    while digit(here, base) >= 0:
        value = value * base + digit(here, base)
        here += 1
        if line[here : here + 1] == HOLE("@gap") and digit(here + 1, base) >= 0:
            here += 1
    if base == 10:
        for letter, factor in SUFFIXES:
            if line[here : here + 1] == letter:
                value, here = value * factor, here + 1
                break
    kind, at = "number", here
    return True


def advance():
    global at, start, kind, word
    while at < len(line) and line[at] == " ":
        at += 1
    start, kind, word = at, "end", ""
    if at == len(line) or number():
        return
    end = at
    while end < len(line) and "a" <= line[end] <= "z":
        end += 1
    kind, word = "name", line[at:end]
    if not word:
        word = next((s for s in SYMBOLS if line.startswith(s, at)), "")
        kind = "sign" if word else "bad"
    at += len(word)


def found(table, wanted="sign"):
    return next((row for row in table if kind == wanted and row[0] == word), None)


def inside(closing, many):
    count = 0
    while True:
        advance()
        expression(1)
        count += 1
        if not (many and kind == "sign" and word == HOLE("@separator")):
            break
    if kind != "sign" or word != closing:
        raise Fault(0, start)
    advance()
    return count


def operand():
    here = start
    row = found(BEFORE)
    if row:
        advance()
        expression(row[1])
        steps.append(("code", row[3], here, 1, 0))
        return
    call, pair = found(CALLS, "name"), found(BRACKETS)
    if kind == "number":
        steps.append(("value", value, here, 0, 0))
        advance()
    elif kind == "name" and word == HOLE("@memory"):
        steps.append(("memory", 0, here, 0, 0))
        advance()
    elif call:
        advance()
        if word != "(":
            raise Fault(0, start)
        steps.append(("call", call[1], here, inside(")", True), 0))
    elif pair:
        inside(pair[1], False)
        if pair[2]:
            steps.append(("code", pair[2], here, 1, 0))
    else:
        raise Fault(0, here)
    while found(AFTER):
        steps.append(("code", found(AFTER)[3], start, 1, 0))
        advance()


def expression(least):
    operand()
    lonely = 0
    while True:
        row = found(BETWEEN)
        if not row or row[1] < least:
            return
        _, level, ties, code, divides = row
        here = start
        if level == lonely:
            raise Fault(0, here)
        advance()
        expression(level + (ties != 1))
        steps.append(("code", code, here, 2, divides))
        lonely = level if ties == 2 else 0


def single(code, a):
#(@case_unary
    if code == 6:
        return a + 1
#)


def double(code, a, b):
#(@case_binary
    if code == 1:
        return high(a, b) - low(a, b)
    if code == 2:
        return a + b
    if code == 3:
        return down(a + b, 2)
    if code == 4:
        return a - b
    if code == 5:
        return a & b
#)


def called(code, args):
    least, most, total, count = min(args), max(args), sum(args), len(args)
    turns = sum(args[::2]) - sum(args[1::2])
#(@case_calls

#)


def fitted(v, here):
    v = HOLE("@fitted")
    if HOLE("@limited") and abs(v) > HOLE("@bound"):
        raise Fault(2, here)
    return v


def computed():
    stack = []
    for what, code, here, takes, divides in steps:
        if what == "value":
            v = code
        elif what == "memory":
            v = memory
        else:
            args = stack[-takes:]
            del stack[-takes:]
            if what == "call":
                v = called(code, args)
            elif takes == 1:
                v = single(code, args[0])
            elif divides and args[1] == 0:
                raise Fault(1, here)
            else:
                v = double(code, *args)
        stack.append(fitted(v, here))
    return stack[-1]


for line in sys.stdin.read().split("\n"):
    if not line.strip(" "):
        continue
    at, steps = 0, []
    try:
        advance()
        expression(1)
        if kind != "end":
            raise Fault(0, start)
        memory = computed()
        print(memory)
    except Fault as fault:
        said, where = WORDS[fault.args[0]], str(fault.args[1] + HOLE("@column"))
        one, two = (said, where) if HOLE("@word_first") else (where, said)
        print(HOLE("@before") + one + HOLE("@middle") + two + HOLE("@last"))

import sys

data = [int(word, 16) for word in sys.stdin.read().split()]
code = [data[i : i + 3] for i in range(0, len(data) - 2, 3)]
r, at, steps = [0] * 4, 0, 0
while at < len(code):
    if steps == HOLE("@limit"):
        print("limit")
        break
    steps += 1
    op, x, y = code[at]
    a, b = x % 4, y % 4
#(@cases
    if op == 0x1F:  # SET
        r[a] = y
    elif op == 0x20:  # ADD
        r[a] += r[b]
    elif op == 0x63:  # OUT
        print(r[a])
    elif op == 0xCE:  # DJN
        r[a] = (r[a] - 1) % 65536; at = y - 1 if r[a] else at
    elif op == 0x67:  # SUB
        r[a] -= r[b]
    elif op == 0xFB:  # XOR
        r[a] ^= r[b]
#)
    else:
        print(f"trap {at}")
        break
    r[a] %= 65536
    at += 1

#@ guard
def double(x):
    return x << 1 ^ (HOLE("@poly") if x & 128 else 0)


def unseal(sent):
    if len(sent) < 2:
        return "damaged", b""
    body, p, q = bytearray(sent[:-2]), 0, 0
    order = HOLE("@places")
    for at in reversed(order):
        p, q = p ^ body[at], double(q) ^ body[at]
    p, q = p ^ sent[-2], q ^ sent[-1]
    if p == q == 0:
        return "clean", bytes(body)
    if p == 0 or q == 0:
        return "repaired", bytes(body)
    wanted = p
    for at in order:
        if wanted == q:
            body[at] ^= p
            return "repaired", bytes(body)
        wanted = double(wanted)
    return "damaged", b""

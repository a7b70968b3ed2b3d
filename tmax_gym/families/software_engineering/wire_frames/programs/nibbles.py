#@ guard
WORDS = [HOLE("@words")]


def unseal(sent):
    if len(sent) % 2:
        return "damaged", b""
    found, state = [], "clean"
    for code in sent:
        near = min(range(16), key=lambda n: bin(WORDS[n] ^ code).count("1"))
        wrong = bin(WORDS[near] ^ code).count("1")
        if wrong > 1:
            return "damaged", b""
        if wrong:
            state = "repaired"
        found.append(near)
    return state, bytes(found[n + HOLE("@high")] << 4 | found[n + HOLE("@low")] for n in range(0, len(found), 2))

#@ guard
def check(body):
    register = HOLE("@start")
    for byte in body:
        register ^= byte << HOLE("@shift")
        for _ in range(8):
            out = register & HOLE("@outbit")
            register = HOLE("@moved") & HOLE("@full")
            if out:
                register ^= HOLE("@poly")
    return (register ^ HOLE("@final")).to_bytes(HOLE("@size"), HOLE("@order"))


def unseal(sent):
    if len(sent) < HOLE("@size") or check(sent[:-HOLE("@size")]) != sent[-HOLE("@size"):]:
        return "damaged", b""
    return "clean", sent[:-HOLE("@size")]

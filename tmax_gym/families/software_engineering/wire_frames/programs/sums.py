#@ guard
def unseal(sent):
    if len(sent) < 2:
        return "damaged", b""
    a, b = HOLE("@start"), HOLE("@final")
    for byte in sent[:-2]:
        a = (a + byte) % HOLE("@modulus")
        b = (b + a) % HOLE("@modulus")
    return ("clean" if sent[-2:] == bytes((HOLE("@pair"))) else "damaged"), sent[:-2]

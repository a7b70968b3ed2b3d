import sys

METHODS = HOLE("@methods")
FULL = (1 << 64) - 1


class Malformed(Exception):
    pass


HOLE("@guard")

def varint(data, at):
    value = 0
    for n in range(10):
        if at + n >= len(data):
            raise Malformed
        value |= (data[at + n] & 127) << (7 * n)
        if data[at + n] < 128:
            return value & FULL, at + n + 1
    raise Malformed


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, wire, value, raw = tag >> 3, tag & 7, 0, b""
        if wire == 0:
            value, at = varint(data, at)
        elif wire in (1, 2, 5):
            size = {1: 8, 5: 4}.get(wire, 0)
            if wire == 2:
                size, at = varint(data, at)
            raw, at = data[at:at + size], at + size
            value = int.from_bytes(raw, "little")
        if number == 0 or wire in (3, 4, 6, 7) or at > len(data):
            raise Malformed
        yield number, wire, value, raw


def shown(kind, own):
    if kind == "repeated uint64":
        found = []
        for _, wire, value, raw in own:
            at = 0
            while wire == 2 and at < len(raw):
                one, at = varint(raw, at)
                found.append(one)
            if wire == 0:
                found.append(value)
        return "[" + ",".join(map(str, found)) + "]"
    wires = {"fixed32": 5, "fixed64": 1, "string": 2, "bytes": 2}
    own = [one for one in own if one[1] == wires.get(kind, 0)]
    value, raw = own[-1][2:] if own else (0, b"")
    if kind == "string":
        return '"' + raw.decode("ascii") + '"'
    if kind == "bytes":
        return raw.hex()
    if kind == "bool":
        return "true" if value else "false"
    if kind == "sint64":
        value = (value >> 1) ^ -(value & 1)
    if kind == "int64" and value >> 63:
        value -= 1 << 64
    if kind == "uint32":
        value &= 0xFFFFFFFF
    return str(value)


def message(sent):
    state, body = unseal(sent)
    if state == "damaged":
        print("damaged")
        return
    if state == "repaired":
        print("repaired")
    if len(body) < 6 or int.from_bytes(body[2:6], "big") != len(body) - 6:
        print("malformed")
    elif body[0] not in METHODS:
        print("unimplemented", body[0])
    elif body[1]:
        print("compressed")
    else:
        name, schema = METHODS[body[0]]
        try:
            found = list(fields(body[6:]))
            told = [f"{f}={shown(k, [o for o in found if o[0] == n])}" for n, f, k in schema]
            print(" ".join([name, *told]))
        except Malformed:
            print("malformed")


def refused(first, second, open_):
    code = first & 15
    if first & 0x70:
        return "reserved"
    if code not in (0, 2, 8, 9, 10):
        return "opcode"
    if not second & 128:
        return "unmasked"
    if code & 8:
        return "" if first & 128 and second & 127 < 126 else "control"
    if code == 2 and open_ is not None:
        return "interleaved"
    return "continuation" if code == 0 and open_ is None else ""


def capture(data):
    at, open_ = 0, None
    while at < len(data):
        head = data[at:at + 2]
        if len(head) < 2:
            return print("partial")
        wrong = refused(head[0], head[1], open_)
        if wrong:
            return print("error", wrong)
        at += 2
        size = head[1] & 127
        if size > 125:
            wide = 2 if size == 126 else 8
            if len(data) - at < wide:
                return print("partial")
            size, at = int.from_bytes(data[at:at + wide], "big"), at + wide
        if len(data) - at < 4 + size:
            return print("partial")
        key, masked = data[at:at + 4], data[at + 4:at + 4 + size]
        at += 4 + size
        payload = bytes(b ^ key[n % 4] for n, b in enumerate(masked))
        code = head[0] & 15
        if code == 8:
            return print("close", int.from_bytes(payload[:2], "big") if size > 1 else "none")
        if code == 9:
            print("pong", (bytes([0x8A, size]) + payload).hex())
        elif code != 10:
            open_ = (open_ or b"") + payload
            if HOLE("@done"):
                message(open_)
                open_ = None


for line in sys.stdin.read().split():
    capture(bytes.fromhex(line))
    print("--")

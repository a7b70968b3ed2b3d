import re, struct
raw = open(CAPTURE, "rb").read()
order = "<" if raw[:4].hex() == "d4c3b2a1" else ">"
ways, at = {}, 24
while at < len(raw):
    size = struct.unpack(order + "I", raw[at + 8:at + 12])[0]
    ip = raw[at + 30:at + 16 + size]
    at += 16 + size
    body = ip[20:struct.unpack(">H", ip[2:4])[0]]
    ports = struct.unpack(">HH", body[:4])
    way = ways.setdefault((ip[12:16], ports[0], ip[16:20], ports[1]), {})
    if ip[9] == 6:
        data = body[body[12] >> 4 << 2:]
        if data:
            way[struct.unpack(">I", body[4:8])[0]] = data
    else:
        way[len(way)] = body[8:]
for (source, port, target, other), parts in ways.items():
    back = ways.get((target, other, source, port), {})
    if target[0] == 10:
        continue
    sent = [parts[n] for n in sorted(parts)]
    said = [back[n] for n in sorted(back)]

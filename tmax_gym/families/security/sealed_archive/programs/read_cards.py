import glob, struct, sys, zlib
for path in sorted(glob.glob(SOURCE)):
    data, at, body = open(path, "rb").read(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        if kind == b"IDAT":
            body += data[at + 8:at + 8 + size]
        at += 12 + size
    assert (depth, colour) == (1, 0)
    raw, stride = zlib.decompress(body), 1 + (width + 7) // 8
    assert not any(raw[::stride])
    def dark(x, y):
        return not raw[y * stride + 1 + x // 8] >> (7 - x % 8) & 1
    turned = not dark(8, 8)
    text = ""
    for column in range((width - LEFT) // PITCH):
        value = 0
        for row in ROWS:
            x, y = LEFT + column * PITCH, TOP + row * PITCH
            if turned:
                x, y = width - 1 - x, height - 1 - y
            value = 2 * value + dark(x, y)
        text += chr(value) if value else ""
    print(text)

import struct, zlib
def picture(path):
    data, at, body = open(path, "rb").read(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        if kind == b"IDAT":
            body += data[at + 8:at + 8 + size]
        at += 12 + size
    step = 3 if colour == 2 else 1
    raw, stride = zlib.decompress(body), 1 + (width * step * depth + 7) // 8
    rows = []
    for y in range(height):
        line = bytearray(raw[y * stride + 1:(y + 1) * stride])
        if raw[y * stride] == 1:
            for i in range(step, len(line)):
                line[i] = (line[i] + line[i - step]) & 255
        rows.append(line)
    def pixel(x, y):
        if depth == 1:
            return 255 * (rows[y][x // 8] >> (7 - x % 8) & 1)
        return rows[y][x] if step == 1 else tuple(rows[y][3 * x:3 * x + 3])
    return width, height, pixel

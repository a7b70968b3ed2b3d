import struct
image = open(STICK, "rb").read()
size, per, start, tables, entries = struct.unpack_from("<HBHBH", image, 11)
root = (start + tables * struct.unpack_from("<H", image, 22)[0]) * size
data, found = root + entries * 32, []
def scan(at, count):
    for line in range(at, at + 32 * count, 32):
        name, kind = image[line:line + 11], image[line + 11]
        time, day, first, length = struct.unpack_from("<HHHI", image, line + 22)
        place = data + (first - 2) * size * per
        if kind & 16 and name[0] not in b"\0.":
            scan(place, size * per // 32)
        elif name[0] == 0xE5 and name[8:] == b"CSV":
            found.append((day, time, place, length))
scan(root, entries)
print(*max(found)[2:])

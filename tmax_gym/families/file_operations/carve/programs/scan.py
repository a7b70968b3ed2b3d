#@ png
import struct, zlib
data = open(DUMP, "rb").read()
MARK = b"\x89PNG\r\n\x1a\n"
bad = set()
def follow(start):
    at = start + 8
    while at + 12 <= len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if size > len(data) - at:
            break
        check = struct.unpack(">I", (data[at + 8 + size:at + 12 + size] + bytes(4))[:4])[0]
        if check != zlib.crc32(data[at + 4:at + 8 + size]):
            bad.add(start)
        at += 12 + size
        if kind == b"IEND":
            return at, struct.unpack(">II", data[start + 16:start + 24])
    bad.add(start)
    return start + 40, (0, 0)
def sound(start, end):
    return start not in bad
#@ wav
import struct
data = open(DUMP, "rb").read()
MARK = b"RIFF"
def follow(start):
    whole = struct.unpack("<I", data[start + 4:start + 8])[0]
    rate = struct.unpack("<I", data[start + 24:start + 28])[0]
    return start + 8 + whole, (rate, (whole - 36) // 2)
def sound(start, end):
    inner = struct.unpack("<I", data[start + 40:start + 44])[0]
    fits = data[start + 36:start + 40] == b"data" and start + 44 + inner == end
    return fits and end <= len(data)
#@ loop
at = 0
while True:
    at = data.find(MARK, at)
    if at < 0:
        break
    end, row = follow(at)
    if sound(at, end):
        body = data[at:end]
        # found
        print(at, len(body), *row, sep=",")
    at += 1

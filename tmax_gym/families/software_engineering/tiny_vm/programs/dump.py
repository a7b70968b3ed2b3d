import sys, zlib
data = open(sys.argv[1], "rb").read()
width, height = (int.from_bytes(data[n : n + 4], "big") for n in (16, 20))
at = data.index(b"IDAT")
size = int.from_bytes(data[at - 4 : at], "big")
raw, step = zlib.decompress(data[at + 4 : at + 4 + size]), (width + 7) // 8 + 1
for y in range(height):
    bits = f"{int.from_bytes(raw[y * step + 1 : (y + 1) * step], 'big'):0{8 * step - 8}b}"
    print(bits[:width].replace("1", " ").replace("0", "#").rstrip())

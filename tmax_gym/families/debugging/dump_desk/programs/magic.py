import struct
log = bytearray(open(LOG, "rb").read())
for magic, order in ((0x377F0682, "<"), (0x377F0683, ">")):
    log[:4] = struct.pack(">I", magic)
    words, a, b = struct.unpack(order + "6I", log[:24]), 0, 0
    for n in (0, 2, 4):
        a = (a + words[n] + b) % 2**32
        b = (b + words[n + 1] + a) % 2**32
    if struct.pack(">II", a, b) == log[24:32]:
        open(LOG, "wb").write(log)
        print(f"{magic:x}")
        break

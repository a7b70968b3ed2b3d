import struct
data = open(FILM, "rb").read()
at, frames = data.index(b"movi") + 4, []
while data[at : at + 4] == b"00db":
    size = struct.unpack_from("<I", data, at + 4)[0]
    frames.append(data[at + 8 : at + 8 + size])
    at += 8 + size + size % 2
print("frame,counter")
for number, frame in enumerate(frames):
    # Rows are stored from the bottom up.
    row = frame[(HEIGHT - 1 - TOP - 2) * WIDTH :]
    lit = [row[LEFT + 6 * i + 2] > 127 for i in range(LAMPS)]
    value = int("".join("01"[b] for b in lit[:8]), 2)
    if GRAY:
        shift = value >> 1
        while shift:
            value, shift = value ^ shift, shift >> 1
    print(f"{number}," + ("" if LAMPS == 9 and sum(lit) % 2 else str(value)))

import struct, wave
with wave.open(TAPE) as tape:
    data = tape.readframes(tape.getnframes())
samples = struct.unpack(f"<{len(data) // 2}h", data)
print("start,length,kind")
start = 0
for at in range(1, len(samples) + 1):
    if at == len(samples) or samples[at] != samples[start]:
        if LEAST <= at - start <= MOST:
            print(f"{start},{at - start}," + ("stuck" if samples[start] else "silent"))
        start = at

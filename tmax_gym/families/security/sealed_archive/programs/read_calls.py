import array, glob, math, sys, wave
LOW, HIGH = (697, 770, 852, 941), (1209, 1336, 1477, 1633)
def power(part, f):
    c = 2 * math.cos(2 * math.pi * f / rate)
    a = b = 0.0
    for x in part:
        a, b = x + c * a - b, a
    return a * a + b * b - c * a * b
for path in sorted(glob.glob(SOURCE)):
    with wave.open(path) as sound:
        rate = sound.getframerate()
        x = array.array("h", sound.readframes(sound.getnframes()))
    step = rate // 200
    loud = [sum(abs(v) for v in x[i:i + step]) / step for i in range(0, len(x), step)]
    limit, text, i = max(loud) / 2, "", 0
    while i < len(loud):
        j = i
        while j < len(loud) and loud[j] > limit:
            j += 1
        if j - i >= 4:
            part = x[i * step:j * step]
            low, high = (max(band, key=lambda f: power(part, f)) for band in (LOW, HIGH))
            text += "123A456B789C*0#D"[LOW.index(low) * 4 + HIGH.index(high)]
        i = j + 1
    print(text)

import array, cmath, json, math, wave
with wave.open(SOURCE) as sound:
    rate = sound.getframerate()
    x = array.array("h", sound.readframes(sound.getnframes()))
def fft(v):
    n = len(v)
    if n == 1:
        return v
    even, odd = fft(v[0::2]), fft(v[1::2])
    turned = [cmath.exp(-2j * math.pi * k / n) * odd[k] for k in range(n // 2)]
    return [a + b for a, b in zip(even, turned)] + [a - b for a, b in zip(even, turned)]
def spectrum(start, size):
    part = [x[start + i] * (0.5 - 0.5 * math.cos(2 * math.pi * i / size)) for i in range(size)]
    return fft(part)[:size // 2]
def peaks(start, size):
    lines = spectrum(start, size)
    m = [abs(v) + 1e-9 for v in lines]
    low = int(100 * size / rate) + 1
    tops = [k for k in range(low, size // 2 - 1) if m[k - 1] < m[k] >= m[k + 1]]
    tops.sort(key=lambda k: -m[k])
    first = tops[0]
    second = next((k for k in tops if abs(k - first) > 3), first)
    if m[second] < 0.2 * m[first]:
        return []
    return sorted(refined(start, size, k, m, lines) for k in (first, second))

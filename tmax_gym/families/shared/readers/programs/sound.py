import array, math, wave
def sound(path):
    with wave.open(path) as file:
        return file.getframerate(), array.array("h", file.readframes(file.getnframes()))
def power(part, f, rate):
    c = 2 * math.cos(2 * math.pi * f / rate)
    a = b = 0.0
    for x in part:
        a, b = x + c * a - b, a
    return a * a + b * b - c * a * b

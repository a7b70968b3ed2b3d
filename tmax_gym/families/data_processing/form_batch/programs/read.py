import glob, os, sys
def rows(path):
    width, height, pixel = picture(path)
    for row in range(DIGITS):
        y = TOP + row * PITCH
        yield [c for c in range(10) if pixel(LEFT + c * PITCH, y) < 128]
def judged(path):
    marks = list(rows(path))
    if any(len(m) != 1 for m in marks):
        return "", "", "unreadable"
    digits = [m[0] for m in marks]
    number, amount = "".join(map(str, digits[:4])), digits[4] * 10 + digits[5]
    good = sum((n + 1) * d for n, d in enumerate(digits[:6])) % 10 == digits[6]
    return number, amount, "good" if good else "check"

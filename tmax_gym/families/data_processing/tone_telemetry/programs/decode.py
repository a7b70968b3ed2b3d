import sys
rate, samples = sound(sys.argv[1])
step = rate // BAUD
level = []
for i in range(len(samples) - step):
    part = samples[i:i + step]
    level.append(power(part, MARK, rate) > power(part, SPACE, rate))
text, i = "", 0
while i < len(level) - 10 * step:
    if level[i]:
        i += 1
        continue
    i += step // 2
    value = sum(level[i + (n + 1) * step] << n for n in range(8))
    text += chr(value)
    i += 9 * step
    while i < len(level) and not level[i]:
        i += 1

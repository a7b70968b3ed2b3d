#@ code
import itertools
def code(lit):
    runs = [(k, len(list(g))) for k, g in itertools.groupby(lit)]
    start = next((i for i, (on, n) in enumerate(runs) if not on and n >= 6), len(runs))
    long = short = 0
    for on, n in runs[start + 1:]:
        if not on and n >= 6:
            break
        long += on and n >= 3
        short += on and n < 3
    return f"{long}-{short}"
#@ lamps
width, height, frames, pixel = film(SOURCE)
for unit in range(height // 8):
    lit = [pixel(frame, 4, 8 * unit + 4) > 128 for frame in frames]
    print(unit + 1, code(lit))
#@ beeps
import glob, os
for path in sorted(glob.glob(SOURCE)):
    rate, samples = sound(path)
    step = rate // 20
    parts = [samples[i:i + step] for i in range(0, len(samples) - step + 1, step)]
    lit = [sum(map(abs, part)) > 1000 * step for part in parts]
    print(int(os.path.basename(path)[:2]), code(lit))

import sys

for line in sys.stdin:
    x, ticks = map(int, line.split())
    queue = served = lost = peak = down = 0

    def draw():
        global x
        x = (HOLE("@multiplier") * x + HOLE("@increment")) % 2**32
        return x >> 16

    for _ in range(ticks):
        if draw() % 100 < HOLE("@arrival"):
            queue += HOLE("@joins")
        if queue > HOLE("@capacity"):
            lost += queue - HOLE("@capacity")
            queue = HOLE("@capacity")
        working = down == 0
#(@failure_block
        if down:
            down -= 1
        elif draw() % 100 < 4:
            down = 3
#)
        if working and draw() % 100 < HOLE("@service") and queue:
            queue -= 1
            served += 1
        peak = max(peak, queue)
    print(served, lost, queue, peak)

import sys
number = 0
for line in sys.stdin.read().split("\n")[:-1]:
    last, place, out = HOLE("@start"), 0, ""
    for i in range(0, len(line) // 2 * 2, 2):
        code = int(line[i:i + 2], 16)
#(@undo
        c = code
        last = code
#)
        out += chr(c & 255)
        place += 1
    print(out)
    number += 1

import subprocess, sys
tool, source, target = sys.argv[1:]
lines = open(source).read().splitlines()

def fails(rows):
    said = subprocess.run([tool], input="\n".join(rows) + "\n", capture_output=True, text=True)
    return "fault" in said.stdout

parts = 2
while len(lines) > 1:
    size = -(-len(lines) // parts)
    cuts = [lines[:i] + lines[i + size :] for i in range(0, len(lines), size)]
    shorter = next((rows for rows in cuts if fails(rows)), None)
    if shorter is not None:
        lines, parts = shorter, max(parts - 1, 2)
    elif size > 1:
        parts = min(2 * parts, len(lines))
    else:
        break
open(target, "w").write("\n".join(lines) + "\n")
print(source, len(lines))

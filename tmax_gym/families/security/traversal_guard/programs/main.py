import re, sys
name = sys.stdin.buffer.read()
if name.endswith(b"\n"):
    name = name[:-1]
while True:
    decoded = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), name)
    if decoded == name:
        break
    name = decoded
name = name.replace(b"\\", b"/")
if name.startswith(b"/") or any(b < 32 or b == 127 for b in name):
    sys.exit(1)
depth = 0
for part in name.split(b"/"):
    if part not in (b"", b"."):
        depth += -1 if part == b".." else 1
    if depth < 0:
        sys.exit(1)
sys.exit(0 if depth > 0 else 1)

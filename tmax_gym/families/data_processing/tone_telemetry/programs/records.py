seen = set()
for line in text.split("\n"):
    parts = line.split()
    if len(parts) != 4:
        continue
    body = line.rpartition(" ")[0] + " "
    if sum(body.encode()) % 256 != int(parts[3], 16) or parts[0] in seen:
        continue
    seen.add(parts[0])
    print(int(parts[0]), parts[1], int(parts[2]), sep=",")

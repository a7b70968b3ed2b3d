import os
keep = set(open(HOLE("@keep")).read().split("\n"))
d, rows = set(), {}
for rule in ("temp", "rotated", "cache"):
    rows[rule] = [0, 0]
    for folder, _, names in os.walk(HOLE("@root")):
        for name in names:
            path = os.path.join(folder, name)
            last = name.rpartition(".")[2]
            hit = (
                rule == "temp" and name.endswith(".tmp") and os.path.getmtime(path) < HOLE("@cutoff")
                or rule == "rotated" and ".log." in name and last.isdigit()
                and int(last) > HOLE("@generations")
                or rule == "cache" and "/cache/" in path and path not in keep
            )
            if hit and path not in d:
                d.add(path)
                rows[rule][0] += 1
                rows[rule][1] += os.path.getsize(path)
with open(HOLE("@report"), "w") as out:
    print("rule,files,bytes", file=out)
    for rule, (files, size) in rows.items():
        print(f"{rule},{files},{size}", file=out)
for path in d:
    os.remove(path)

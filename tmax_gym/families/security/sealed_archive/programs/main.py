import csv, io, json, subprocess, sys
texts = open("/tmp/read.txt").read().split()
seals = [(texts[0], ROUNDS)]
if LAYERS:
    known = {t[:4]: t[4:] for t in texts if not t.endswith("*")}
    rows = list(csv.DictReader(open(LAYERS)))
    seals = [(known[r[NUMBER]], r["iterations"]) for r in rows]
data = open(CONTAINER, "rb").read()
for code, rounds in seals:
    call = ["openssl", "enc", "-d", "-aes-256-cbc", "-pbkdf2", "-md", "sha256", "-iter",
            str(rounds), "-pass", "pass:" + code]
    data = subprocess.run(call, input=data, stdout=subprocess.PIPE, check=True).stdout
rows = list(csv.DictReader(io.StringIO(data.decode())))
row = max(rows, key=lambda r: int(r["amount"]))
if KEY:
    row = next(r for r in rows if r["code"] == KEY)
json.dump({"passphrase": code, **{name: row[name] for name in FIELDS}}, open(TARGET, "w"))

import csv, sys
seen = {}
for row in csv.reader(sys.stdin, delimiter=";"):
    row = [cell.strip() for cell in row]
    if len(row) != 4 or row[0].lower() == "code":
        continue
    code, day, amount, state = row
    if "." in day:
        d, m, y = day.split(".")
        day = f"{y}-{m}-{d}"
    if "," in amount:
        amount = amount.replace(".", "").replace(",", ".")
    seen[(code.upper(), day, f"{float(amount):.2f}", state.lower() or "open")] = None
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["code", "day", "amount", "state"])
out.writerows(sorted(seen))

"""Reference programs of the ledger-clean family: the same rules in Python and in awk."""

from __future__ import annotations

CLEANER = """\
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
out = csv.writer(sys.stdout, lineterminator="\\n")
out.writerow(["code", "day", "amount", "state"])
out.writerows(sorted(seen))
"""
AWK = r"""
BEGIN { FS = ";"; OFS = "," }
{ for (i = 1; i <= NF; i++) gsub(/^[ \t]+|[ \t]+$/, "", $i) }
NF != 4 || tolower($1) == "code" { next }
{
  day = $2; if (split(day, d, ".") == 3) day = d[3] "-" d[2] "-" d[1]
  amount = $3; if (amount ~ /,/) { gsub(/\./, "", amount); sub(/,/, ".", amount) }
  state = tolower($4); if (state == "") state = "open"
  print toupper($1), day, sprintf("%.2f", amount), state
}
"""

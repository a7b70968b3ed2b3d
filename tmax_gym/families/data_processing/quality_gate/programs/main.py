import re, sys
from datetime import date
STATES = HOLE("@list")
def is_day(text):
    try:
        return bool(re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text) and date.fromisoformat(text))
    except ValueError:
        return False
def cents(text):
    return int(text.replace(".", ""))
def reason(row, seen, last):
#(@tests
    if row[1] < last:
        return "order"
#)
    return ""
seen, last, rejected = set(), "", 0
for number, line in enumerate(sys.stdin, start=1):
    if number == 1:
        continue
    row = line.rstrip("\n").split(";")
    found = reason(row, seen, last)
    if found:
        print(number, found)
        rejected += 1
    else:
        seen.add(row[0])
        last = row[1]
print(f"{number - 1 - rejected} accepted, {rejected} rejected")
sys.exit(rejected > 0)

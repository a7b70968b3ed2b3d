import json, sys
orders, items = open(ORDERS, "a"), open(ITEMS, "a")
for line in open(sys.argv[1]):
    record = json.loads(line)
    if "body" in record:
        code, body = record["key"], record["body"]
        place, lines = body.get("where"), body.get("rows", [])
    else:
        code, place, lines = record["id"], record.get("site"), record.get("lines", [])
    print(code, place or "unknown", len(lines), sep=",", file=orders)
    for number, part in enumerate(lines, start=1):
        print(code, number, part["sku"], part.get("qty", 1), sep=",", file=items)

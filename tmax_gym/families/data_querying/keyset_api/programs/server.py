import json, re, sqlite3, threading, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

link = sqlite3.connect("file:@database?mode=ro", uri=True)
rows = [dict(zip(("id", "place", "state", "amount"), r))
        for r in link.execute("SELECT id, place, state, amount FROM @things")]
LOCK, LABELS, OTHER = threading.Lock(), {}, HOLE("@other")


def label(place):
    if place not in LABELS:
        for _ in range(200):
            try:
                url = f"http://127.0.0.1:{OTHER}/places/{place}"
                LABELS[place] = json.load(urllib.request.urlopen(url, timeout=5))["label"]
                break
            except urllib.error.HTTPError:
                LABELS[place] = None
                break
            except OSError:
                time.sleep(0.02)
    return LABELS.get(place)


def shown(row):
    item = {k: row[k] for k in ("id", "place", "amount")}
    if OTHER:
        item["label"] = label(row["place"])
    return item


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path != "/@things":
            return self.answer(404, {"error": "not found"})
        query = {k: v[0] for k, v in parse_qs(url.query, keep_blank_values=True).items()}
        whole = r"-?\d+"
        limit = query.get("limit", "10")
        cursor = re.fullmatch(r"(-?\d+)-(\d+)", query.get("after", "0-0"))
        bad = any(not re.fullmatch(whole, query[k]) for k in ("min", "max") if k in query)
        if bad or not cursor or not re.fullmatch(whole, limit) or not 1 <= int(limit) <= 100:
            return self.answer(400, {"error": "invalid"})
        with LOCK:
            found = sorted(rows, key=lambda r: (-r["amount"], r["id"]))
        if "state" in query:
            found = [r for r in found if r["state"] in query["state"].split(",")]
        if "min" in query:
            found = [r for r in found if r["amount"] >= int(query["min"])]
        if "max" in query:
            found = [r for r in found if r["amount"] <= int(query["max"])]
        total = len(found)
        if "after" in query:
            edge = (-int(cursor[1]), int(cursor[2]))
            found = [r for r in found if (-r["amount"], r["id"]) > edge]
        page = found[:int(limit)]
        more = f"{page[-1]['amount']}-{page[-1]['id']}" if len(found) > len(page) else None
        self.answer(200, {"items": [shown(r) for r in page], "next": more, "total": total})

    def do_POST(self):
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if urlsplit(self.path).path != "/@things":
            return self.answer(404, {"error": "not found"})
        row = json.loads(data)
        with LOCK:
            row["id"] = max(r["id"] for r in rows) + 1
            rows.append(row)
        self.answer(201, {"id": row["id"]})


ThreadingHTTPServer(("127.0.0.1", HOLE("@port")), Service).serve_forever()

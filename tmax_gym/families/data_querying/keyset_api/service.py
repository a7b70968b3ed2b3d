"""Contract, reference service and directory service of the keyset-api family."""

from __future__ import annotations

CONTRACT = {
    "head": """\
# `GET /@things`

Listens on 127.0.0.1, port @port; HTTP/1.1, JSON bodies (`Content-Type: application/json`).
Answers from the table `@things` of `@database`, which it only reads.

- Status 200 and `{"items": [...], "next": ..., "total": ...}`.
- `items`: rows as objects with `id`, `place` and `amount`, largest amount first, the lower id
  first where amounts are equal; at most `limit` of them (10 without it).
- `next`: `"<amount>-<id>"` of the last item where more rows follow, else `null`. Given back as
  `after`, the page begins behind that row, whether or not it is still there.
- `total`: how many rows match, on whatever page.
- Any other path: status 404 and `{"error": "not found"}`.
""",
    "state": """\
- `state=<s>` keeps rows in that state; several may be given, apart by commas.
""",
    "range": """\
- `min=<n>` and `max=<n>` keep rows with an amount of at least, at most n.
""",
    "errors": """\
- Status 400 and `{"error": "invalid"}` where `limit` is not a whole number from 1 to 100, where
  `min` or `max` is no whole number, and where `after` is not an amount and an id.
""",
    "insert": """\
- `POST /@things` with `{"place": ..., "state": ..., "amount": ...}` adds a row in memory under
  the next free id: status 201 and `{"id": ...}`. Later pages show it where it belongs. The
  database stays as it is.
""",
    "label": """\
- Every item also has `label`: what the directory service says of its place. `@directory` is that
  service: `python3 @directory` listens on port @other of 127.0.0.1 and answers
  `GET /places/<place>` with `{"label": ...}`, or 404, for which `label` is `null`. Your start
  script starts it, too.
""",
}
DIRECTORY = """\
import json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LABELS = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "places.json")))


class Directory(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        label = LABELS.get(self.path.rpartition("/")[2])
        data = json.dumps({"label": label} if label else {"error": "unknown"}).encode()
        self.send_response(200 if label else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


ThreadingHTTPServer(("127.0.0.1", @other), Directory).serve_forever()
"""
SERVER = """\
import json, re, sqlite3, threading, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

link = sqlite3.connect("file:@database?mode=ro", uri=True)
rows = [dict(zip(("id", "place", "state", "amount"), r))
        for r in link.execute("SELECT id, place, state, amount FROM @things")]
LOCK, LABELS, OTHER = threading.Lock(), {}, @other


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
        whole = r"-?\\d+"
        limit = query.get("limit", "10")
        cursor = re.fullmatch(r"(-?\\d+)-(\\d+)", query.get("after", "0-0"))
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


ThreadingHTTPServer(("127.0.0.1", @port), Service).serve_forever()
"""
GOAL = (
    "{Serve|Publish} the table {things} page by page: {contract} {says|describes} how, and "
    "{nobody|no one} has {written|built} it {yet|so far}.",
    "{contract} is the {agreed|final} contract for paging through {things}. {Implement|Write} "
    "the service.",
    "{The|Our} web team {waits for|needs} {things} over HTTP; what it {relies on|expects} is "
    "{written down|laid down} in {contract}. {Build|Provide} it.",
    "{Paging|Our paging} through {things} by offset {loses|skips} rows. {Write|Make} the keyset "
    "service of {contract} instead.",
    "{Please|Could you} {implement|write} the {read|query} API for {things}, {as|just as} "
    "{contract} {has|wants} it.",
    "{There is|We have} a contract, {contract}, {and|but} no service behind it: "
    "{write|implement} {one|it} for {things}.",
)
START = (
    "{start} {must|has to} bring it up without root rights, {in the foreground or not|either way}.",
    "It {starts|is started} by {start}, as an unprivileged user, and {stays up|keeps running}.",
    "{Put|Write} a script {start} that starts {it|everything}; {it|the script} has no root rights.",
    "{Whoever|Anyone who} runs {start}, {an ordinary user|not as root}, {gets|has} it "
    "{running|up}.",
    "{We|Our machines} {start|launch} it with {start}, {as|under} an {ordinary|unprivileged} "
    "account.",
    "The {entry|starting} point is {start}, {run|called} without {privileges|root rights}.",
)

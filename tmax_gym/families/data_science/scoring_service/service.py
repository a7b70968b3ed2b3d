"""Contract, reference service, row store and words of the scoring-service family."""

from __future__ import annotations

from typing import Any

from tmax_gym.rng import Rng

Row = dict[str, Any]

CONTRACT = {
    "head": """\
# Scoring service

Listens on 127.0.0.1, port @port; HTTP/1.1 with JSON bodies (`Content-Type: application/json`).
`@model` is the model: a `bias`, a `cut`, and for every feature its `edges`, ascending, and its
`points`, one more than there are edges. A value earns the points at index k, where k is how many
edges are at most the value. The score is the bias plus the points of all features.

- `POST /score` with `{"rows": [{feature: value, ...}, ...]}`: status 200 and
  `{"scores": [...], "labels": [...]}`, in the order of the rows. The label is `review` from the
  cut on, else `pass`.
- Anything else: status 404 and `{"error": "not found"}`.
""",
    "missing": """\
- A feature that a row lacks, or has as `null`, earns the feature's `missing` points instead.
""",
    "errors": """\
- A value that is neither a whole number nor `null`, and a field that is no feature, are errors.
  With any of them nothing is scored: status 422 and
  `{"errors": [{"row": i, "field": name}, ...]}`, rows counted from 0, by row, then by name. A
  body that is not an object with a list `rows` of objects: status 400 and `{"error": "invalid"}`.
""",
    "ids": """\
- `POST /score` may also come with `{"ids": [...]}`: the rows are then fetched from the row store.
  `python3 @store` listens on port @other of 127.0.0.1 and answers `GET /rows/<id>` with a row, or
  404. Your start script starts it as well. An id without a row: status 424 and
  `{"unknown": [...]}` with all such ids in the order given.
""",
    "drift": """\
- `GET /drift`: status 200 and `{"rows": n, "review": n, "missing": {feature: n, ...}}`: how many
  rows were scored since the start, how many got `review`, and in how many each feature was
  missing, all features listed.
""",
}
STORE = """\
import json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ROWS = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "rows.json")))


class Store(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        row = ROWS.get(self.path.rpartition("/")[2])
        data = json.dumps(row if row else {"error": "unknown"}).encode()
        self.send_response(200 if row else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


ThreadingHTTPServer(("127.0.0.1", @other), Store).serve_forever()
"""
SERVER = """\
import bisect, json, threading, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL, LOCK = json.load(open("@model")), threading.Lock()
FEATURES = MODEL["features"]
seen = {"rows": 0, "review": 0, "missing": {name: 0 for name in FEATURES}}


def fetched(key):
    for _ in range(200):
        try:
            return json.load(urllib.request.urlopen(f"http://127.0.0.1:@other/rows/{key}"))
        except urllib.error.HTTPError:
            return None
        except OSError:
            time.sleep(0.02)


def points(name, value):
    feature = FEATURES[name]
    if value is None:
        return feature.get("missing", 0)
    return feature["points"][bisect.bisect_right(feature["edges"], value)]


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
        if self.path != "/drift":
            return self.answer(404, {"error": "not found"})
        with LOCK:
            self.answer(200, seen)

    def do_POST(self):
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/score":
            return self.answer(404, {"error": "not found"})
        try:
            body = json.loads(data)
        except ValueError:
            body = None
        if isinstance(body, dict) and isinstance(body.get("ids"), list):
            rows = [fetched(key) for key in body["ids"]]
            unknown = [key for key, row in zip(body["ids"], rows) if row is None]
            if unknown:
                return self.answer(424, {"unknown": unknown})
        else:
            rows = body.get("rows") if isinstance(body, dict) else None
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            return self.answer(400, {"error": "invalid"})
        errors = []
        for number, row in enumerate(rows):
            for name in sorted(row):
                whole = isinstance(row[name], int) and not isinstance(row[name], bool)
                if name not in FEATURES or not (row[name] is None or whole):
                    errors.append({"row": number, "field": name})
        if errors:
            return self.answer(422, {"errors": errors})
        scores = [MODEL["bias"] + sum(points(n, row.get(n)) for n in FEATURES) for row in rows]
        labels = ["review" if score >= MODEL["cut"] else "pass" for score in scores]
        with LOCK:
            seen["rows"] += len(rows)
            seen["review"] += labels.count("review")
            for name in FEATURES:
                seen["missing"][name] += sum(row.get(name) is None for row in rows)
        self.answer(200, {"scores": scores, "labels": labels})


ThreadingHTTPServer(("127.0.0.1", @port), Service).serve_forever()
"""
GOAL = (
    "{Deploy|Serve} the points model {model} as {contract} {says|lays down}: {write|build} the "
    "service.",
    "{Risk|The risk desk} wants {scores|its scores} over HTTP. The model is {model}, the "
    "{agreement|contract} {contract}, {and|but} the service is {missing|still to be written}.",
    "{Put|Bring} {model} into {production|service}: {contract} {describes|fixes} the interface "
    "that {callers|clients} {rely on|expect}.",
    "{contract} {promises|announces} a scoring service for {model}. {Write|Implement} it.",
    "A {fitted|finished} model {lies|waits} in {model}; {wrap|put} it {into|in} the HTTP "
    "service {specified|described} by {contract}.",
    "{Clients|Two teams} {are|stand} ready to call what {contract} {specifies|describes}. "
    "{Provide|Write} it, {scoring|answering} with {model}.",
)
START = (
    "{start} {starts|launches} {it|everything}, {called|run} by a user without {root|special} "
    "rights.",
    "{Have|Let} {start} bring up {all|whatever} it needs; root rights {are not|will not be} given.",
    "It is {launched|started} with {start} {on|by} an unprivileged account and {keeps|must "
    "keep} running.",
    "The {deployment|platform} {runs|calls} {start} as an {ordinary|unprivileged} user, "
    "{in|from} any directory.",
    "{Provide|Add} {start}, a script that an unprivileged user {can|may} {start|run} to get it "
    "all up.",
    "{Everything|All that runs} {comes|has to come} up by {start}, run {without|free of} root "
    "rights.",
)
KEEP = (
    "{model} {stays|remains} {unchanged|as it is}: it is {replaced|exchanged} {now and "
    "then|from time to time}, so {read|load} it when the service starts.",
    "{Load|Read} {model} at the start {instead of|rather than} {copying|baking in} its numbers, "
    "and {leave|keep} it {unchanged|as it is}.",
    "The {numbers|points} {belong|live} in {model}, {read|loaded} at start-up; {the file|it} "
    "{is not to be|must not be} {changed|edited}.",
    "{Do not|Never} {edit|touch} {model}; the service {reads|loads} it on {starting|start-up}.",
    "{At|On} start-up it {loads|takes} {model}, which {nobody|no one} {changes|edits} {here|in "
    "this task}.",
    "{Take|Keep} {model} as {given|it is}, {and|but} read it {anew|again} {whenever|each time} "
    "the service {starts|is started}.",
)


def drawn(names: list[str], rng: Rng, *, missing: bool) -> dict[str, Any]:
    """Return a model; its cut is set later, to the score of some row."""
    features: dict[str, Any] = {}
    for name in names:
        edges = sorted(rng.sample(range(5, 95), 3))
        features[name] = {"edges": edges, "points": [rng.integer(-20, 60) for _ in range(4)]}
        if missing:
            features[name]["missing"] = rng.integer(1, 30)
    return {"bias": rng.integer(3, 40), "cut": 0, "features": features}


def row(model: dict[str, Any], rng: Rng) -> Row:
    """Return a row, every third value at an edge."""
    made = {}
    for name, feature in model["features"].items():
        edge = rng.chance(0.35)
        made[name] = rng.choice(feature["edges"]) if edge else rng.integer(0, 100)
    return made


def score(model: dict[str, Any], row: Row) -> int:
    """Return the points of a row."""
    total = int(model["bias"])
    for name, feature in model["features"].items():
        value = row.get(name)
        if value is None:
            total += feature.get("missing", 0)
        else:
            total += feature["points"][sum(edge <= value for edge in feature["edges"])]
    return total

"""Contract, feed and reference boards of the passage-board family, as text."""

from __future__ import annotations

CONTRACT = {
    "head": """\
# Passages

A passage is one item that goes by: it has a tick (a whole number, 0 or more) and a class, one of
@kinds.

The board listens on port @port of 127.0.0.1: HTTP/1.1, JSON bodies
(`Content-Type: application/json`).

- `GET /counts?from=a&to=b`: status 200 and `{"counts": {...}, "total": n}`, the passages with
  a <= tick < b. `counts` has all classes, those without a passage with 0.
- Any other path: status 404 and `{"error": "not found"}`.
""",
    "busiest": """\
- `GET /busiest?width=w`: status 200 and `{"from": t, "total": n}`: of all windows t <= tick < t + w
  that begin with the tick of a passage, the one with most passages; of several, the earliest.
""",
    "series": """\
- `GET /series?size=s`: status 200 and `{"series": [...]}`, the number of passages with
  0 <= tick < s, s <= tick < 2 * s and so on, up to the stretch of the last passage.
""",
    "errors": """\
- Status 400 and `{"error": "invalid"}` where a parameter is missing or is not made of the digits 0
  to 9 alone, where `to` is below `from`, and where `width` or `size` is 0.
""",
    "feed": """\

## The feed

`python3 @feed` serves the passages on port @source of 127.0.0.1: `GET /passages?after=n`
answers `{"passages": [[id, tick, class], ...], "after": m}`, at most @page records. Begin with
`after=0`; with `after=m` the next records come. An empty list says that there are no more.
Ticks are not always in order.
""",
    "twice": """\
The feed delivers a record at least once: the same id may come again, and counts once.
""",
    "flaky": """\
The feed refuses every new `after` once, with status 503; asked again, it answers.
""",
    "withdrawn": """\
A record whose class is `null` withdraws the passage of that id, which came before: it does not
count.
""",
    "live": """\
The feed goes on: after `POST /advance` it has more records, behind those that it had. Each answer
of the board covers all records that the feed has when the board is asked.
""",
    "film": """\

## The film

A camera above a belt took @film: AVI, not compressed, 8 bits a pixel (gray), @wide pixels wide. The
first frame is tick 0, the second one tick 1, and so on. The belt is dark, at a level of about
@dark; items are rectangles of one level each, and @classes has the level of every class. All levels
are off by @noise at most. Items come from the left, go to the right or stand still, and never
touch.

An item passes in the first frame in which it covers a pixel of column x = @line; the leftmost
column is x = 0.
""",
    "lanes": """\
There are two lanes, the upper @lane rows and the lower @lane rows, and each moves by itself.
""",
}
FEED = """\
import json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDS = [json.loads(line) for line in open(os.path.join(HERE, "records.jsonl"))]
FLAKY, PAGE, ready, asked = @flaky, @page, @ready, set()


class Feed(BaseHTTPRequestHandler):
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
        after = parse_qs(url.query).get("after", ["0"])[0]
        if url.path != "/passages" or not after.isdigit():
            self.answer(404, {"error": "not found"})
        elif FLAKY and after not in asked:
            asked.add(after)
            self.answer(503, {"error": "busy"})
        else:
            found = RECORDS[int(after):ready][:PAGE]
            self.answer(200, {"passages": found, "after": int(after) + len(found)})

    def do_POST(self):
        global ready
        ready = len(RECORDS)
        self.answer(200, {"records": ready})


ThreadingHTTPServer(("127.0.0.1", @source), Feed).serve_forever()
"""
FROM_FEED = """\
import urllib.error
import urllib.request

known, after = {}, 0


def fetch():
    for _ in range(300):
        try:
            url = f"http://127.0.0.1:@source/passages?after={after}"
            return json.load(urllib.request.urlopen(url, timeout=5))
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
        except OSError:
            time.sleep(0.02)
    raise OSError("the feed does not answer")


def passages():
    global after
    while True:
        page = fetch()
        if not page["passages"]:
            return sorted(p for p in known.values() if p)
        after = page["after"]
        for number, tick, kind in page["passages"]:
            if kind is None:
                known[number] = None
            else:
                known.setdefault(number, (tick, kind))
"""
FROM_FILM = """\
LEVELS = json.load(open("@classes"))
found = []
width, height, frames, pixel = film("@film")
for lane in range(height // @lane):
    before = None
    for tick, frame in enumerate(frames):
        level = pixel(frame, @line, lane * @lane + 2)
        near = [kind for kind in LEVELS if abs(LEVELS[kind] - level) <= @noise]
        if near and not before:
            found.append((tick, near[0]))
        before = near


def passages():
    return sorted(found)
"""
LISTS = """\
def counts(events, start, end):
    inside = [kind for tick, kind in events if start <= tick < end]
    return {"counts": {kind: inside.count(kind) for kind in KINDS}, "total": len(inside)}


def busiest(events, width):
    sums = [(sum(t <= tick < t + width for tick, _ in events), -t) for t, _ in events]
    total, start = max(sums)
    return {"from": -start, "total": total}


def series(events, size):
    sums = [0] * (max(events)[0] // size + 1)
    for tick, _ in events:
        sums[tick // size] += 1
    return {"series": sums}
"""
TABLES = """\
import sqlite3


def asked(events, query, *values):
    with sqlite3.connect(":memory:") as db:
        db.execute("create table p (tick integer, kind text)")
        db.executemany("insert into p values (?, ?)", events)
        return db.execute(query, values).fetchall()


def counts(events, start, end):
    query = "select kind, count(*) from p where tick >= ? and tick < ? group by kind"
    found = dict(asked(events, query, start, end))
    return {"counts": {k: found.get(k, 0) for k in KINDS}, "total": sum(found.values())}


def busiest(events, width):
    start, total = asked(events, "select a.tick, (select count(*) from p b where b.tick >= a.tick "
                         "and b.tick < a.tick + ?) n from p a order by n desc, a.tick", width)[0]
    return {"from": start, "total": total}


def series(events, size):
    found = dict(asked(events, "select tick / ?, count(*) from p group by 1", size))
    return {"series": [found.get(n, 0) for n in range(max(found) + 1)]}
"""
BOARD = """\
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

KINDS = @names
@reader

@figures

ASKED = {"/counts": ("from", "to"), "/busiest": ("width",), "/series": ("size",)}
HOW = {"/counts": counts, "/busiest": busiest, "/series": series}
lock = threading.Lock()


def answer(target):
    url = urlsplit(target)
    if url.path not in ASKED:
        return 404, {"error": "not found"}
    query = parse_qs(url.query, keep_blank_values=True)
    given = [query.get(name, [""])[0] for name in ASKED[url.path]]
    if not all(re.fullmatch("[0-9]+", value) for value in given):
        return 400, {"error": "invalid"}
    values = [int(value) for value in given]
    if values[0] > values[-1] or (len(values) == 1 and not values[0]):
        return 400, {"error": "invalid"}
    with lock:
        return 200, HOW[url.path](passages(), *values)


class Board(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        status, body = answer(self.path)
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


ThreadingHTTPServer(("127.0.0.1", @port), Board).serve_forever()
"""

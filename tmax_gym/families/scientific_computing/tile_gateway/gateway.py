"""Contract, upstream services, reference gateway and words of the tile-gateway family."""

from __future__ import annotations

SIDE = 4
"""Cells of a tile's side."""
CONTRACT = {
    "head": """\
# Box statistics

The field is cut into tiles of 4 x 4 cells. `python3 @tiles` serves them on port @source of
127.0.0.1: `GET /tile/<i>/<j>` answers `{"cells": [[...], ...]}`, four rows of four whole numbers;
the cell in row r and column c of tile (i, j) is the cell x = 4*i + c, y = 4*j + r of the field,
which is @wide cells wide and @high high.

The gateway listens on port @port of 127.0.0.1, HTTP/1.1, JSON bodies
(`Content-Type: application/json`).

- `GET /box?x0=&x1=&y0=&y1=`: the cells with x0 <= x < x1 and y0 <= y < y1. Status 200 and
  `{"count": n, "sum": ..., "min": ..., "max": ...}`.
- Any other path: status 404 and `{"error": "not found"}`.
""",
    "gaps": """\
- A cell may be `null`: it is not counted. Where no cell counts, `sum` is 0 and `min` and `max`
  are `null`.
""",
    "retry": """\
- The tile service is not steady: it refuses a tile with status 503 the first time that it is
  asked for it. The gateway tries again; its own clients never see that.
""",
    "scale": """\
- `python3 @calibration` serves the scales on port @second: `GET /column/<i>` answers
  `{"gain": g, "offset": o}` for the tiles (i, ...). Every value v means g * v + o; all figures of
  the gateway are of such values.
""",
    "errors": """\
- Status 400 and `{"error": "invalid"}` where one of the four is missing or not a whole number,
  where the box is empty, and where it reaches beyond the field.
""",
    "profile": """\
- `GET /profile?y=`: status 200 and `{"values": [...]}`, the line y of the field from x = 0 on,
  `null` for a cell that is not counted.
""",
}
UPSTREAM = """\
import json, os, re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DATA = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "@data")))
FLAKY, asked = @flaky, set()


class Upstream(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        status, body = 200, DATA.get(re.sub(r"^/[a-z]+/", "", self.path))
        if body is None:
            status, body = 404, {"error": "not found"}
        elif FLAKY and self.path not in asked:
            asked.add(self.path)
            status, body = 503, {"error": "busy"}
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


ThreadingHTTPServer(("127.0.0.1", @at), Upstream).serve_forever()
"""
GATEWAY = """\
import functools, json, re, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

WIDE, HIGH, SCALED = @wide, @high, @scaled


@functools.lru_cache(maxsize=None)
def fetch(port, path):
    for _ in range(300):
        try:
            return json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5))
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
        except OSError:
            time.sleep(0.02)
    raise OSError(path)


def cell(x, y):
    raw = fetch(@source, f"/tile/{x // 4}/{y // 4}")["cells"][y % 4][x % 4]
    if raw is None or not SCALED:
        return raw
    scale = fetch(@second, f"/column/{x // 4}")
    return scale["gain"] * raw + scale["offset"]


def box(query):
    edges = [query.get(name, [""])[0] for name in ("x0", "x1", "y0", "y1")]
    if not all(re.fullmatch(r"-?[0-9]+", edge) for edge in edges):
        return 400, {"error": "invalid"}
    x0, x1, y0, y1 = map(int, edges)
    if not (0 <= x0 < x1 <= WIDE and 0 <= y0 < y1 <= HIGH):
        return 400, {"error": "invalid"}
    found = [cell(x, y) for y in range(y0, y1) for x in range(x0, x1)]
    found = [value for value in found if value is not None]
    ends = {"min": min(found, default=None), "max": max(found, default=None)}
    return 200, {"count": len(found), "sum": sum(found), **ends}


class Gateway(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/box":
            status, body = box(parse_qs(url.query))
        elif url.path == "/profile":
            line = int(parse_qs(url.query)["y"][0])
            status, body = 200, {"values": [cell(x, line) for x in range(WIDE)]}
        else:
            status, body = 404, {"error": "not found"}
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


ThreadingHTTPServer(("127.0.0.1", @port), Gateway).serve_forever()
"""
GOAL = (
    "The {measure} field {lies|is kept} in tiles behind {several|small} services. {contract} "
    "{describes|specifies} a gateway for statistics {of|over} boxes; {write|build} it.",
    "{Write|Implement} the gateway {of|in} {contract}: it {collects|gathers} tiles of {measure} "
    "and {answers|replies} for any box.",
    "{Nobody|No one} wants to {fetch|stitch} tiles of {measure} by hand. {Build|Make} what "
    "{contract} {describes|asks for}.",
    "{contract} is {ours|ready} to be {implemented|built}: box {figures|statistics} of "
    "{measure}, {computed|put together} from a tile service.",
    "{Modellers|Our modellers} {ask|call} for {measure} {by|per} box, the archive "
    "{speaks|knows} tiles. {Bridge|Close} the gap {as|the way} {contract} {says|has it}.",
    "{We|The group} need the {aggregation|box} service of {contract} {in front of|before} the "
    "{measure} tiles; {please write|implement} it.",
)
START = (
    "{start} {has to|must} start the gateway and the services {behind it|it needs}, as an "
    "unprivileged user.",
    "{One|A single} script, {start}, {brings up|starts} {all of it|gateway and services} "
    "without root rights.",
    "For {an ordinary|any} user, {start} {leaves|gets} the whole stack {up|running}.",
    "The stack {comes up|starts}, gateway included, {by|through} {start}, {run|called} without "
    "{root rights|privileges}.",
    "{Everything starts|All services start} from {start}, {under|by} an unprivileged "
    "{account|user}.",
    "{Put|Write} {start}: whoever {runs|calls} it, {not|never} root, {has|gets} gateway and "
    "services.",
)
KEEP = (
    "{Services|The services} and {data|their data} in {home} {stay|remain} as they are.",
    "{Leave|Keep} what is in {home} {unchanged|untouched}.",
    "{Nothing|No file} below {home} may {change|be edited}.",
    "{home} is {run|looked after} by {another|a different} group: {change|touch} nothing in it.",
    "{Just use|Only call} what {lies|is} in {home}; {editing|changing} it {is out|is not allowed}.",
    "The {programs|files} of {home} are {given|fixed}, {not|never} to be edited.",
)

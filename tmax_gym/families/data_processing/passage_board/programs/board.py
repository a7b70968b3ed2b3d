import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

KINDS = HOLE("@names")
HOLE("@reader")

HOLE("@figures")

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


ThreadingHTTPServer(("127.0.0.1", HOLE("@port")), Board).serve_forever()

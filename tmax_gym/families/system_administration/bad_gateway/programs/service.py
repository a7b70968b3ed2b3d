"""Back-end service: answers /items/<code> from its data file."""
import json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAME = sys.argv[1]
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), NAME)
SETTINGS = json.load(open(os.path.join(HERE, "settings.json")))
DATA = json.load(open(os.path.join(HERE, "data.json")))


class Service(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        head, _, code = self.path.rpartition("/")
        known = head == "/items" and code in DATA
        body = {"error": "unknown"}
        if known:
            trace = self.headers.get("X-Request-Id", "")
            body = {"service": NAME, "code": code, "amount": DATA[code], "trace": trace}
        data = json.dumps(body).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


ThreadingHTTPServer(("127.0.0.1", SETTINGS["port"]), Service).serve_forever()

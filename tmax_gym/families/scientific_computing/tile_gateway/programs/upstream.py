import json, os, re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DATA = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "@data")))
FLAKY, asked = HOLE("@flaky"), set()


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


ThreadingHTTPServer(("127.0.0.1", HOLE("@at")), Upstream).serve_forever()

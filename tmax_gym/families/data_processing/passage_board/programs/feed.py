import json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDS = [json.loads(line) for line in open(os.path.join(HERE, "records.jsonl"))]
FLAKY, PAGE, ready, asked = HOLE("@flaky"), HOLE("@page"), HOLE("@ready"), set()


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


ThreadingHTTPServer(("127.0.0.1", HOLE("@source")), Feed).serve_forever()

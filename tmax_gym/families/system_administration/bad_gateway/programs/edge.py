"""Edge proxy: passes requests on to the service whose prefix matches first."""
import http.client, json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIG = json.load(open(os.path.join(HERE, "routes.json")))


class Edge(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        for route in CONFIG["routes"]:
            prefix = route["prefix"]
            if self.path == prefix or self.path.startswith(prefix.rstrip("/") + "/"):
                break
        else:
            return self.reply(404, b'{"error": "no route"}')
        path = self.path[len(prefix):] if route["strip"] else self.path
        kept = {h: self.headers[h] for h in route["forward"] if h in self.headers}
        try:
            link = http.client.HTTPConnection("127.0.0.1", route["upstream"], timeout=2)
            link.request("GET", path or "/", headers=kept)
            answer = link.getresponse()
            self.reply(answer.status, answer.read())
        except OSError:
            self.reply(502, b'{"error": "bad gateway"}')


ThreadingHTTPServer(("127.0.0.1", CONFIG["listen"]), Edge).serve_forever()

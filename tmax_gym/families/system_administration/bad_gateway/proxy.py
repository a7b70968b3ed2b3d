"""Programs and notes of the bad-gateway family: an edge proxy, a service, their topology."""

from __future__ import annotations

EDGE = '''\
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
'''
SERVICE = '''\
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
'''
START = """\
#!/bin/bash
# Brings up every service, then the edge.
cd "$(dirname "$0")"
SERVICES="@services"
for name in $SERVICES; do
  python3 services/serve.py "$name" &
done
for name in $SERVICES; do
  port=$(tr -dc 0-9 < "services/$name/settings.json")
  until (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do sleep 0.05; done
done
exec python3 edge/edge.py
"""
NOTES = """\
# How it hangs together

Clients speak to the edge (`edge/edge.py`, port @listen), which passes `/<service>/items/<code>`
on to `/items/<code>` of that service: the prefix is stripped on the way. The edge hands the
header `X-Request-Id` through on every route. Routes are tried in the order of
`edge/routes.json`; the first whose prefix matches wins.

Each service has a directory below `services/` with its `settings.json` (the port given there is
right) and its data. The services are: @services.
"""

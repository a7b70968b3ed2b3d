"""Runs a probe beside a little service that answers as the case says, or not at all.

Reads one JSON object from standard input: {"script", "arguments", "variables", "port", "target",
"headers", "status", "body", "mode": "answer", "silent" or "closed"}.  Prints what the probe prints,
and ends with its status.
"""

import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CASE = json.load(sys.stdin)
LONGEST = 4.0


class Answer(BaseHTTPRequestHandler):
    """Answers the one right request."""

    def log_message(self, *_):
        """Keep quiet."""

    def do_GET(self):
        """Send the answer of the case, or an error for another target."""
        if CASE["mode"] == "silent":
            time.sleep(2 * LONGEST)
            return
        right = self.path == CASE["target"]
        right = right and all(self.headers.get(k) == v for k, v in CASE["headers"].items())
        body = CASE["body"].encode() if right else b"{}"
        self.send_response(CASE["status"] if right else 418)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if CASE["mode"] != "closed":
    server = ThreadingHTTPServer(("127.0.0.1", CASE["port"]), Answer)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
try:
    ended = subprocess.run(
        [CASE["script"], *CASE["arguments"]],
        env={**os.environ, **CASE["variables"]},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=LONGEST,
    )
except (OSError, subprocess.TimeoutExpired):
    sys.exit(125)
sys.stdout.buffer.write(ended.stdout)
sys.exit(ended.returncode % 256)

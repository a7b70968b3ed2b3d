"""Serve runs to a browser on this machine: the report, a page for every trial, recordings.

Runs are read again for every page, so that a run in progress can be watched.  It is made for one
or a few readers at 127.0.0.1, and must not be opened to a network.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tmax_gym.bench.records import TrialRecord
from tmax_gym.bench.reports.casts import cast
from tmax_gym.bench.reports.drilldown import anchor, trial_html
from tmax_gym.bench.reports.html import make, page, trial_page
from tmax_gym.bench.reports.loading import load
from tmax_gym.bench.reports.texts import csv_text
from tmax_gym.errors import BenchError

LOOPBACK = "127.0.0.1"
WHOLE = 200_000
"""Largest number of characters of one output on a trial's own page."""
_HOSTS = frozenset({LOOPBACK, "localhost", "[::1]"})


class Viewer(ThreadingHTTPServer):
    """Serves some runs."""

    daemon_threads = True

    def __init__(self, paths: Sequence[Path], *, port: int = 0, published: str = "") -> None:
        """Bind to 127.0.0.1.

        Raises:
            BenchError: The port is taken, or a path holds no run.
        """
        self.paths = tuple(paths)
        self.published = published
        for path in self.paths:
            load(path)
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except OSError as error:
            raise BenchError(
                f"port {port} cannot be served: {error.strerror}. Try --port 0"
            ) from error

    @property
    def url(self) -> str:
        """Return the address of the report."""
        return f"http://{LOOPBACK}:{self.server_address[1]}/"

    def page(self, place: str) -> tuple[str, str] | None:
        """Return the type and the content of a page; None if there is no such page."""
        runs = [load(path) for path in self.paths]
        if place == "/":
            report = make(runs, published=self.published)

            def link(run: int, record: TrialRecord) -> str:
                return f"/trial/{anchor(run, record)}"

            return "text/html", page(report, link=link)
        if place == "/trials.csv":
            return "text/csv", csv_text(runs)
        kind, _, name = place.strip("/").partition("/")
        for n, run in enumerate(runs):
            for record in run.records:
                if name == anchor(n, record) and kind == "trial":
                    title = f"{record.task} #{record.attempt} · {run.name}"
                    recording = f"/cast/{name}.cast"
                    shown = trial_page(
                        title, trial_html(n, record, shown=WHOLE), recording=recording
                    )
                    return "text/html", shown
                if name == f"{anchor(n, record)}.cast" and kind == "cast":
                    return "application/x-asciicast", cast(record)
        return None


class _Handler(BaseHTTPRequestHandler):
    server: Viewer

    def do_GET(self) -> None:
        """Answer with a page, or 404."""
        host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
        if host not in _HOSTS:  # so that no other site reads this one by a name that it owns
            self._send(403, "text/plain", "only this machine may read this\n")
            return
        try:
            content = self.server.page(unquote(urlsplit(self.path).path))
        except BenchError as error:
            self._send(500, "text/plain", f"{error}\n")
            return
        if content is None:
            self._send(404, "text/plain", "there is no such page\n")
        else:
            self._send(200, *content)

    def _send(self, status: int, kind: str, text: str) -> None:
        data = text.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def serving(viewer: Viewer) -> Iterator[Viewer]:
    """Serve in the background until the block ends."""
    thread = threading.Thread(target=viewer.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield viewer
    finally:
        viewer.shutdown()
        viewer.server_close()
        thread.join()

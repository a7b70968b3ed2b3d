"""Script: removes the containers that have a label, for a `Watcher` whose owner has ended.

`remove_containers.py SOCKET KEY=VALUE closed|ended`.  It needs the standard library only.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import sys
import time
from urllib.parse import quote

_TIMEOUT = 30.0
_PAUSES = (0.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before each look: a container may still be in the making, which takes 30 at most
(`engine.TIMEOUT`), and the engine may be starting again."""


class _Connection(http.client.HTTPConnection):
    """HTTP over a local socket."""

    def __init__(self, path: str) -> None:
        super().__init__("engine", timeout=_TIMEOUT)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _call(path: str, method: str, url: str) -> bytes:
    connection = _Connection(path)
    try:
        connection.request(method, url)
        return connection.getresponse().read()
    finally:
        connection.close()


def _remove(path: str, label: str) -> None:
    filters = quote(json.dumps({"label": [label]}))
    for container in json.loads(_call(path, "GET", f"/containers/json?all=1&filters={filters}")):
        _call(path, "DELETE", f"/containers/{container['Id']}?force=1&v=1")


def _main(path: str, label: str, cause: str) -> None:
    for pause in _PAUSES:
        time.sleep(pause)
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            _remove(path, label)
            if cause == "closed":
                return  # the owner lives: it waits for this, and makes no more


if __name__ == "__main__":
    _main(*sys.argv[1:])

"""The stack of the will-not-start family: one small service, its settings, ways to break them."""

from __future__ import annotations

SERVICE = '''\
"""One service of the stack: a table behind HTTP; the front hands questions on."""

import csv
import json
import os
import socket
import sys
import threading
import time

NAME, HOME = os.environ["NAME"], os.environ["HOME_DIR"]
HOLD = f"{HOME}/run/{NAME}.hold"
if os.path.exists(HOLD):
    sys.exit(f"{HOLD} exists: {NAME} is being deployed")
with open(f"{HOME}/conf/{NAME}.json") as file:
    settings = json.load(file)
with open(os.path.join(HOME, os.environ["DATA"])) as file:
    table = {row["key"]: row["value"] for row in csv.DictReader(file)}


def handed_on(name, key):
    for _ in range(20):
        try:
            with socket.create_connection(("127.0.0.1", settings["needs"][name])) as link:
                link.sendall(f"GET /{key} HTTP/1.0\\r\\n\\r\\n".encode())
                said = b"".join(iter(lambda: link.recv(65536), b""))
                return said.partition(b" ")[2][:3].decode(), said.partition(b"\\r\\n\\r\\n")[2]
        except OSError:
            time.sleep(0.02)
    return "502", f"{name} does not answer\\n".encode()


def answer(path):
    parts = path.strip("/").split("/")
    if parts == ["health"]:
        return "200", f"{NAME} ok\\n".encode()
    if len(parts) == 2 and parts[0] in settings["needs"]:
        return handed_on(*parts)
    if len(parts) == 1 and parts[0] in table:
        return "200", f"{table[parts[0]]} {settings['unit']}\\n".encode()
    return "404", b"nothing here\\n"


def serve(link):
    with link:
        data = b""
        while b"\\r\\n\\r\\n" not in data:
            chunk = link.recv(65536)
            if not chunk:
                return
            data += chunk
        status, body = answer(data.split(b" ")[1].decode())
        head = f"HTTP/1.1 {status} -\\r\\nConnection: close\\r\\nContent-Length: {len(body)}"
        link.sendall(head.encode() + b"\\r\\n\\r\\n" + body)


listener = socket.create_server(("127.0.0.1", int(os.environ["PORT"])), backlog=64)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
'''
START = """\
#!/bin/bash
# Starts every service, the front last; the others end with it.  Complaints are in logs/.
export HOME_DIR=@home
run() {
  set -a
  NAME=$1
  . $HOME_DIR/conf/$1.env
  exec python3 -S -E $HOME_DIR/services/$1/run.py
}
for file in $HOME_DIR/conf/*.env; do
  name=$(basename $file .env)
  [ $name = @front ] || run $name > $HOME_DIR/logs/$name.log 2>&1 &
done
(run @front > $HOME_DIR/logs/@front.log 2>&1)
kill $(jobs -p) 2> /dev/null
"""
STOP = """\
#!/bin/bash
# Stops every service.
pkill -f @home/services/
"""
SHEET = """\
# The stack

@rows

`conf/NAME.env` has the port (PORT) and the table (DATA, below this directory) of a service,
`conf/NAME.json` its unit and, for the front, the ports of the others. A deployment puts up
`run/NAME.hold` and takes it away when it is through, a minute later; until then the service
refuses to start. No deployment is running now.
Programs use Python's own library and nothing else. `start.sh` starts all services, and each
leaves its complaints in `logs/`.
"""
FAULTS = ("hold", "env", "path", "shadow", "crlf", "syntax", "port")
"""Kinds of fault; the last one lets the service start, where nobody looks for it."""
REPAIR = {
    "hold": "rm {home}/run/{name}.hold",
    "env": "echo DATA=data/{name}.csv >> {home}/conf/{name}.env",
    "path": "sed -i 's|^DATA=.*|DATA=data/{name}.csv|' {home}/conf/{name}.env",
    "shadow": "rm {home}/services/{name}/csv.py",
    "crlf": "sed -i 's/\\r$//' {home}/conf/{name}.env",
    "port": "sed -i 's/^PORT=.*/PORT={port}/' {home}/conf/{name}.env",
}
SHADOW = '"""Notes on the export format; see the wiki."""\n\nDELIMITER = ";"\n'

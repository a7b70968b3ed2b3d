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
                link.sendall(f"GET /{key} HTTP/1.0\r\n\r\n".encode())
                said = b"".join(iter(lambda: link.recv(65536), b""))
                return said.partition(b" ")[2][:3].decode(), said.partition(b"\r\n\r\n")[2]
        except OSError:
            time.sleep(0.02)
    return "502", f"{name} does not answer\n".encode()


def answer(path):
    parts = path.strip("/").split("/")
    if parts == ["health"]:
        return "200", f"{NAME} ok\n".encode()
    if len(parts) == 2 and parts[0] in settings["needs"]:
        return handed_on(*parts)
    if len(parts) == 1 and parts[0] in table:
        return "200", f"{table[parts[0]]} {settings['unit']}\n".encode()
    return "404", b"nothing here\n"


def serve(link):
    with link:
        data = b""
        while b"\r\n\r\n" not in data:
            chunk = link.recv(65536)
            if not chunk:
                return
            data += chunk
        status, body = answer(data.split(b" ")[1].decode())
        head = f"HTTP/1.1 {status} -\r\nConnection: close\r\nContent-Length: {len(body)}"
        link.sendall(head.encode() + b"\r\n\r\n" + body)


listener = socket.create_server(("127.0.0.1", int(os.environ["PORT"])), backlog=64)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

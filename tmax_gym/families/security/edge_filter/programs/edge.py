"""The edge: refuses what rules.json says, hands the rest to the upstream."""

import json
import re
import socket
import threading
import time
from urllib.parse import unquote_to_bytes

PORT, UPSTREAM = HOLE("@port"), HOLE("@upstream")
RULES = json.load(open("@rules"))


def decoded(value, passes, plus=False):
    for _ in range(passes):
        value = unquote_to_bytes(value.replace("+", " ") if plus else value).decode("latin-1")
        plus = False
    return value


def parts(rule, request):
    method, path, query, headers = request
    part, passes = rule["part"], rule.get("decode", 0)
    if part == "method":
        return [method]
    if part == "path":
        return [decoded(path, passes)]
    if part == "query":
        values = [pair.partition("=")[2] for pair in query.split("&") if pair]
        return [decoded(value, passes, plus=True) for value in values]
    return [headers.get(part.partition(":")[2].lower(), "")]


def found(rule, request):
    return any(re.search(rule["pattern"], value) for value in parts(rule, request))


def refused(request):
    return any(
        found(rule, request) and not ("unless" in rule and found(rule["unless"], request))
        for rule in RULES
    )


def received(link):
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = link.recv(65536)
        if not chunk:
            return data
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    size = re.search(rb"(?i)\ncontent-length: *([0-9]+)", head)
    while size and len(body) < int(size[1]):
        body += link.recv(65536)
    return head + b"\r\n\r\n" + body


def upstream(data):
    for _ in range(200):
        try:
            with socket.create_connection(("127.0.0.1", UPSTREAM)) as link:
                link.sendall(data)
                link.shutdown(socket.SHUT_WR)
                return b"".join(iter(lambda: link.recv(65536), b""))
        except ConnectionRefusedError:
            time.sleep(0.01)


def serve(link):
    with link:
        data = received(link)
        lines = data.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
        if lines[0].count(" ") != 2:
            return
        method, target, _ = lines[0].split(" ")
        path, _, query = target.partition("?")
        headers = {n.lower(): v.strip() for n, _, v in (row.partition(":") for row in lines[1:])}
        if refused((method, path, query, headers)):
            link.sendall(b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\n"
                         b"Content-Length: 8\r\n\r\nrefused\n")
        else:
            link.sendall(upstream(data))


listener = socket.create_server(("127.0.0.1", PORT), backlog=64)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

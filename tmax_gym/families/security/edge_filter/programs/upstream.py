"""The application behind the edge: answers whatever reaches it."""

import socket

listener = socket.create_server(("127.0.0.1", HOLE("@upstream")), backlog=64)
while True:
    link, _ = listener.accept()
    with link:
        data = b"".join(iter(lambda: link.recv(65536), b""))
        line = data.split(b"\r\n", 1)[0]
        body = b"@name: " + line.rpartition(b" ")[0] + b"\n"
        if line.startswith(b"HEAD "):
            body = b""
        link.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                     % (len(body), body))

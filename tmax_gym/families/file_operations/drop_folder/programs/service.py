import glob, json, os, socket, threading
HERE = os.path.dirname(os.path.abspath(__file__))
STORE = HERE + "/store"
refusals, methods = [], {}
def where(name):
    with socket.create_connection(("127.0.0.1", HOLE("@catalog"))) as link, link.makefile("rw") as lines:
        lines.write(f"WHERE {name.rpartition('.')[2]}\n")
        lines.flush()
        answer = lines.readline().split()
    return (answer[0], int(answer[1])) if len(answer) == 2 else None
def place(name):
    kind = where(name)
    return f"{STORE}/{kind[0]}/{name}" if kind else ""
def safe(name):
    return bool(name) and "/" not in name and name[0] != "."
for path in sorted(glob.glob(HERE + "/drop.d/*.py")):
    exec(open(path).read())
def serve(link):
    with link:
        data = b""
        while b"\r\n\r\n" not in data:
            more = link.recv(65536)
            if not more:
                return
            data += more
        head, _, body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = dict(l.lower().split(": ", 1) for l in lines if ": " in l)
        while len(body) < int(fields.get("content-length", "0")):
            body += link.recv(65536)
        method, target, _ = first.split(" ")
        act = methods.get(method)
        status, answer = act(target[1:], body) if act else (405, b"")
        head = f"HTTP/1.1 {status} -\r\nContent-Length: {len(answer)}\r\n"
        link.sendall(head.encode() + b"Connection: close\r\n\r\n" + answer)
server = socket.create_server(("127.0.0.1", HOLE("@listen")))
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()

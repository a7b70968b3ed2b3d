"""Catalogue: says which folder takes which kind of file, and up to what size.

A line `WHERE <suffix>` is answered by `<folder> <bytes>`, or by `none`.
"""
import os, socket, threading

KINDS = {}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kinds.txt")) as file:
    for line in file:
        suffix, folder, limit = line.split()
        KINDS[suffix] = f"{folder} {limit}"


def talk(link):
    with link, link.makefile("rw") as lines:
        for line in lines:
            word, _, suffix = line.strip().partition(" ")
            lines.write((KINDS.get(suffix, "none") if word == "WHERE" else "what?") + "\n")
            lines.flush()


server = socket.create_server(("127.0.0.1", HOLE("@catalog")))
while True:
    threading.Thread(target=talk, args=(server.accept()[0],), daemon=True).start()

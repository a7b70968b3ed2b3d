"""The handover notes of the dump-desk family: what each artefact is and how it is laid out.

Covers the formats that no manual describes.  Does not cover the goal, which is in the instruction.
"""

from __future__ import annotations

from tmax_gym.families.debugging.dump_desk.solution import Desk
from tmax_gym.families.debugging.dump_desk.traffic import BASE, PORTS
from tmax_gym.families.shared.sheets import flowed

_NOTES = """\
# Handover

From @person, @org. Everything here was copied from the machines on the night of the incident. The
checksums of the copies are in the log book, so the copies must not be changed.

## capture.pcap

This is traffic of our clients (Ethernet, IPv4), to servers inside and outside our network. Inside
addresses begin with 10. Clients hand over records @wire

## agent.mem

This is the memory of the process that keeps the sessions. @heap When a session has ended, its entry
stays in memory until the space is needed for something else. The same token may have belonged to
somebody else before.

## ledger.db, ledger.wal

This is the SQLite database with the records (table `@table`) and its write-ahead log, which was
called `ledger.db-wal` on the machine. The machine was switched off while the database was being
written, and the log had not been checkpointed. @damage

## stick.img

This is the image of a memory stick with a FAT12 file system and no partition table. Somebody kept a
list on it (a `.CSV` file with the header `code,buyer`) and deleted it more than once.@folder
Nothing was written to the stick after that.
"""
_WIRE = {
    "lines": """\
to server port @port over TCP. A request is `KEEP <record> <token>`, followed by CR LF. Each request
gets one line in reply, in the order of the requests: `250 kept` if the record was taken, or
`452 full` if it was not. A connection can carry several requests.""",
    "http": """\
to server port @port over HTTP/1.1. A request is `POST /drop/<record>` with the token in the cookie
`sid`. The replies come in the order of the requests, with status 201 if the record was taken, or
507 if it was not. A connection can carry several requests.""",
    "datagrams": """\
to server port @port over UDP. A request has 14 bytes: `P`, the number of the request (1 byte), the
token (8 characters), and the record (4 bytes, most significant byte first). A reply has 2 bytes:
`A` if the record was taken or `N` if it was not, and the number of the request. A request can be
sent again, with the same number, until its reply comes. Different requests from one client port
have different numbers.""",
}
_HEAP = {
    "text": "An entry is a string of the form `sid=<token>;login=<login>;state=<state>`. The state "
    "is `open` or `ended`.",
    "wide": "An entry is a string of the form `sid=<token>;login=<login>;state=<state>`. The state "
    "is `open` or `ended`. The program stores its strings in UTF-16 (little-endian).",
    "entries": "The first byte of the image was at address @base. An entry has 24 bytes: `SESS`, "
    "the state (4 bytes, 1 for open and 2 for ended), the token (8 characters), and the address of "
    "the login (8 bytes). Numbers are little-endian, and the login ends with a zero byte.",
}


def notes(desk: Desk, *, person: str, org: str, folder: bool) -> str:
    """Return the text.

    Args:
        desk: What kind of artefacts there are.
        person: Who wrote it.
        org: Where that was.
        folder: Lists were also kept in a folder, which is gone too.
    """
    lost = []
    if desk.blank_magic:
        lost.append("the first 16 bytes of `ledger.db`")
    if desk.blank_log:
        lost.append("the first 4 bytes of `ledger.wal`")
    damage = f"During copying, {' and '.join(lost)} were lost; they are zeros now." if lost else ""
    slots = {
        "@wire": _WIRE[desk.wire].replace("@port", str(PORTS[desk.wire])),
        "@heap": _HEAP[desk.heap].replace("@base", f"{BASE:#x}"),
        "@damage": damage,
        "@folder": " For a time the list was in a folder, which has also been deleted."
        if folder
        else "",
        "@person": person,
        "@org": org,
        "@table": desk.table,
    }
    text = _NOTES
    for name, value in slots.items():
        text = text.replace(name, value)
    return flowed(text)

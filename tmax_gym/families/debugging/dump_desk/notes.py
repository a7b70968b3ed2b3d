"""The handover notes of the dump-desk family: what each artefact is and how it is laid out.

Covers the formats that no manual describes.  Does not cover the goal, which is in the instruction.
"""

from __future__ import annotations

import textwrap

from tmax_gym.families.debugging.dump_desk.solution import Desk
from tmax_gym.families.debugging.dump_desk.traffic import BASE, PORTS

_NOTES = """\
# Handover

@person, @org. Everything here was copied from the machines on the night of the incident. The
checksums are in the log book, so the copies stay as they are.

## capture.pcap

Traffic at our uplink (Ethernet, IPv4). Inside, every address begins with 10. Clients hand over
records @wire

## agent.mem

Memory of the process that keeps the sessions. @heap Entries of sessions that are over stay in
memory until something else needs the room; a token can have been somebody else's before.

## ledger.db, ledger.wal

The SQLite database of the records (table `@table`) and its write-ahead log, which was called
`ledger.db-wal` at home. The machine was switched off while it was being written to, and nobody
had made a checkpoint. @damage

## stick.img

A memory stick, FAT12, no partition table. Somebody kept a list on it (`.CSV`, header `code,buyer`)
and deleted it more than once.@folder Nothing was written to the stick after that.
"""
_WIRE = {
    "lines": """\
by TCP, server port @port. Request: `KEEP <record> <token>`, CR LF. Each gets one
line in reply, in the order of the requests: `250 kept` if the record was taken, `452 full` if not.
A connection carries several of them.""",
    "http": """\
by HTTP/1.1, server port @port. Request: `POST /drop/<record>` with the token as
cookie `sid`. The replies come in the order of the requests: status 201 if the record was taken,
507 if not. A connection carries several of them.""",
    "datagrams": """\
by UDP, server port @port. Request, 14 bytes: `P`, a number of one byte, the token
(8 characters), the record (4 bytes, most significant first). Reply, 2 bytes: `A` if the record was
taken or `N` if not, and the number of the request. A request may be sent again until the reply
comes.""",
}
_HEAP = {
    "text": "An entry is a text, `sid=<token>;login=<login>;state=open` or `state=ended`.",
    "wide": "An entry is a text, `sid=<token>;login=<login>;state=open` or `state=ended`;\n"
    "the program keeps its texts in UTF-16 (little-endian).",
    "entries": "The first byte of the image was at address @base. An entry has 24 bytes,\n"
    "little-endian: `SESS`, the state (4 bytes: 1 open, 2 ended), the token (8 characters), the\n"
    "address of the login (8 bytes), which ends with a zero byte.",
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
    damage = f"While copying, {' and '.join(lost)} were lost: they are zeros now." if lost else ""
    slots = {
        "@wire": _WIRE[desk.wire].replace("@port", str(PORTS[desk.wire])),
        "@heap": _HEAP[desk.heap].replace("@base", f"{BASE:#x}"),
        "@damage": damage,
        "@folder": " For a time it was in a folder, and that is deleted too." if folder else "",
        "@person": person,
        "@org": org,
        "@table": desk.table,
    }
    text = _NOTES
    for name, value in slots.items():
        text = text.replace(name, value)
    parts = [textwrap.fill(part, 96, break_long_words=False) for part in text.split("\n\n")]
    return "\n\n".join(parts) + "\n"

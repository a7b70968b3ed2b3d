"""Traffic of the dump-desk family: three protocols, and the memory of a process.

Covers the wire forms of a request and its answer, captures with traffic of other kinds around
them, and memory images in which sessions lie among other things, the ended ones too.  Does not
cover the packets themselves (`packets.py`).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tmax_gym.families.debugging.dump_desk.packets import (
    Ends,
    Exchange,
    Stamped,
    capture,
    conversation,
    datagram,
)
from tmax_gym.rng import Rng

Wire = Literal["lines", "http", "datagrams"]
Heap = Literal["text", "wide", "entries"]
WIRES: tuple[Wire, ...] = ("lines", "http", "datagrams")
HEAPS: tuple[Heap, ...] = ("text", "wide", "entries")
PORTS = {"lines": 7070, "http": 8080, "datagrams": 9090}
BASE = 0x7F3A_4C00_0000
OPEN, ENDED = 1, 2
FILLER = 90
"""Pieces of other memory between the sessions, about 300 bytes each."""


@dataclass(frozen=True, slots=True)
class Handed:
    """One record that is sent."""

    record: int
    token: str
    kept: bool
    """Whether the other side accepted it."""


@dataclass(frozen=True, slots=True)
class Session:
    """One entry of the table of sessions."""

    token: str
    login: str
    open: bool


def _exchange(wire: Wire, one: Handed, number: int) -> Exchange:
    """Return the bytes of a request and of its answer."""
    if wire == "lines":
        request = f"KEEP {one.record} {one.token}\r\n"
        return request.encode(), b"250 kept\r\n" if one.kept else b"452 full\r\n"
    if wire == "http":
        request = (
            f"POST /drop/{one.record} HTTP/1.1\r\nHost: drop\r\nCookie: sid={one.token}\r\n"
            "Content-Length: 0\r\n\r\n"
        )
        status = b"201 Created" if one.kept else b"507 Insufficient Storage"
        return request.encode(), b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\n\r\n"
    asked = struct.pack(">BB8sI", 0x50, number, one.token.encode(), one.record)
    return asked, struct.pack(">BB", 0x41 if one.kept else 0x4E, number)


def _talk(
    rng: Rng, wire: Wire, ends: Ends, handed: Sequence[Handed], *, start: int, rough: bool
) -> list[Stamped]:
    """Return the frames by which records are handed over."""
    exchanges = [_exchange(wire, one, number) for number, one in enumerate(handed)]
    if wire != "datagrams":
        return conversation(rng, ends, exchanges, start=start, rough=rough)
    captured, now = [], start
    for request, answer in exchanges:
        times = 1 + (rough and rng.chance(0.4))
        frames = [datagram(ends, request)] * times + [datagram(ends.swapped(), answer)]
        for frame in frames:
            captured.append(Stamped(now, frame))
            now += rng.integer(400, 90_000)
    return captured


def traffic(
    rng: Rng, wire: Wire, talks: Sequence[tuple[str, Sequence[Handed]]], *, rough: bool
) -> bytes:
    """Return a capture.

    Args:
        rng: Decides times, ports and what else passes.
        wire: The protocol.
        talks: For every conversation the address of the server, and what it is handed.
        rough: Segments come out of order and twice.
    """
    start = rng.integer(1_767_000_000, 1_780_000_000) * 1_000_000
    frames: list[Stamped] = []
    for number, (server, handed) in enumerate(talks):
        client = f"10.20.{rng.integer(1, 9)}.{rng.integer(11, 240)}"
        ends = Ends(client, 40_000 + 700 * number + rng.integer(0, 600), server, PORTS[wire])
        at = start + rng.integer(0, 60_000_000)
        frames += _talk(rng.fork(number), wire, ends, handed, start=at, rough=rough)
        lookup = rng.bytes(2) + b"\1\0\0\1\0\0\0\0\0\0\4drop\7example\0\0\1\0\1"
        name = Ends(client, rng.integer(50_000, 60_000), "10.20.0.53", 53)
        frames.append(Stamped(at - rng.integer(900, 9_000), datagram(name, lookup)))
    for number in range(4):
        ends = Ends("10.20.3.9", 61_000 + number, f"192.0.2.{rng.integer(3, 200)}", 443)
        noise = [(b"\x16\3\1" + rng.bytes(60), b"\x16\3\3" + rng.bytes(90))]
        at = start + rng.integer(0, 60_000_000)
        frames += conversation(rng.fork("noise", number), ends, noise, start=at, rough=False)
    return capture(frames, big=rng.chance(0.4))


def memory(rng: Rng, heap: Heap, sessions: Sequence[Session], *, words: Sequence[str]) -> bytes:
    """Return an image of a process's memory, `BASE` its first address."""
    out = bytearray(rng.bytes(64))
    spots = sorted(rng.sample(range(FILLER), len(sessions)))
    names: list[tuple[int, Session]] = []
    for number in range(FILLER):
        out += _filler(rng, words)
        if number not in spots:
            continue
        one = sessions[spots.index(number)]
        if heap == "entries":
            # The name lies elsewhere: first all names, their addresses in the entries below.
            names.append((BASE + len(out), one))
            out += one.login.encode() + b"\0"
            continue
        cookie = f"sid={one.token};login={one.login};state={'open' if one.open else 'ended'}"
        out += b"\0\0" + cookie.encode("utf-16-le" if heap == "wide" else "ascii") + b"\0\0"
    for address, one in rng.shuffled(names):
        out += b"\0" * (-len(out) % 8)
        state = OPEN if one.open else ENDED
        out += struct.pack("<4sI8sQ", b"SESS", state, one.token.encode(), address)
        out += _filler(rng, words)
    return bytes(out)


def _filler(rng: Rng, words: Sequence[str]) -> bytes:
    kind = rng.integer(0, 3)
    if kind == 0:
        return b"\0" * rng.integer(40, 600)
    if kind == 1:
        return rng.bytes(rng.integer(60, 400))
    lines = [f"{rng.choice(words)} {rng.integer(1, 900)}" for _ in range(rng.integer(2, 9))]
    return b"\0".join(line.encode() for line in lines) + b"\0" * rng.integer(8, 200)

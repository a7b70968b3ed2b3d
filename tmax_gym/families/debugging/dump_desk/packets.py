"""Packet captures of the dump-desk family: files of the pcap format, written byte by byte.

Covers Ethernet, IPv4, UDP and TCP with their checksums, segments that come twice or out of order,
and both byte orders of the file.  Does not cover options, fragments or IPv6.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tmax_gym.rng import Rng

TCP, UDP = 6, 17
LEAST = 60
"""Bytes of the shortest Ethernet frame, without its check sum: shorter ones are padded."""
Exchange = tuple[bytes, bytes]
"""The bytes that a client sends and the reply; either may be empty."""


@dataclass(frozen=True, slots=True)
class Ends:
    """The two ends of a conversation."""

    client: str
    client_port: int
    server: str
    server_port: int

    def swapped(self) -> Ends:
        """Return the way back."""
        return Ends(self.server, self.server_port, self.client, self.client_port)


@dataclass(frozen=True, slots=True)
class Stamped:
    """A frame and when it passed, in microseconds."""

    at: int
    frame: bytes


def _sum(data: bytes) -> int:
    """Return the Internet checksum (RFC 1071)."""
    padded = data + b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f">{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _address(text: str) -> bytes:
    return bytes(int(part) for part in text.split("."))


def _framed(ends: Ends, protocol: int, body: bytes) -> bytes:
    """Return a frame around a segment whose checksum is still 0."""
    source, target = _address(ends.client), _address(ends.server)
    pseudo = source + target + struct.pack(">BBH", 0, protocol, len(body))
    at = 16 if protocol == TCP else 6
    body = body[:at] + struct.pack(">H", _sum(pseudo + body)) + body[at + 2 :]
    size = 20 + len(body)
    head = struct.pack(">BBHHHBBH", 0x45, 0, size, _sum(body), 0x4000, 64, protocol, 0)
    head = head[:10] + struct.pack(">H", _sum(head + source + target)) + source + target
    frame = b"\2\0" + target + b"\2\0" + source + b"\x08\0" + head + body
    return frame.ljust(LEAST, b"\0")


def datagram(ends: Ends, data: bytes) -> bytes:
    """Return a frame with a UDP datagram."""
    head = struct.pack(">HHHH", ends.client_port, ends.server_port, 8 + len(data), 0)
    return _framed(ends, UDP, head + data)


def _segment(ends: Ends, numbers: tuple[int, int], flags: int, data: bytes = b"") -> bytes:
    head = struct.pack(
        ">HHIIBBHHH", ends.client_port, ends.server_port, *numbers, 0x50, flags, 64240, 0, 0
    )
    return _framed(ends, TCP, head + data)


def _pieces(rng: Rng, data: bytes) -> list[tuple[int, bytes]]:
    """Return data in pieces, each with its offset."""
    cuts = sorted({rng.integer(1, len(data) - 1) for _ in range(rng.integer(0, 2))})
    ends = [0, *cuts, len(data)]
    return [(a, data[a:b]) for a, b in pairwise(ends)]


def conversation(
    rng: Rng, ends: Ends, exchanges: Sequence[Exchange], *, start: int, rough: bool
) -> list[Stamped]:
    """Return the frames of a TCP connection.

    Args:
        rng: Decides where data are cut and what goes astray.
        ends: Who talks to whom.
        exchanges: Request and answer, in turn.
        start: When it begins, in microseconds.
        rough: Segments come out of order and twice.
    """
    back, now = ends.swapped(), start
    # Numbers stay far from 2**32: none of these wraps.
    mine, other = rng.integer(10**6, 10**9), rng.integer(10**6, 10**9)
    frames = [
        _segment(ends, (mine, 0), 2),
        _segment(back, (other, mine + 1), 18),
        _segment(ends, (mine + 1, other + 1), 16),
    ]
    mine, other = mine + 1, other + 1
    for request, answer in exchanges:
        sent = [_segment(ends, (mine + at, other), 24, d) for at, d in _pieces(rng, request)]
        mine += len(request)
        replies = [_segment(back, (other + at, mine), 24, d) for at, d in _pieces(rng, answer)]
        other += len(answer)
        for burst in (sent, replies):
            if rough and rng.chance(0.5):
                burst.append(rng.choice(burst))
            if rough and rng.chance(0.5):
                burst[-2:] = reversed(burst[-2:])
            frames += burst
    frames += [_segment(ends, (mine, other), 17), _segment(back, (other, mine + 1), 17)]
    stamped = []
    for frame in frames:
        stamped.append(Stamped(now, frame))
        now += rng.integer(200, 40_000)
    return stamped


def capture(frames: Sequence[Stamped], *, big: bool) -> bytes:
    """Return a capture file (pcap 2.4, microseconds, Ethernet), in one of the byte orders."""
    order = ">" if big else "<"
    out = [struct.pack(f"{order}IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)]
    for one in sorted(frames, key=lambda stamped: stamped.at):
        size = len(one.frame)
        stamp = (one.at // 1_000_000, one.at % 1_000_000)
        out.append(struct.pack(f"{order}IIII", *stamp, size, size) + one.frame)
    return b"".join(out)

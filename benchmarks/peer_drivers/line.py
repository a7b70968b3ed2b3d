"""The protocol of a driver: a JSON object per line, requests in and replies out.

Replies have the duration of the peer's own call and the peak of this process's memory during it;
every exception becomes a reply.  If a peer never returns, the caller has to end this process.
Runs in the peer's environment, so it needs only the standard library.

Requests: `open` (options), `start` (options; opens, waits for a first answer), `run` (command,
timeout), `repeat` (command, timeout, count), `close`.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

Reply = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one command."""

    output: bytes
    code: int | None
    late: bool = False
    """Whether the command timed out."""
    dropped: int = 0
    """Bytes that the peer left out of the output, if it says so."""
    restarted: bool = False
    notice: str = ""


class Peer(Protocol):
    """A peer's sandbox, through its public interface."""

    def open(self, options: Reply) -> None:
        """Start the sandbox and its session."""

    def run(self, command: str, timeout: float) -> Answer:
        """Run a command; recover from a time-out as the peer's users do."""

    def close(self) -> None:
        """End the sandbox."""


def serve(peer: Peer) -> None:
    """Answer requests until their stream ends."""
    # Commands may read standard input and peers may print: both get other streams.
    inward = os.fdopen(os.dup(0), "r", encoding="utf-8")
    outward = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with open(os.devnull, "rb") as null:
        os.dup2(null.fileno(), 0)
    os.dup2(2, 1)
    for line in inward:
        request = json.loads(line)
        _reset_peak()
        begun = time.perf_counter()
        try:
            reply = _OPERATIONS[request["do"]](peer, request)
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"[:2000]}
        reply.setdefault("seconds", time.perf_counter() - begun)
        reply["peak"] = _memory("VmHWM")
        outward.write(json.dumps(reply) + "\n")
        outward.flush()
    with contextlib.suppress(Exception):
        peer.close()


def _open(peer: Peer, request: Reply) -> Reply:
    peer.open(request["options"])
    return {}


def _start(peer: Peer, request: Reply) -> Reply:
    peer.open(request["options"])
    answer = peer.run("echo re''ady", 20.0)
    if b"ready" not in answer.output:
        raise RuntimeError(f"the first answer was {answer}")
    return {}


def _run(peer: Peer, request: Reply) -> Reply:
    before = _memory("VmRSS")
    begun = time.perf_counter()
    answer = peer.run(request["command"], request["timeout"])
    seconds = time.perf_counter() - begun
    grown = _memory("VmHWM") - before
    return {
        "output": base64.b64encode(answer.output).decode(),
        "code": answer.code,
        "late": answer.late,
        "dropped": answer.dropped,
        "restarted": answer.restarted,
        "notice": answer.notice,
        "seconds": seconds,
        "grown": grown,
    }


def _repeat(peer: Peer, request: Reply) -> Reply:
    command, timeout = request["command"], request["timeout"]
    seconds = []
    for _ in range(request["count"]):
        begun = time.perf_counter()
        answer = peer.run(command, timeout)
        seconds.append(time.perf_counter() - begun)
        if answer.late:
            raise RuntimeError(f"{command!r} took {timeout} s")
    return {"each": seconds}


def _close(peer: Peer, request: Reply) -> Reply:
    peer.close()
    return {}


_OPERATIONS: dict[str, Callable[[Peer, Reply], Reply]] = {
    "open": _open,
    "start": _start,
    "run": _run,
    "repeat": _repeat,
    "close": _close,
}


def _reset_peak() -> None:
    """Reset the peak of memory (proc(5): 5 resets VmHWM)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _memory(field: str) -> int:
    """Return a memory size of this process in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) << 10
    return 0

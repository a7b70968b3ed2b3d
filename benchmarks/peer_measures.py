"""What is timed of a contender: its start, a step, 10 MB of output, and a time-out.

All clocks run inside the driver, around the peer's own call.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.peer_link import running
from benchmarks.peer_verdicts import ALIVE, Bench, output

OUTPUT = 10_000_000
LINES = f"yes 0123456789abcde | head -c {OUTPUT}"
LIMIT = 2.0
"""Seconds that `sleep 1000` gets."""
_OUTER = 240.0
"""Seconds until a driver is stopped: 10 MB took the slowest 30, and 60 under a load of 29."""
POOLED = ("docker", "podman")
_REFILL = 1.0
"""Seconds between two starts from a pool: it makes 4 to 12 machines in one."""
_KEEP = 32 << 20
"""Output that ours keeps here, as the others keep all; by default it keeps 1 MiB."""


@dataclass(slots=True)
class Measures:
    """One contender's numbers; what it could not do has no numbers, and a reason."""

    start: list[float] = field(default_factory=list)
    """Seconds from nothing to the first answer; nobody has a machine waiting."""
    pooled: list[float] = field(default_factory=list)
    """The same of a machine that waited, where a backend of ours keeps some."""
    colon: list[float] = field(default_factory=list)
    true: list[float] = field(default_factory=list)
    big: list[float] = field(default_factory=list)
    big_bytes: int = 0
    """How many of the 10 MB came."""
    big_memory: int = 0
    """Bytes by which the driver's memory grew at most meanwhile."""
    recovery: list[float] = field(default_factory=list)
    """Seconds from the time-out until the session answered again."""
    left_running: bool | None = None
    """Whether the command that ran out of time still ran half a second later."""
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Amount:
    """How often each thing is done."""

    starts: int
    steps: int
    bigs: int
    recoveries: int


FULL = Amount(starts=10, steps=40, bigs=3, recoveries=3)
QUICK = Amount(starts=3, steps=10, bigs=1, recoveries=1)


def measure(bench: Bench, amount: Amount) -> Measures:
    """Take every number of one contender."""
    seen = Measures()
    steps = amount.steps * (10 if bench.column.quick else 1)
    for part in (_starts, _pooled, _steps, _big, _recovery):
        count = {_starts: amount.starts, _pooled: amount.starts, _steps: steps, _big: amount.bigs}
        try:
            part(bench, seen, count.get(part, amount.recoveries))
        except Exception as error:
            seen.failures.append(f"{part.__name__.strip('_')}: {type(error).__name__}: {error}")
            bench.renew()
    return seen


def ask(bench: Bench, do: str, **request: object) -> dict[str, Any]:
    """Return a reply that is no error.

    Raises:
        RuntimeError: It is one.
    """
    reply = bench.link.ask(_OUTER, do=do, **request)
    if "error" in reply:
        raise RuntimeError(str(reply["error"])[:500])
    return reply


def _starts(bench: Bench, seen: Measures, count: int) -> None:
    for turn in range(count + 1):
        reply = ask(bench, "start", options=_alone(bench))
        bench.renew()
        if turn:  # the first of a process pays for imports and caches
            seen.start.append(reply["seconds"])


def _pooled(bench: Bench, seen: Measures, count: int) -> None:
    if bench.column.options.get("backend") not in POOLED:
        return
    for turn in range(count + 1):
        reply = ask(bench, "start", options=bench.column.options)
        bench.renew()
        time.sleep(_REFILL)
        if turn:
            seen.pooled.append(reply["seconds"])


def _steps(bench: Bench, seen: Measures, count: int) -> None:
    ask(bench, "start", options=_alone(bench))
    for command, samples in ((":", seen.colon), ("/bin/true", seen.true)):
        ask(bench, "repeat", command=command, timeout=20.0, count=3)
        reply = ask(bench, "repeat", command=command, timeout=20.0, count=count)
        samples.extend(reply["each"])
    bench.renew()


def _big(bench: Bench, seen: Measures, count: int) -> None:
    for _ in range(count):
        ask(bench, "start", options=_alone(bench, limit=_KEEP))
        reply = ask(bench, "run", command=LINES, timeout=_OUTER / 2)
        if reply["late"]:
            raise RuntimeError(f"10 MB did not come in {_OUTER / 2:.0f} s")
        seen.big.append(reply["seconds"])
        text = output(reply).replace(b"\r\n", b"\n")
        seen.big_bytes = sum(len(line) + 1 for line in text.split(b"\n") if _whole(line))
        seen.big_memory = max(seen.big_memory, reply["grown"])
        bench.renew()


def _alone(bench: Bench, **ours: object) -> dict[str, object]:
    """Return options without a pool, whose refilling would take time from what is measured."""
    more = {"pool": 0, **ours} if bench.column.sight == "ours" else {}
    return {**bench.column.options, **more}


def _whole(line: bytes) -> bool:
    return line.rstrip() == b"0123456789abcde"


def _recovery(bench: Bench, seen: Measures, count: int) -> None:
    for turn in range(count):
        # A duration that nothing else on the machine sleeps, so that it can be found by it.
        words = ("sleep", f"1000.{time.time_ns() % 10**9:09}{turn}")
        ask(bench, "start", options=_alone(bench))
        reply = ask(bench, "run", command=" ".join(words), timeout=LIMIT)
        if not reply["late"]:
            raise RuntimeError(f"`sleep 1000` ended: {output(reply)[-200:]!r}")
        seconds = reply["seconds"] - LIMIT
        seen.recovery.append(seconds + _until_alive(bench))
        time.sleep(0.5)
        seen.left_running = bool(seen.left_running) or running(words) > 0
        bench.renew()


def _until_alive(bench: Bench) -> float:
    total = 0.0
    for _ in range(5):
        reply = ask(bench, "run", command=ALIVE, timeout=5.0)
        total += float(reply["seconds"])
        if b"alive_42" in output(reply):
            return total
    raise RuntimeError("no answer after the time-out")


def high(samples: Sequence[float], percent: int = 99) -> float:
    """Return a percentile by the nearest rank."""
    ordered = sorted(samples)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]

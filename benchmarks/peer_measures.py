"""Time a contender: its start, a step, 10 MB of output, and the recovery from a time-out.

All times are taken in the driver, around the peer's own call.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from benchmarks.driver import running
from benchmarks.peer_verdicts import ALIVE, CaseRunner, output

OUTPUT = 10_000_000
LINES = f"yes 0123456789abcde | head -c {OUTPUT}"
LIMIT = 2.0
"""Seconds after which `sleep 1000` times out."""
_OUTER = 240.0
"""Seconds until a driver is stopped: 10 MB took the slowest 30, and 60 under a load of 29."""
POOLED = ("docker", "podman")
_REFILL = 1.0
"""Seconds between two starts from a pool, which makes 4 to 12 containers in a second."""
_KEEP = 32 << 20
"""Bytes of output that ours keeps here, because the others keep all; the default is 1 MiB."""


@dataclass(slots=True)
class Measures:
    """The figures of one contender; what failed has no figures but a reason."""

    start: list[float] = field(default_factory=list)
    """Seconds until the first answer, without a pool."""
    pooled: list[float] = field(default_factory=list)
    """The same with a container from a pool, for backends of ours that have one."""
    colon: list[float] = field(default_factory=list)
    true: list[float] = field(default_factory=list)
    big: list[float] = field(default_factory=list)
    big_bytes: int = 0
    """How many of the 10 MB arrived."""
    big_memory: int = 0
    """Largest growth of the driver's memory meanwhile, in bytes."""
    recovery: list[float] = field(default_factory=list)
    """Seconds from the time-out until the session answered again."""
    left_running: bool | None = None
    """Whether the command that timed out was still running half a second later."""
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Amount:
    """How often each measurement is repeated."""

    starts: int
    steps: int
    bigs: int
    recoveries: int


FULL = Amount(starts=10, steps=40, bigs=3, recoveries=3)
QUICK = Amount(starts=3, steps=10, bigs=1, recoveries=1)


def measure(runner: CaseRunner, amount: Amount) -> Measures:
    """Measure one contender."""
    measures = Measures()
    steps = amount.steps * (10 if runner.contender.quick else 1)
    for part in (_starts, _pooled, _steps, _big, _recovery):
        count = {_starts: amount.starts, _pooled: amount.starts, _steps: steps, _big: amount.bigs}
        try:
            part(runner, measures, count.get(part, amount.recoveries))
        except Exception as error:
            measures.failures.append(f"{part.__name__.strip('_')}: {type(error).__name__}: {error}")
            runner.renew()
    return measures


def ask(runner: CaseRunner, do: str, **request: object) -> dict[str, Any]:
    """Return a reply.

    Raises:
        RuntimeError: The reply is an error.
    """
    reply = runner.driver.ask(_OUTER, do=do, **request)
    if "error" in reply:
        raise RuntimeError(str(reply["error"])[:500])
    return reply


def _starts(runner: CaseRunner, measures: Measures, count: int) -> None:
    for turn in range(count + 1):
        reply = ask(runner, "start", options=_alone(runner))
        runner.renew()
        if turn:  # the first one of a process imports modules and fills caches
            measures.start.append(reply["seconds"])


def _pooled(runner: CaseRunner, measures: Measures, count: int) -> None:
    if runner.contender.options.get("backend") not in POOLED:
        return
    for turn in range(count + 1):
        reply = ask(runner, "start", options=runner.contender.options)
        runner.renew()
        time.sleep(_REFILL)
        if turn:
            measures.pooled.append(reply["seconds"])


def _steps(runner: CaseRunner, measures: Measures, count: int) -> None:
    ask(runner, "start", options=_alone(runner))
    for command, samples in ((":", measures.colon), ("/bin/true", measures.true)):
        ask(runner, "repeat", command=command, timeout=20.0, count=3)
        reply = ask(runner, "repeat", command=command, timeout=20.0, count=count)
        samples.extend(reply["each"])
    runner.renew()


def _big(runner: CaseRunner, measures: Measures, count: int) -> None:
    for _ in range(count):
        ask(runner, "start", options=_alone(runner, limit=_KEEP))
        reply = ask(runner, "run", command=LINES, timeout=_OUTER / 2)
        if reply["late"]:
            raise RuntimeError(f"10 MB did not come in {_OUTER / 2:.0f} s")
        measures.big.append(reply["seconds"])
        text = output(reply).replace(b"\r\n", b"\n")
        measures.big_bytes = sum(len(line) + 1 for line in text.split(b"\n") if _whole(line))
        measures.big_memory = max(measures.big_memory, reply["grown"])
        runner.renew()


def _alone(runner: CaseRunner, **ours: object) -> dict[str, object]:
    """Return options without a pool, whose refilling would slow down the measurement."""
    more = {"pool": 0, **ours} if runner.contender.output_form == "ours" else {}
    return {**runner.contender.options, **more}


def _whole(line: bytes) -> bool:
    return line.rstrip() == b"0123456789abcde"


def _recovery(runner: CaseRunner, measures: Measures, count: int) -> None:
    for turn in range(count):
        # A duration that no other process has, so that the command can be found by it.
        words = ("sleep", f"1000.{time.time_ns() % 10**9:09}{turn}")
        ask(runner, "start", options=_alone(runner))
        reply = ask(runner, "run", command=" ".join(words), timeout=LIMIT)
        if not reply["late"]:
            raise RuntimeError(f"`sleep 1000` ended: {output(reply)[-200:]!r}")
        seconds = reply["seconds"] - LIMIT
        measures.recovery.append(seconds + _until_alive(runner))
        time.sleep(0.5)
        measures.left_running = bool(measures.left_running) or running(words) > 0
        runner.renew()


def _until_alive(runner: CaseRunner) -> float:
    total = 0.0
    for _ in range(5):
        reply = ask(runner, "run", command=ALIVE, timeout=5.0)
        total += float(reply["seconds"])
        if b"alive_42" in output(reply):
            return total
    raise RuntimeError("no answer after the time-out")

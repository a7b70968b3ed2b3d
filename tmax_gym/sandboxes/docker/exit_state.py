"""How programs and containers ended, by the engine's account.

Covers the status of a program, and whether a container ended by what ran in it.  Does not cover
a container whose processes ran out of memory once and which was killed from outside later:
engines say "out of memory" of both.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes.docker.engine import Engine

_FAULTS = (1, 2, *(128 + number for number in (4, 6, 7, 8, 11)))
"""Statuses of a bash that fails by itself, or by SIGILL, ABRT, BUS, FPE, SEGV.  Not among them:
137, a kill from outside; 0 and 255, which engines make up when they have restarted."""
REAP = 5.0
"""Seconds for the engine to notice that a process ended: 0.002 are usual."""


def exec_pid(engine: Engine, run: str) -> int:
    """Return the number that the engine has for an exec's process; 0 where it is gone."""
    deadline = time.monotonic() + REAP
    while time.monotonic() < deadline:
        with engine.errors("looking at a process"):
            state = engine.api.exec_inspect(run)
        if pid := int(state.get("Pid") or 0):
            return pid
        if not state["Running"]:
            break
        time.sleep(0.002)
    return 0


def exec_status(engine: Engine, run: str) -> int | None:
    """Return the exit status of an exec's process; None where the engine has not seen its end."""
    deadline = time.monotonic() + REAP
    while time.monotonic() < deadline:
        with engine.errors("looking at a process"):
            state = engine.api.exec_inspect(run)
        if not state["Running"] and state.get("ExitCode") is not None:
            return int(state["ExitCode"])
        time.sleep(0.002)
    return None


def state_at_end(engine: Engine, container: str, *, near: bool, action: str) -> dict[str, Any]:
    """Return a container's state; where its processes are in sight, the one after its end.

    Raises:
        SandboxError: The engine does not answer.
    """
    state: dict[str, Any] = {"Running": True}
    deadline = time.monotonic() + (REAP if near else 0.0)
    while state["Running"]:
        with engine.errors(f"{action} in {container[:12]}"):
            state = engine.api.inspect_container(container)["State"]
        if time.monotonic() >= deadline:
            break
        time.sleep(0.002)
    return state


def ended_inside(state: Mapping[str, Any]) -> bool:
    """Return whether process 1 ran out of memory, gave up, or broke.

    >>> ended_inside({"Running": False, "OOMKilled": False, "ExitCode": 137})
    False
    """
    return not state["Running"] and (bool(state.get("OOMKilled")) or state["ExitCode"] in _FAULTS)


def dead(container: str, action: str, state: Mapping[str, Any]) -> SandboxError:
    """Return what to raise for a container that is dead."""
    return SandboxError(
        f"{action}: container {container[:12]} is dead (exit {state.get('ExitCode')}, out of "
        f"memory: {state.get('OOMKilled')}); something outside killed it, or its memory "
        "was not enough for its first process"
    )

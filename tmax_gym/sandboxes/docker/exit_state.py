"""How programs and containers ended, as the engine reports.

Limit: a container that ran out of memory once and was killed from outside later counts as out of
memory, as engines report both the same way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes.docker.engine import Engine

_FAULTS = (1, 2, *(128 + number for number in (4, 6, 7, 8, 11)))
"""Statuses of a bash that fails by itself, or by SIGILL, ABRT, BUS, FPE, SEGV.  Not 137, a kill
from outside, nor 0 and 255, which engines make up after a restart."""
REAP = 5.0
"""Seconds for the engine to notice that a process ended: 0.002 are usual."""


def exec_pid(engine: Engine, run: str) -> int:
    """Return the engine's pid of an exec's process; 0 if it is gone."""
    state = _inspect(engine, run, until=lambda state: state.get("Pid") or not state["Running"])
    return int(state.get("Pid") or 0)


def exec_status(engine: Engine, run: str) -> int | None:
    """Return the exit status of an exec's process; None if the engine has not seen its end."""

    def has_ended(state: Mapping[str, Any]) -> bool:
        return not state["Running"] and state.get("ExitCode") is not None

    state = _inspect(engine, run, until=has_ended)
    return int(state["ExitCode"]) if has_ended(state) else None


def _inspect(
    engine: Engine, run: str, *, until: Callable[[Mapping[str, Any]], object]
) -> Mapping[str, Any]:
    """Return the state of an exec that meets a condition, or the last one before `REAP` is over."""
    deadline = time.monotonic() + REAP
    while True:
        with engine.errors("looking at a process"):
            state: Mapping[str, Any] = engine.api.exec_inspect(run)
        if until(state) or time.monotonic() >= deadline:
            return state
        time.sleep(0.002)


def state_at_end(engine: Engine, container: str, *, near: bool, action: str) -> dict[str, Any]:
    """Return a container's state; if its processes are on this machine, wait for its end first."""
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
    """Return the error for a container that is dead."""
    return SandboxError(
        f"{action}: container {container[:12]} is dead (exit {state.get('ExitCode')}, out of "
        f"memory: {state.get('OOMKilled')}); something outside killed it, or its memory "
        "was not enough for its first process"
    )

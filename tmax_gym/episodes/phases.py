"""How long the parts of episodes take, recorded for whoever asks in this context.

A context (`contextvars`) that uses `recorded` gets the seconds of every part of every episode that
is played in it; elsewhere nothing is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Phases = list[tuple[str, float]]
"""Name and seconds of each part, in the order in which they ended."""
_current: ContextVar[Phases | None] = ContextVar("phases", default=None)


@contextmanager
def recorded() -> Iterator[Phases]:
    """Record the parts of the episodes that are played inside."""
    phases: Phases = []
    before = _current.set(phases)
    try:
        yield phases
    finally:
        _current.reset(before)


def note(part: str, seconds: float) -> None:
    """Record a part that has ended, if this context asks for it."""
    if (phases := _current.get()) is not None:
        phases.append((part, seconds))

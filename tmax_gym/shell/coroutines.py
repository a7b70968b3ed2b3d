"""Waiting as a value: a conversation says what it waits for, and somebody else does the waiting.

Covers generators that yield a `Wait` and are sent False where its time is over, True where its
descriptor may be ready; and the
driver that serves one of them in its own thread.  `vector.py` and `aio.py` drive many at once.
Does not cover files and programs: what blocks in another way asks for a thread by `BLOCKS`.
"""

from __future__ import annotations

import select
import time
from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")

Wait = tuple[int, int, float]
"""A descriptor, or -1 for none; events of `select.poll`; the monotonic time to give up at."""
Steps = Generator[Wait, bool, T]
"""A conversation that returns a T."""

BLOCKS: Wait = (-2, 0, 0.0)
"""What follows, up to the end, may block its thread.  Answered by True where it may."""


def pause(seconds: float) -> Wait:
    """Return a wait for nothing but the time."""
    return (-1, 0, time.monotonic() + seconds)


def finish(steps: Steps[T], answer: bool | None = None) -> T:
    """Drive a conversation to its end in this thread.

    Args:
        steps: A new one; or one under way, that waits for `answer`.
        answer: What the one under way is sent first.
    """
    try:
        wait = next(steps) if answer is None else steps.send(answer)
        while True:
            wait = steps.send(_await(wait))
    except StopIteration as end:
        result: T = end.value
        return result
    except BaseException:  # ^C while waiting: what was begun is dropped at once
        steps.close()
        raise


def _await(wait: Wait) -> bool:
    fd, events, until = wait
    if wait is BLOCKS:
        return True
    left = max(0.0, until - time.monotonic())
    if fd < 0:
        time.sleep(left)
        return False
    # Not select(): a process with 1,000 terminals has descriptors that it cannot take.
    poller = select.poll()
    poller.register(fd, events)
    return bool(poller.poll(left * 1000))

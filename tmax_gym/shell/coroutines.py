"""Coroutines that wait for terminals: they yield what they wait for, and a driver does the waiting.

They are generators that yield a `Wait`, and are sent True when its descriptor may be ready, False
when its time is over.  `finish` drives one in the calling thread; `scheduler.py` and `envs/aio.py`
drive many at once.  Code that blocks in another way yields `BLOCKS` first, to get a thread.
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
"""A coroutine that returns a T."""

BLOCKS: Wait = (-2, 0, 0.0)
"""The rest of the coroutine may block its thread; it is sent True when it may go on."""


def pause(seconds: float) -> Wait:
    """Return a wait for a time only."""
    return (-1, 0, time.monotonic() + seconds)


def finish(steps: Steps[T], answer: bool | None = None) -> T:
    """Drive a coroutine to its end in this thread; one that waits is sent `answer` first."""
    try:
        wait = next(steps) if answer is None else steps.send(answer)
        while True:
            wait = steps.send(_await(wait))
    except StopIteration as end:
        result: T = end.value
        return result
    except BaseException:  # ^C while waiting: drop the coroutine at once
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

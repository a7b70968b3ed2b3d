"""`TimedAgent`: an agent with a time limit; a call that does not return in time is left behind.

The limit is for thinking and commands together, and it holds in harnesses that loop without asking
a model.  The state that a slow agent leaves is graded, as in Harbor.  An endpoint that hangs is not
the agent's fault, and raises `ModelLate`.
"""

from __future__ import annotations

import contextvars
import math
import queue
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import TypeVar, cast

from tmax_gym.agents.agent import Agent, Ground, Prepared, Turn
from tmax_gym.errors import HarnessError, ModelLate, Overdue
from tmax_gym.trajectory import Ending, Tokens

T = TypeVar("T")

SETUP_SECONDS = 360.0
"""Limit for a harness to prepare its machine (as Harbor's `AgentSetupTimeout`)."""
TICK = 0.1
"""Seconds between two checks of the time."""
GRACE = 2.0
"""Seconds in which an agent may notice by itself that its time is over."""


def apart(
    call: Callable[[], T],
    *,
    check: Callable[[], object],
    name: str = "apart",
    tick: float = TICK,
) -> T:
    """Make a call in a thread of its own; return or raise its outcome.

    `check` is called every `tick` seconds meanwhile.  If it raises, the wait ends, and the later
    result of the call is ignored.
    """
    outcome: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def hand_over(_: object, error: BaseException | None, __: object) -> bool:
        if error is not None:
            outcome.put((None, error))
        return True

    def work() -> None:
        with ExitStack() as stack:
            stack.push(hand_over)
            outcome.put((call(), None))

    context = contextvars.copy_context()
    # A daemon, because a thread that hangs must not keep the process from ending.
    threading.Thread(target=context.run, args=(work,), name=name, daemon=True).start()
    while True:
        try:
            result, error = outcome.get(timeout=tick)
        except queue.Empty:
            check()
            continue
        if error is not None:
            raise error
        return cast(T, result)


class GivenUp(Exception):
    """Raised in a call that the episode has left behind."""


class AgentTime:
    """The time that an agent has left, for everything that waits on its behalf."""

    def __init__(self, check: Callable[[], object] = lambda: None) -> None:
        """Choose a check that raises when the whole run is being stopped."""
        self.given_up = False
        """Whether the agent's call was left behind."""
        self._check = check
        self._left: Callable[[], float] = lambda: math.inf

    def bind(self, left: Callable[[], float]) -> None:
        """Use the clock of an episode that begins."""
        self._left = left

    def left(self) -> float:
        """Return the seconds that are left; raise `GivenUp` in a call that was left behind."""
        if self.given_up:
            raise GivenUp
        self._check()
        return self._left()


class _Over(Exception):
    """An agent has not noticed that its time is over."""


class TimedAgent:
    """An agent that ends when its time is over.

    `turn_seconds` limits one turn if nothing else does.
    """

    def __init__(
        self, inner: Agent, time_: AgentTime | None = None, *, turn_seconds: float | None = None
    ) -> None:
        self.name = inner.name
        self.time = time_ or AgentTime()
        self._inner = inner
        self._turn_seconds = turn_seconds

    @property
    def tokens(self) -> Tokens | None:
        """Return the inner agent's tokens."""
        return self._inner.tokens

    @property
    def excused(self) -> float:
        """Return the seconds that do not count, because they were not the agent's fault."""
        return 0.0

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin an episode."""
        if self.time.given_up:
            raise HarnessError(f"the agent {self.name} is still busy with an earlier episode")
        self._within(
            partial(self._inner.reset, instruction, seed=seed),
            HarnessError(f"the harness {self.name} did not begin the episode in time"),
        )

    def prepare(self, ground: Ground) -> None:
        """Let the agent prepare the machine; raise `SandboxError` if that fails or is late."""
        if isinstance(self._inner, Prepared):
            self._within(
                partial(self._inner.prepare, ground),
                Overdue(
                    f"the machine was not ready for the harness {self.name} within its time "
                    f"(the agent's own, at most {SETUP_SECONDS:g} s): raise --agent-seconds"
                ),
                most=SETUP_SECONDS,
            )

    def act(self, observation: str) -> Turn:
        """Return the next turn, or the end if the time is over."""
        if self.time.left() <= 0:
            return Turn(ending=Ending.TIME_LIMIT)
        begun = time.monotonic()
        try:
            return apart(
                partial(self._inner.act, observation), check=lambda: self._look(begun), name="agent"
            )
        except ModelLate as late:
            if late.working and self.time.left() <= 0:
                return Turn(ending=Ending.TIME_LIMIT)
            raise
        except _Over:
            return Turn(ending=Ending.TIME_LIMIT)

    def _within(
        self, call: Callable[[], object], late: Exception, *, most: float = math.inf
    ) -> None:
        """Make a call before the first turn; raise `late` if it does not return in time."""
        begun = time.monotonic()
        try:
            apart(call, check=lambda: self._look(begun, most=most), name="agent")
        except _Over:
            raise late from None

    def _look(self, begun: float, *, most: float = math.inf) -> None:
        """Leave the inner agent behind if its time, or the run, is over."""
        try:
            self._still(time.monotonic() - begun)
            if time.monotonic() - begun > most + GRACE:
                raise _Over
        except BaseException:
            self.time.given_up = True
            raise

    def _still(self, took: float) -> None:
        if self.time.left() <= -GRACE:
            raise _Over
        if self._turn_seconds is not None and took > self._turn_seconds + GRACE:
            raise HarnessError(
                f"the harness {self.name} did not return within {self._turn_seconds:g} s, and it "
                "waits for something without a time limit"
            )

"""Agents whose turns end in time: a call that does not come back is left behind.

Covers the time of an episode's agent, thinking and commands together, and harnesses that loop
without asking anybody, also before their first turn.  What a slow agent leaves is graded, as
Harbor does; an endpoint that hangs is not the agent's fault and says so itself (`ModelLate`).
Does not cover the machine: see `Episode.time_left`.
"""

from __future__ import annotations

import contextvars
import math
import queue
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar, cast

from tmax_gym.agents.agent import Agent, Ground, Prepared, Turn
from tmax_gym.errors import HarnessError, ModelLate, Overdue
from tmax_gym.trajectory import Ending, Tokens

T = TypeVar("T")

SETUP_SECONDS = 360.0
"""For a harness to prepare its machine (Harbor: the same, `AgentSetupTimeout`)."""

TICK = 0.1
"""Seconds between two looks at the clock."""
GRACE = 2.0
"""Seconds that an agent has to notice itself that its time is over."""


def apart(
    call: Callable[[], T],
    *,
    check: Callable[[], object],
    name: str = "apart",
    tick: float = TICK,
) -> T:
    """Return what a call returns, made in a thread of its own; raises what it raises.

    Args:
        call: What is done.
        check: Called again and again meanwhile; what it raises ends the waiting.  The call then
            goes on unseen, and its result is thrown away.
        name: Of the thread.
        tick: Seconds between two checks.
    """
    ended: _Ended[T] = _Ended()

    def work() -> None:
        with ended:
            ended.said.put((call(), None))

    context = contextvars.copy_context()
    # A daemon: whatever hangs there must not keep the process from ending.
    threading.Thread(target=context.run, args=(work,), name=name, daemon=True).start()
    while True:
        try:
            found, error = ended.said.get(timeout=tick)
        except queue.Empty:
            check()
            continue
        if error is not None:
            raise error
        return cast(T, found)


class _Ended(Generic[T]):
    """How a call in another thread has ended."""

    def __init__(self) -> None:
        self.said: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> bool:
        """Hand over what the call raised: it is raised where the call is waited for."""
        if error is not None:
            self.said.put((None, error))
        return True


class GivenUp(Exception):
    """The episode goes on without the call that asks."""


class AgentTime:
    """What an agent has left; everything that waits on its behalf asks here."""

    def __init__(self, check: Callable[[], object] = lambda: None) -> None:
        """Choose a check that raises where the whole run is being stopped."""
        self.given_up = False
        """Whether nobody waits for the agent's call any more."""
        self._check = check
        self._left: Callable[[], float] = lambda: math.inf

    def bind(self, left: Callable[[], float]) -> None:
        """Take over the clock of an episode that begins."""
        self._left = left

    def left(self) -> float:
        """Return the seconds that are left; infinity where there is no limit.

        Raises:
            GivenUp: The call that asks was left behind.
        """
        if self.given_up:
            raise GivenUp
        self._check()
        return self._left()


class _Over(Exception):
    """An agent's time is over, and it has not noticed."""


class TimedAgent:
    """An agent that ends when its time does."""

    def __init__(
        self, inner: Agent, time_: AgentTime | None = None, *, turn_seconds: float | None = None
    ) -> None:
        """Choose an agent.

        Args:
            inner: It decides.
            time_: What it has left.
            turn_seconds: Of one turn, where nothing else limits it; None for no limit.
        """
        self.name = inner.name
        self.time = time_ or AgentTime()
        self._inner = inner
        self._turn_seconds = turn_seconds

    @property
    def tokens(self) -> Tokens | None:
        """Return the inner agent's."""
        return self._inner.tokens

    @property
    def excused(self) -> float:
        """Return the seconds that were no fault of the agent: they are not counted."""
        return 0.0

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin an episode."""
        if self.time.given_up:
            raise HarnessError(f"the agent {self.name} is still busy with an episode before")
        self._within(
            partial(self._inner.reset, instruction, seed=seed),
            HarnessError(f"the harness {self.name} was to begin and did not return in time"),
        )

    def prepare(self, ground: Ground) -> None:
        """Let the agent see to what it needs of the machine.

        Raises:
            SandboxError: It is not there, or was not in time.
        """
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
        """Return the next turn; the end where time is up."""
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
        """Do what comes before the first turn; raises `late` where it does not end in time."""
        begun = time.monotonic()
        try:
            apart(call, check=lambda: self._look(begun, most=most), name="agent")
        except _Over:
            raise late from None

    def _look(self, begun: float, *, most: float = math.inf) -> None:
        """Leave the inner agent behind where its time, or the run, is over."""
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
                f"the harness {self.name} was to return within {self._turn_seconds:g} s and did "
                "not; what it waits for has no limit of its own"
            )

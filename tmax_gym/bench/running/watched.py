"""An agent that is watched while it plays: its turns, its usage, the time that it waits.

Covers what the runner wants to know beyond a trajectory.  Changes nothing of how it plays, but for
ending an agent whose time, or whose run, is over.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from tmax_gym.agents.agent import Agent, Turn
from tmax_gym.agents.chat_agent import Metered
from tmax_gym.agents.timed import AgentTime, TimedAgent
from tmax_gym.bench.records import Usage
from tmax_gym.bench.running.endpoint import Endpoint

WAITING = 1800.0
"""Seconds in which an endpoint may let a trial wait without it counting for the agent's time: so
that a trial has an end whatever its endpoint does."""


class WatchedAgent(TimedAgent):
    """An agent whose turns are timed, and that ends when its time or the run does."""

    def __init__(
        self,
        inner: Agent,
        time_: AgentTime | None = None,
        *,
        turn_seconds: float | None = None,
        endpoint: Endpoint | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Choose an agent.

        Args:
            inner: It decides.
            time_: What it has left; raises where the run is being stopped.
            turn_seconds: Of one turn; None for no limit.
            endpoint: Of its model, for the price; None where it has none.
            clock: Seconds.
        """
        super().__init__(inner, time_, turn_seconds=turn_seconds)
        self.moments: list[tuple[float, float]] = []
        self.instruction = ""
        self.began: float | None = None
        """When it was given its task."""
        self._endpoint = endpoint
        self._clock = clock

    @property
    def usage(self) -> Usage:
        """Return what its model was asked for."""
        if self._endpoint is None or not isinstance(self._inner, Metered):
            return Usage()
        return self._endpoint.usage(self._inner.spent)

    @property
    def excused(self) -> float:
        """Return the seconds in which it waited for a busy endpoint, up to a most."""
        return min(WAITING, self.usage.waited)

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin an episode."""
        self.moments.clear()
        self.instruction = instruction
        self.began = self._clock()
        super().reset(instruction, seed=seed)

    def act(self, observation: str) -> Turn:
        """Return the next turn; the end where time is up."""
        asked = self._clock()
        turn = super().act(observation)
        if turn.command is not None or turn.reply:
            self.moments.append((asked, self._clock()))
        return turn

"""An agent whose turns are timed and whose usage is counted, beyond what a trajectory holds."""

from __future__ import annotations

import time
from collections.abc import Callable

from tmax_gym.agents.agent import Agent, Turn
from tmax_gym.agents.chat_agent import Metered
from tmax_gym.agents.timed import AgentTime, TimedAgent
from tmax_gym.bench.records import Usage
from tmax_gym.bench.running.endpoint import Endpoint

WAITING = 1800.0
"""Largest number of seconds of waiting that do not count as the agent's time, so that a trial ends
whatever its endpoint does."""


class WatchedAgent(TimedAgent):
    """An agent whose turns are timed; it ends with its time or with the run."""

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
            inner: The agent that decides.
            time_: The time that it has left; raises if the run is being stopped.
            turn_seconds: Limit of one turn; None for no limit.
            endpoint: Endpoint of its model, for the price; None for an agent without a model.
            clock: Returns seconds.
        """
        super().__init__(inner, time_, turn_seconds=turn_seconds)
        self.moments: list[tuple[float, float]] = []
        self.instruction = ""
        self.began: float | None = None
        """When it got its task."""
        self._endpoint = endpoint
        self._clock = clock

    @property
    def usage(self) -> Usage:
        """Return the usage of its model."""
        if self._endpoint is None or not isinstance(self._inner, Metered):
            return Usage()
        return self._endpoint.usage(self._inner.spent)

    @property
    def excused(self) -> float:
        """Return the seconds of waiting for a busy endpoint, at most `WAITING`."""
        return min(WAITING, self.usage.waited)

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin an episode."""
        self.moments.clear()
        self.instruction = instruction
        self.began = self._clock()
        super().reset(instruction, seed=seed)

    def act(self, observation: str) -> Turn:
        """Return the next turn; an ending if time is up."""
        asked = self._clock()
        turn = super().act(observation)
        if turn.command is not None or turn.reply:
            self.moments.append((asked, self._clock()))
        return turn

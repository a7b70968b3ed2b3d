"""An agent and a task of a dataset, watched while they play: times, limits, what verifiers said.

Covers what the runner wants to know beyond a trajectory.  Changes nothing of how they play, but
for ending an agent whose time, or whose run, is over.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tmax_gym.agents.agent import Agent, Ground, Turn
from tmax_gym.agents.chat_agent import Metered
from tmax_gym.agents.rollout import Playable, environment
from tmax_gym.agents.timed import AgentTime, TimedAgent
from tmax_gym.bench.records import Usage
from tmax_gym.bench.running.endpoint import Endpoint
from tmax_gym.envs.episode import EpisodeLimits
from tmax_gym.envs.terminal import Doing, TerminalEnv
from tmax_gym.harbor.run.task import TrialEnv
from tmax_gym.sandboxes import Backend
from tmax_gym.tasks.compose import Task

OUTPUT = 200_000
"""Characters of a verifier's output that are kept."""
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
        self.failure: BaseException | None = None
        """What it raised."""
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
        with self._noting():
            super().reset(instruction, seed=seed)

    def prepare(self, ground: Ground) -> None:
        """Let the agent see to what it needs of the machine."""
        with self._noting():
            super().prepare(ground)

    def act(self, observation: str) -> Turn:
        """Return the next turn; the end where time is up."""
        asked = self._clock()
        with self._noting():
            turn = super().act(observation)
        if turn.command is not None or turn.reply:
            self.moments.append((asked, self._clock()))
        return turn

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Remember what is raised."""
        try:
            yield
        except Exception as error:
            self.failure = error
            raise


class WatchedTask:
    """A task whose environment stays known: also when it is closed, or hangs."""

    def __init__(self, inner: Task | Playable) -> None:
        self.name = inner.name
        self._inner = inner
        self._env: TerminalEnv | None = None
        self._begun = time.monotonic()

    def time_left(self) -> float:
        """Return the seconds that its agent has left; infinity where nothing limits them."""
        return math.inf if self._env is None else self._env.time_left()

    def commands_left(self) -> float:
        """Return the seconds that its commands have left together, the running one included."""
        return math.inf if self._env is None else self._env.commands_left()

    def close(self) -> None:
        """Destroy its machine, whatever is being done with it."""
        if self._env is not None:
            self._env.close()

    @property
    def doing(self) -> Doing:
        """Return what is being done with its machine, and since when."""
        return Doing("start", self._begun) if self._env is None else self._env.doing

    def environment(
        self, *, backend: Backend, image: str | None, limits: EpisodeLimits | None
    ) -> TerminalEnv:
        """Return its terminal."""
        self._env = environment(self._inner, backend=backend, image=image, limits=limits)
        return self._env

    @property
    def rewards(self) -> tuple[tuple[str, float], ...]:
        """Return the rewards that its last verifier gave, where there are several."""
        graded = self._env.graded if isinstance(self._env, TrialEnv) else ()
        values = dict(graded[-1].rewards.values) if graded and graded[-1].rewards else {}
        return tuple(sorted(values.items())) if len(values) > 1 else ()

    @property
    def output(self) -> str:
        """Return what its verifiers printed."""
        graded = self._env.graded if isinstance(self._env, TrialEnv) else ()
        return "\n".join(each.output for each in graded)[:OUTPUT]

    def graded_at(self, end: float) -> float | None:
        """Return when grading began, if it took until `end`; None where nothing was graded."""
        graded = self._env.graded if isinstance(self._env, TrialEnv) else ()
        return end - sum(each.seconds for each in graded) if graded else None

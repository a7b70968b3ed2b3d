"""An agent and a task of a dataset, watched while they play: times, limits, what verifiers said.

Covers what the runner wants to know beyond a trajectory.  Changes nothing of how they play, but
for ending an agent whose time, or whose run, is over.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from tmax_gym.agents import Agent, Ground, Prepared, Turn
from tmax_gym.bench.records import Usage
from tmax_gym.bench.running.harnesses import Metered
from tmax_gym.bench.statuses import Stopped
from tmax_gym.env import TerminalEnv
from tmax_gym.episode import EpisodeLimits
from tmax_gym.rollout import Playable
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Ending, Tokens
from tmax_gym.trial.task import TrialEnv

OUTPUT = 200_000
"""Characters of a verifier's output that are kept."""


class WatchedAgent:
    """An agent whose turns are timed, and that ends when its time or the run does."""

    def __init__(
        self,
        inner: Agent,
        stop: threading.Event,
        *,
        seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Choose an agent.

        Args:
            inner: It decides.
            stop: Set where the run is being stopped.
            seconds: Of thinking and commands together; None for no limit.
            clock: Seconds.
        """
        self.name = inner.name
        self.moments: list[tuple[float, float]] = []
        self.instruction = ""
        self.began: float | None = None
        """When it was given its task."""
        self.failure: BaseException | None = None
        """What it raised."""
        self._inner = inner
        self._stop = stop
        self._seconds = seconds
        self._clock = clock

    @property
    def tokens(self) -> Tokens | None:
        """Return the inner agent's."""
        return self._inner.tokens

    @property
    def usage(self) -> Usage:
        """Return what its model was asked for."""
        return self._inner.usage if isinstance(self._inner, Metered) else Usage()

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin an episode."""
        self.moments.clear()
        self.instruction = instruction
        self.began = self._clock()
        self._inner.reset(instruction, seed=seed)

    def prepare(self, ground: Ground) -> None:
        """Let the agent see to what it needs of the machine."""
        if isinstance(self._inner, Prepared):
            self._inner.prepare(ground)

    def act(self, observation: str) -> Turn:
        """Return the next turn; the end where time is up."""
        asked = self._clock()
        if self._stop.is_set():
            self.failure = Stopped()
            raise self.failure
        if self._seconds is not None and self._spent(asked) >= self._seconds:
            return Turn(ending=Ending.TIME_LIMIT)
        try:
            turn = self._inner.act(observation)
        except Exception as error:
            self.failure = error
            raise
        if turn.command is not None or turn.reply:
            self.moments.append((asked, self._clock()))
        return turn

    def _spent(self, at: float) -> float:
        return at - (at if self.began is None else self.began) - self.usage.waited


class WatchedTask:
    """A task that brings an environment of its own, which stays known when it is closed."""

    def __init__(self, inner: Playable) -> None:
        self.name = inner.name
        self._inner = inner
        self._env: TerminalEnv | None = None

    def environment(
        self, *, backend: Backend, image: str | None, limits: EpisodeLimits | None
    ) -> TerminalEnv:
        """Return its terminal."""
        self._env = self._inner.environment(backend=backend, image=image, limits=limits)
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

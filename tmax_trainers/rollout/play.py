"""Episodes for a group source: start, turns, grading, each under a limit of its own.

Covers how many sandboxes start, how many commands run and how many episodes are graded at the
same time; a deadline; cancellation between two turns; and what every part took.  What
infrastructure does wrong becomes an ending without reward, never a reward.
Does not cover trying again: the group source does, with another seed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Literal, TypeVar

from tmax_gym.agents import Agent, Turn
from tmax_gym.env import TerminalEnv
from tmax_gym.episode import EpisodeLimits
from tmax_gym.errors import BackendUnavailable, ImageError, SandboxError, VerifierError
from tmax_gym.observation import is_submit
from tmax_gym.sandboxes import Backend
from tmax_gym.task import Task
from tmax_gym.trajectory import Ending, Step, Trajectory
from tmax_trainers.rollout.records import Episode, Metrics

T = TypeVar("T")
Part = Literal["start", "command", "verifier", "sample"]
PARTS: tuple[Part, ...] = ("start", "command", "verifier", "sample")


@dataclass(frozen=True, slots=True)
class PlayLimits:
    """What may happen at the same time, and how long an episode may take."""

    starts: int = 64
    """Sandboxes that start (TMax: the same number)."""
    commands: int = 256
    """Commands that run (TMax: the same number)."""
    verifiers: int = 64
    """Episodes that are graded."""
    wall_seconds: float = 7200.0
    """Of an episode, waiting included; looked at between two turns."""
    episode: EpisodeLimits = field(default_factory=EpisodeLimits)


class _Stopped(Exception):
    """Nobody waits for the episode any more, or its time is up."""


class _AgentFailed(Exception):
    """The agent or its engine raised; the cause is the exception."""


@dataclass(slots=True)
class _Play:
    """An episode in the making."""

    steps: list[Step] = field(default_factory=list)
    ending: Ending = Ending.AGENT_STOPPED
    message: str = ""


class Gates:
    """Counts what happens at the same time, and how long it took."""

    def __init__(self, limits: PlayLimits) -> None:
        room: dict[Part, int] = {
            "start": limits.starts,
            "command": limits.commands,
            "verifier": limits.verifiers,
        }
        self._room = {part: threading.BoundedSemaphore(count) for part, count in room.items()}
        self._lock = threading.Lock()
        self._inside = dict.fromkeys(PARTS, 0)
        self._most = dict.fromkeys(PARTS, 0)
        self._seconds = {part: (0.0, 0) for part in PARTS}

    @contextmanager
    def through(self, part: Part) -> Iterator[None]:
        """Wait for room, then count and time what is done inside."""
        room = self._room.get(part)
        if room is not None:
            room.acquire()
        began = time.monotonic()
        with self._lock:
            self._inside[part] += 1
            self._most[part] = max(self._most[part], self._inside[part])
        try:
            yield
        finally:
            with self._lock:
                self._inside[part] -= 1
                total, count = self._seconds[part]
                self._seconds[part] = (total + time.monotonic() - began, count + 1)
            if room is not None:
                room.release()

    def inside(self) -> dict[Part, int]:
        """Return what happens now."""
        with self._lock:
            return dict(self._inside)

    def metrics(self) -> Metrics:
        """Return mean seconds and greatest numbers since the last call."""
        with self._lock:
            found: Metrics = {f"time/{part}": pair for part, pair in self._seconds.items()}
            found |= {f"concurrent/{part}_max": float(most) for part, most in self._most.items()}
            self._seconds = {part: (0.0, 0) for part in PARTS}
            self._most = dict(self._inside)
        return found


class EpisodePlayer:
    """Runs the episodes of a group source in sandboxes; call it from many threads.

    Args:
        find_task: Returns a task by the name that the source gives it.
        make_agent: Returns the agent of an episode.
        limits: Numbers and times.
        backend: Where sandboxes run.
        image: Root file system; the default one if None.
    """

    def __init__(
        self,
        find_task: Callable[[str], Task],
        make_agent: Callable[[Episode], Agent],
        limits: PlayLimits,
        *,
        backend: Backend,
        image: str | None = None,
    ) -> None:
        self.gates = Gates(limits)
        self._find_task = find_task
        self._make_agent = make_agent
        self._limits = limits
        self._backend = backend
        self._image = image

    def __call__(self, episode: Episode) -> Trajectory:
        """Play one episode.

        Raises:
            BackendUnavailable: No sandbox can run here; trying again would not help.
            ImageError: The root file system is absent; trying again would not help.
        """
        task = self._find_task(episode.task)
        agent = self._make_agent(episode)
        options: Any = {
            f.name: getattr(self._limits.episode, f.name) for f in fields(self._limits.episode)
        }
        env = TerminalEnv(task, backend=self._backend, image=self._image, **options)
        play = _Play()
        reward: float | None = None
        parts: tuple[tuple[str, float], ...] = ()
        try:
            with closing(env):
                self._play(env, agent, episode, play=play)
                verdict = env.verdict
            if verdict is not None:
                reward = verdict.reward
                parts = tuple((part.id, part.score) for part in verdict.parts)
        except (BackendUnavailable, ImageError):
            raise
        except (SandboxError, OSError, _Stopped) as error:
            play.ending, play.message = Ending.INFRA_ERROR, str(error) or repr(error)
        except VerifierError as error:
            play.ending, play.message = Ending.VERIFIER_ERROR, str(error)
        except _AgentFailed as error:
            play.ending, play.message = Ending.AGENT_ERROR, repr(error.__cause__)
        return Trajectory(
            task=episode.task,
            agent=agent.name,
            seed=episode.seed,
            ending=play.ending,
            reward=reward if play.ending.graded else None,
            steps=tuple(play.steps),
            parts=parts if play.ending.graded else (),
            tokens=agent.tokens,
            message=play.message,
            attempts=episode.attempt + 1,
        )

    def _play(self, env: TerminalEnv, agent: Agent, episode: Episode, *, play: _Play) -> None:
        deadline = time.monotonic() + self._limits.wall_seconds
        self._go_on(episode, deadline)
        with self.gates.through("start"):
            self._go_on(episode, deadline)
            instruction, _ = env.reset(seed=episode.seed)
        self._ask(partial(agent.reset, instruction, seed=episode.seed))
        observation = ""
        while True:
            self._go_on(episode, deadline)
            with self.gates.through("sample"):
                turn = self._ask(partial(agent.act, observation))
            self._go_on(episode, deadline)
            if turn.command is None:
                observation = ""
                if turn.reply:
                    play.steps.append(Step("", turn.feedback, None, 0.0, turn.reply))
                if turn.ending is None and len(play.steps) < env.limits.max_steps:
                    continue
                return self._grade(env, turn.ending or Ending.STEP_LIMIT, play)
            if (done := self._step(env, turn, play)) is None:
                return None
            observation = done
            if len(play.steps) >= env.limits.max_steps:
                return self._grade(env, Ending.STEP_LIMIT, play)

    def _step(self, env: TerminalEnv, turn: Turn, play: _Play) -> str | None:
        """Run a command and return what it printed, or None where the episode has ended."""
        command = turn.command or ""
        last = is_submit(command) or len(play.steps) + 1 >= env.limits.max_steps
        with self.gates.through("verifier" if last else "command"):
            observation, _, terminated, truncated, info = env.step(command)
        code = info["exit_code"]
        play.steps.append(
            Step(command, observation, None if code < 0 else code, info["seconds"], turn.reply)
        )
        if terminated or truncated:
            play.ending = Ending(info["ending"])
            return None
        return observation

    def _grade(self, env: TerminalEnv, ending: Ending, play: _Play) -> None:
        play.ending = ending
        with self.gates.through("verifier"):
            env.finish(ending)

    def _go_on(self, episode: Episode, deadline: float) -> None:
        """Raise where the episode is not wanted any more."""
        if episode.cancelled.is_set():
            raise _Stopped("cancelled: its group was settled without it")
        if time.monotonic() > deadline:
            raise _Stopped(
                f"not over after {self._limits.wall_seconds:g} s; raise wall_seconds, or look at "
                "time/start, time/command, time/verifier and time/sample"
            )

    def _ask(self, call: Callable[[], T]) -> T:
        """Call the agent; whatever it raises is its own failure."""
        try:
            return call()
        except Exception as error:
            raise _AgentFailed from error

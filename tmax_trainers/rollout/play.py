"""Episodes for a group source: start, turns, grading, each under a limit of its own.

Covers how many sandboxes start, how many commands run and how many episodes are graded at the
same time; a deadline; cancellation between two turns; and what every part took.  What
infrastructure does wrong becomes an ending without reward, never a reward.
Does not cover trying again: the group source does, with another seed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, TypeVar

from tmax_gym.agents.agent import Agent, Prepared, Turn
from tmax_gym.agents.timed import apart
from tmax_gym.envs.observation import is_submit
from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.errors import BackendUnavailable, ImageError, SandboxError, VerifierError
from tmax_gym.sandboxes import Backend, trial_account
from tmax_gym.tasks.compose import Task
from tmax_gym.trajectory import Ending, Step, Trajectory
from tmax_trainers.rollout.gates import Gates, PlayLimits
from tmax_trainers.rollout.records import Episode
from tmax_trainers.rollout.watch import TICK, Watch

__all__ = ["EpisodePlayer", "Gates", "PlayLimits"]

T = TypeVar("T")


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
        self.gates.check()
        watch = Watch(self._limits.wall_seconds)
        whole = partial(self._played, episode, watch)
        try:
            played = apart(whole, check=watch, tick=TICK, name=f"episode {episode.task}")
        except BaseException:
            if watch.reason is None:
                raise
        else:
            if watch.reason is None:
                return played
        # Whatever it says now it says of machines that were taken away from it.
        if not watch.visit.ended.is_set():
            self.gates.leave_behind(watch.visit)
        return Trajectory(
            task=episode.task,
            agent=watch.agent,
            seed=episode.seed,
            ending=Ending.INFRA_ERROR,
            reward=None,
            message=str(watch.reason),
            attempts=episode.attempt + 1,
        )

    def _played(self, episode: Episode, watch: Watch) -> Trajectory:
        """Play it in a thread that may be left behind."""
        try:
            with trial_account.used(watch.account):
                return self._outcome(episode, watch)
        finally:
            watch.visit.ended.set()

    def _outcome(self, episode: Episode, watch: Watch) -> Trajectory:
        task = self._find_task(episode.task)
        agent = self._make_agent(episode)
        watch.agent = agent.name
        options: Any = {
            f.name: getattr(self._limits.episode, f.name) for f in fields(self._limits.episode)
        }
        env = watch.env = TerminalEnv(task, backend=self._backend, image=self._image, **options)
        play = _Play()
        reward: float | None = None
        parts: tuple[tuple[str, float], ...] = ()
        try:
            with closing(env):
                self._play(watch, agent, episode, play=play)
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

    def _play(self, watch: Watch, agent: Agent, episode: Episode, *, play: _Play) -> None:
        env, visit = _of(watch), watch.visit
        self._go_on(episode, watch)
        with self.gates.through("start", visit):
            self._go_on(episode, watch)
            instruction, _ = env.reset(seed=episode.seed)
            self._ask(partial(agent.reset, instruction, seed=episode.seed))
            if isinstance(agent, Prepared):
                _prepare(agent, env)
        observation = ""
        while True:
            self._go_on(episode, watch)
            with self.gates.through("sample", visit):
                turn = self._ask(partial(agent.act, observation))
            self._go_on(episode, watch)
            if turn.command is None:
                observation = ""
                if turn.reply:
                    play.steps.append(Step("", turn.feedback, None, 0.0, turn.reply))
                if turn.ending is None and len(play.steps) < env.limits.max_steps:
                    continue
                return self._grade(watch, turn.ending or Ending.STEP_LIMIT, play)
            if (done := self._step(watch, turn, play)) is None:
                return None
            observation = done
            if len(play.steps) >= env.limits.max_steps:
                return self._grade(watch, Ending.STEP_LIMIT, play)

    def _step(self, watch: Watch, turn: Turn, play: _Play) -> str | None:
        """Run a command and return what it printed, or None where the episode has ended."""
        env, command = _of(watch), turn.command or ""
        last = is_submit(command) or len(play.steps) + 1 >= env.limits.max_steps
        with self.gates.through("verifier" if last else "command", watch.visit):
            observation, _, terminated, truncated, info = env.step(command)
        code = info["exit_code"]
        play.steps.append(
            Step(command, observation, None if code < 0 else code, info["seconds"], turn.reply)
        )
        if terminated or truncated:
            play.ending = Ending(info["ending"])
            return None
        return observation

    def _grade(self, watch: Watch, ending: Ending, play: _Play) -> None:
        play.ending = ending
        with self.gates.through("verifier", watch.visit):
            _of(watch).finish(ending)

    def _go_on(self, episode: Episode, watch: Watch) -> None:
        """Raise where the episode is not wanted any more."""
        if episode.cancelled.is_set():
            raise _Stopped("cancelled: its group was settled without it")
        if time.monotonic() > watch.deadline:
            raise _Stopped(watch.over())

    def _ask(self, call: Callable[[], T]) -> T:
        """Call the agent; whatever it raises is its own failure."""
        try:
            return call()
        except Exception as error:
            raise _AgentFailed from error


def _of(watch: Watch) -> TerminalEnv:
    assert watch.env is not None
    return watch.env


def _prepare(agent: Prepared, env: TerminalEnv) -> None:
    """Let an agent see to what it needs of the machine; where it fails, the machine is at fault."""
    try:
        agent.prepare(env.ground)
    except SandboxError:
        raise
    except Exception as error:
        raise SandboxError(f"the machine could not be prepared for the agent: {error!r}") from error

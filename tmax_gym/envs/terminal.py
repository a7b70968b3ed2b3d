"""`TerminalEnv`: a Gymnasium environment that plays one task in a fresh sandbox.

It takes tasks of every kind, and grades an episode however it ends.  Retries are in
`agents/rollout.py`.
"""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Unpack

import gymnasium as gym
from gymnasium.error import ResetNeeded
from gymnasium.utils import EzPickle

from tmax_gym.checks.verdict import Verdict
from tmax_gym.envs.spaces import Unicode
from tmax_gym.episodes import phases
from tmax_gym.episodes.limits import LimitOptions
from tmax_gym.episodes.observation import is_submit
from tmax_gym.episodes.shell_episode import step_info
from tmax_gym.episodes.task import Episode, Ground, StepGrade, Task
from tmax_gym.sandboxes import Backend
from tmax_gym.sandboxes import backend as backend_named
from tmax_gym.shell.coroutines import BLOCKS, Steps, finish
from tmax_gym.tasks import catalogue
from tmax_gym.trajectory import Ending

TEXT_LIMIT = 1 << 20
"""Characters of an action or an observation; shells take commands of 400 kB and more."""

Transition = tuple[str, float, bool, bool, dict[str, Any]]
Part = Literal["nothing", "start", "command", "grading", "closing"]


@dataclass(frozen=True, slots=True)
class Doing:
    """What an environment is doing, for watchdogs; `since` is by the monotonic clock."""

    part: Part
    since: float


class TerminalEnv(gym.Env[str, str], EzPickle):
    """A terminal and a task.

    An action is a command for a persistent bash; an observation is what it printed.  The
    episode ends terminated when the agent submits (`SUBMIT`), and truncated when its steps or its
    time are used up, or when it has destroyed its shell.  Either way it is graded:
    the last reward is the verdict, and the last `info` has `reward`, `status`, `ending` and the
    score of every check as `part/<id>`.

    Where a task has several steps, submitting grades the step and the observation is the next
    instruction; the reward comes at the end.  `info` of the last step then has `rewards`,
    `verifier_output` and, for every step, `step_rewards`.

    Limit episodes by `max_steps`, not by `max_episode_steps`: Gymnasium's `TimeLimit` would end
    them without grading.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        task: str | Task,
        *,
        backend: str | Backend = "auto",
        image: str | None = None,
        render_mode: str | None = None,
        **limits: Unpack[LimitOptions],
    ) -> None:
        """Choose a task; nothing starts before `reset`.

        Args:
            task: Name in the catalogue, with or without `tmax/`, or a task of any kind.
            backend: Where sandboxes run, by name or as an object.
            image: Root file system, for tasks without one of their own; the default one if None.
            render_mode: `ansi` (render returns the last screen) or `human` (it is printed).
            **limits: Fields of `EpisodeLimits`; the task decides those that are not given.

        Raises:
            TaskNotFound: No task has this name.
        """
        EzPickle.__init__(
            self, task, backend=backend, image=image, render_mode=render_mode, **limits
        )
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode {render_mode!r} is none of: ansi, human")
        self.task: Task = catalogue.load(task) if isinstance(task, str) else task
        self.limits = self.task.limits(**limits)
        self.render_mode = render_mode
        self.observation_space = Unicode(TEXT_LIMIT)
        self.action_space = Unicode(TEXT_LIMIT)
        self.verdict: Verdict | None = None
        """The verdict of the last episode; None while one runs."""
        self.doing = Doing("nothing", 0.0)
        self._backend = backend
        self._image = image
        self._episode: Episode | None = None
        self._last: Episode | None = None
        """The episode that runs, or else the last one."""
        self._screen = ""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start a fresh sandbox; the observation is the instruction.

        Args:
            seed: Seeds bash's `$RANDOM`; it does not change the task.
            options: Unused.

        Raises:
            Unbuildable: The task cannot run on this kind of sandbox, or has no image here.
            Ungraded: Its verifier cannot run.
            SandboxError: The machine could not be started; nothing is left open.
        """
        super().reset(seed=seed)
        self.close()
        self.verdict = self._last = None
        name = self._backend
        machines = backend_named(name) if isinstance(name, str) else name
        seen = int(self.np_random.integers(1 << 31)) if seed is None else seed
        with self._at("start"):
            episode = self.task.open(machines, limits=self.limits, seed=seen, image=self._image)
        self._episode = self._last = episode
        # Also closes the machine when the environment is garbage-collected, and at exit.
        self._release = weakref.finalize(self, episode.close)
        self._show(self.task.instruction)
        info = {
            "task": self.task.name,
            "digest": self.task.digest,
            "seed": seen,
            "max_steps": self.limits.max_steps,
        }
        return self.task.instruction, info | _step_name(episode)

    def step(self, action: str) -> Transition:
        """Run a command, or submit and be graded.

        Raises:
            SandboxError: The machine failed; the episode is closed and has no reward.
            VerifierError: The verifier failed; the episode is closed and has no reward.
        """
        return finish(self.stepping(action))

    def stepping(self, action: str) -> Steps[Transition]:
        """Do what `step` does as a coroutine: the caller does the waiting.

        Closing the coroutine before its end closes the episode.
        """
        episode = self._running()
        with ExitStack() as failing, self._at("command"):
            failing.callback(self.close)
            transition = yield from self._stepping(episode, action)
            failing.pop_all()
        return transition

    def _stepping(self, episode: Episode, action: str) -> Steps[Transition]:
        if episode.time_left() <= 0:
            yield BLOCKS
            observation = "(the time was over before this)"
            return self._end(Ending.TIME_LIMIT, observation, step_info(episode.steps))
        if is_submit(action):
            yield BLOCKS
            return self._end(Ending.SUBMITTED, "(submitted)", step_info(episode.steps))
        observation, info = yield from episode.running(action)
        self._show(f"$ {action}\n{observation}")
        if episode.shell_lost:
            ending = Ending.SHELL_LOST
        elif episode.steps >= self.limits.max_steps:
            ending = Ending.STEP_LIMIT
        elif episode.seconds >= self.limits.episode_seconds or episode.time_left() <= 0:
            ending = Ending.TIME_LIMIT
        else:
            return observation, 0.0, False, False, info
        yield BLOCKS
        return self._end(ending, observation, info)

    def finish(self, ending: Ending) -> Verdict:
        """Grade and end the episode from outside, for example when a model's context is full.

        Raises:
            SandboxError: The machine failed; the episode is closed and has no reward.
            VerifierError: The verifier failed; the episode is closed and has no reward.
        """
        if not ending.graded:
            raise ValueError(f"an episode that ends with {ending} is not graded: close it")
        episode = self._running()
        with ExitStack() as closing, self._at("grading"):
            closing.callback(self.close)
            self.verdict = episode.grade()
        self._show(f"[{ending}: reward {self.verdict.reward:.3f}]")
        return self.verdict

    def time_left(self) -> float:
        """Return the seconds that the agent has left; infinity without a limit."""
        episode = self._episode  # another thread may close it meanwhile
        return math.inf if episode is None else episode.time_left()

    def commands_left(self) -> float:
        """Return the seconds that are left for this command and all later ones together."""
        episode = self._episode  # another thread may close it meanwhile
        if episode is None:
            return math.inf
        return episode.limits.episode_seconds - episode.seconds

    def excuse(self, seconds: float) -> None:
        """Set how many seconds of this episode so far do not count against its agent."""
        if self._episode is not None:
            self._episode.excused = seconds

    def render(self) -> str | None:
        """Return the last screen for `ansi`; `human` has been printed already."""
        return self._screen if self.render_mode == "ansi" else None

    @property
    def ground(self) -> Ground:
        """Return the running episode, so that a harness can prepare its machine."""
        return self._running()

    @property
    def graded(self) -> Sequence[StepGrade]:
        """Return the grades of the last episode's steps; empty for a task without steps."""
        return self._last.graded if self._last is not None else ()

    def close(self) -> None:
        """Destroy the sandbox and all that it held.  Idempotent."""
        if self._episode is not None:
            self._episode = None
            with self._at("closing"):
                self._release()

    @contextmanager
    def _at(self, part: Part) -> Iterator[None]:
        """Set `doing`, for watchdogs."""
        before, began = self.doing.part, time.monotonic()
        self.doing = Doing(part, began)
        try:
            yield
        finally:
            # Restart the clock: what was done inside has a limit of its own.
            self.doing = Doing(before, time.monotonic())
            phases.note(part, self.doing.since - began)

    def _running(self) -> Episode:
        if self._episode is None:
            raise ResetNeeded("no episode is running: call reset() first")
        return self._episode

    def _end(self, ending: Ending, observation: str, info: dict[str, Any]) -> Transition:
        episode, submitted = self._running(), ending is Ending.SUBMITTED
        if submitted:
            with self._at("grading"):
                following = episode.advance()
            if following is not None:
                self._show(following)
                return following, 0.0, False, False, info | _step_name(episode)
        verdict = self.finish(ending)
        info |= {"reward": verdict.reward, "status": "graded", "ending": str(ending)}
        info |= {f"part/{part.id}": part.score for part in verdict.parts}
        if graded := self.graded:
            info["rewards"] = {part.id: part.score for part in verdict.parts}
            info["step_rewards"] = [dict(step.values) for step in graded]
            info["verifier_output"] = graded[-1].output
        return observation, verdict.reward, submitted, not submitted, info

    def _show(self, screen: str) -> None:
        self._screen = screen
        if self.render_mode == "human":
            print(screen, flush=True)


def _step_name(episode: Episode) -> dict[str, Any]:
    return {"step_name": episode.step_name} if episode.step_name else {}

"""`TrialTask` and `TrialEnv`: a task of a Harbor dataset, and it as a Gymnasium environment.

Covers a task's name, digest, labels and limits as rollouts take them, and reset, step and
grading of tasks with one step or several, as `TerminalEnv` does for our own: an action is a
command, submitting ends a step.  Rewards by name are in the last `info`.  Does not cover reading
directories.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

import gymnasium as gym
from gymnasium.utils import EzPickle

from tmax_gym.agents.agent import Agent
from tmax_gym.envs.episode import EpisodeLimits, LimitOptions
from tmax_gym.envs.spaces import Unicode
from tmax_gym.envs.terminal import TEXT_LIMIT, Doing, TerminalEnv, Transition
from tmax_gym.errors import VerifierError
from tmax_gym.harbor.run.episode import TrialEpisode
from tmax_gym.harbor.run.grading.grading import Graded
from tmax_gym.harbor.run.machines import obstacle
from tmax_gym.harbor.run.oracle import SolutionAgent
from tmax_gym.harbor.run.settings import Settings
from tmax_gym.harbor.tasks.directory import HarborTask, read_task
from tmax_gym.sandboxes import Backend
from tmax_gym.sandboxes import backend as backend_named
from tmax_gym.trajectory import Ending

_TAGS = ("difficulty", "category")


@dataclass(frozen=True, slots=True)
class TrialTask:
    """A task of a dataset, and how it is run."""

    name: str
    """`dataset/task`, as runs and reports call it."""
    harbor: HarborTask
    settings: Settings = field(default_factory=Settings)
    id: str = ""
    """Its Gymnasium id: the name, spelt where Gymnasium would not take it; "" for a task that is
    not registered."""

    def __repr__(self) -> str:
        """Return the name and the directory, not the files in it."""
        return f"<TrialTask {self.name} at {self.harbor.directory}>"

    @property
    def instruction(self) -> str:
        """Return the first instruction."""
        return self.harbor.steps[0].instruction

    @property
    def digest(self) -> str:
        """Return what identifies the task's files; reads every one."""
        return self.harbor.digest()

    @property
    def tags(self) -> tuple[tuple[str, str], ...]:
        """Return its difficulty and category, where it names them."""
        found = self.harbor.config.metadata
        return tuple((key, str(found[key])) for key in sorted(_TAGS) if found.get(key))

    @property
    def submissions(self) -> int:
        """Return how often an agent submits: once for each step."""
        return len(self.harbor.steps)

    def solver(self) -> Agent:
        """Return the agent that runs the task's own `solve.sh`.

        Raises:
            HarborError: A step has none, or one that Linux cannot run.
        """
        return SolutionAgent(self)

    def obstacle(self, backend: str) -> str:
        """Return why a kind of sandbox cannot run it, "" where it can."""
        return obstacle(self.harbor, backend, substitutes=self.settings.substitutes)

    def limits(self, **given: Unpack[LimitOptions]) -> EpisodeLimits:
        """Return the limits of an episode: given ones, else the task's own."""
        step, settings = self.harbor.steps[0], self.settings
        times = settings.multipliers
        factor, building, verifying = (
            times.all if own is None else own for own in (times.agent, times.build, times.verifier)
        )
        seconds = (step.agent.timeout_sec or settings.agent_seconds) * factor
        own: dict[str, Any] = {
            "max_steps": settings.max_steps,
            "episode_seconds": seconds,
            # As in Harbor, whose limit is one on the agent as a whole.
            "agent_seconds": seconds,
            "command_timeout": min(settings.command_timeout, seconds),
            "start_seconds": self.harbor.machine.config.build_timeout_sec * building,
            "verify_timeout": step.verifier.timeout_sec * verifying,
        }
        return EpisodeLimits(**{**own, **given})

    def environment(
        self, *, backend: Backend, image: str | None = None, limits: EpisodeLimits | None = None
    ) -> TrialEnv:
        """Return a terminal with this task; its image is its own, whatever `image` says."""
        options: Any = {} if limits is None else {
            name: getattr(limits, name) for name in EpisodeLimits.__dataclass_fields__
        }  # fmt: skip
        return TrialEnv(self, backend=backend, **options)


class TrialEnv(TerminalEnv):
    """A terminal and a task of a Harbor dataset.

    Where a task has several steps, submitting grades the step and the observation is the next
    instruction; the reward comes at the end, by the task's own strategy.  `info` of the last
    step has `rewards`, `verifier_output` and, for every step, `step_rewards`.
    """

    def __init__(
        self,
        trial: TrialTask | str | Path,
        *,
        name: str = "",
        settings: Settings | None = None,
        backend: str | Backend = "auto",
        render_mode: str | None = None,
        **limits: Unpack[LimitOptions],
    ) -> None:
        """Choose a task; nothing starts before `reset`.

        Args:
            trial: A task, or the directory of one.
            name: What to call the task of a directory.
            settings: How it is run; for a directory.
            backend: Where sandboxes run.
            render_mode: `ansi` or `human`.
            **limits: The fields of `EpisodeLimits`; the task's own where they are not given.

        Raises:
            HarborError: The directory holds no task.
        """
        EzPickle.__init__(
            self,
            trial,
            name=name,
            settings=settings,
            backend=backend,
            render_mode=render_mode,
            **limits,
        )
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode {render_mode!r} is none of: ansi, human")
        if not isinstance(trial, TrialTask):
            read = read_task(Path(trial))
            trial = TrialTask(name or read.name, read, settings or Settings())
        self.trial = trial
        self.limits = trial.limits(**limits)
        self.render_mode = render_mode
        self.observation_space = Unicode(TEXT_LIMIT)
        self.action_space = Unicode(TEXT_LIMIT)
        self.verdict = None
        self.graded: tuple[Graded, ...] = ()
        """What the verifiers of the last episode said, a step each."""
        self.doing = Doing("nothing", 0.0)
        self._backend = backend
        self._image = None
        self._episode: TrialEpisode | None = None
        self._screen = ""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start a fresh machine; the observation is the first instruction.

        Raises:
            Unbuildable: The task cannot run on this kind of sandbox, or has no image here.
            Ungraded: The script that would grade it cannot be started on Linux.
            SandboxError: The machine could not be started; nothing is left open.
        """
        gym.Env.reset(self, seed=seed)
        self.close()
        self.verdict = None
        self.graded = ()
        name = self._backend
        machines = backend_named(name) if isinstance(name, str) else name
        seen = int(self.np_random.integers(1 << 31)) if seed is None else seed
        with self._at("start"):
            episode = TrialEpisode(self.trial, machines, limits=self.limits, seed=seen)
        self._episode = episode
        self._release = weakref.finalize(self, episode.close)
        instruction = episode.step.instruction
        self._show(instruction)
        return instruction, {
            "task": self.trial.name,
            "digest": self.trial.digest,
            "seed": seen,
            "max_steps": self.limits.max_steps,
            "step_name": episode.step.name,
        }

    def _end(self, ending: Ending, observation: str, info: dict[str, Any]) -> Transition:
        episode = self._episode
        steps = self.trial.harbor.steps
        if ending is Ending.SUBMITTED and episode is not None and len(steps) > 1:
            try:
                with self._at("grading"):
                    following = episode.advance()
            finally:
                self.graded = tuple(episode.graded)
            if following is not None:
                self._show(following.instruction)
                info |= {"step_name": following.name}
                return following.instruction, 0.0, False, False, info
        transition = super()._end(ending, observation, info)
        rewards = dict(part_values(self))
        transition[4].update(
            rewards=rewards,
            step_rewards=[dict(g.rewards.values) if g.rewards else {} for g in self.graded],
            verifier_output=self.graded[-1].output if self.graded else "",
        )
        return transition

    def finish(self, ending: Ending) -> Any:
        """Grade and end the episode from outside; as `TerminalEnv.finish`."""
        episode = self._episode
        try:
            return super().finish(ending)
        except VerifierError:
            raise
        finally:
            if episode is not None:
                self.graded = tuple(episode.graded)


def part_values(env: TrialEnv) -> list[tuple[str, float]]:
    """Return the rewards by name of the episode that ended last."""
    return [(part.id, part.score) for part in env.verdict.parts] if env.verdict else []

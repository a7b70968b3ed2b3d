"""`TrialTask`: a task of a Harbor dataset.

Covers its name, digest, labels, limits and episodes, for tasks with one step or several.  Does not
cover reading directories.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Unpack

from tmax_gym.episodes.limits import Deadlines, EpisodeLimits, LimitOptions
from tmax_gym.episodes.task import Solution
from tmax_gym.harbor.run.episode import TrialEpisode
from tmax_gym.harbor.run.machines import obstacle
from tmax_gym.harbor.run.oracle import solution
from tmax_gym.harbor.run.settings import HarborSettings
from tmax_gym.harbor.run.times import Times
from tmax_gym.harbor.tasks.directory import HarborTask
from tmax_gym.sandboxes import Backend

_TAGS = ("difficulty", "category")


@dataclass(frozen=True, slots=True)
class TrialTask:
    """A task of a dataset, and how it is run."""

    name: str
    """`dataset/task`, as runs and reports call it."""
    harbor: HarborTask
    settings: HarborSettings = field(default_factory=HarborSettings)
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
    def image(self) -> str:
        """Return "": it brings its own."""
        return ""

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

    def deadlines(self, limits: EpisodeLimits) -> Deadlines:
        """Return when its start and the grading of its longest step are overdue."""
        times = Times(self.harbor, limits)
        return Deadlines(times.start(), times.grading())

    def open(
        self, backend: Backend, *, limits: EpisodeLimits, seed: int, image: str | None = None
    ) -> TrialEpisode:
        """Start an episode; its image is its own, whatever `image` says.

        Raises:
            Unbuildable: This kind of sandbox cannot run the task, or its image cannot be made.
            Ungraded: The script that would grade it cannot be started on Linux.
            SandboxError: Something could not be started; nothing is left open.
        """
        return TrialEpisode(self, backend, limits=limits, seed=seed)

    def solution(self) -> Solution:
        """Return the task's own `solve.sh`, step by step.

        Raises:
            HarborError: A step has none, or one that Linux cannot run.
        """
        return solution(self)

"""`TrialTask`: a task of a Harbor dataset, with one step or several."""

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
    """A task of a dataset, with the settings under which it runs."""

    name: str
    """`dataset/task`, its name in runs and reports."""
    harbor: HarborTask
    settings: HarborSettings = field(default_factory=HarborSettings)
    id: str = ""
    """Its Gymnasium id: the name, in which characters that Gymnasium refuses are spelt; "" if it is
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
        """Return a digest of all files of the task; reads every file."""
        return self.harbor.digest()

    @property
    def tags(self) -> tuple[tuple[str, str], ...]:
        """Return its difficulty and category, if it names them."""
        metadata = self.harbor.config.metadata
        return tuple((key, str(metadata[key])) for key in sorted(_TAGS) if metadata.get(key))

    @property
    def image(self) -> str:
        """Return "", because it has its own image."""
        return ""

    def obstacle(self, backend: str) -> str:
        """Return why a kind of sandbox cannot run it, "" if it can."""
        return obstacle(self.harbor, backend, substitutes=self.settings.substitutes)

    def limits(self, **given: Unpack[LimitOptions]) -> EpisodeLimits:
        """Return the limits of an episode: those given, else the task's own."""
        step, settings = self.harbor.steps[0], self.settings
        times = settings.multipliers
        factor, building, verifying = (
            times.all if own is None else own for own in (times.agent, times.build, times.verifier)
        )
        seconds = (step.agent.timeout_sec or settings.agent_seconds) * factor
        own: dict[str, Any] = {
            "max_steps": settings.max_steps,
            "episode_seconds": seconds,
            # As in Harbor, it limits commands and thinking together.
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
        """Start an episode in its own image; `image` is ignored.

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

"""What one episode may use: steps, seconds, output, and the resources of its machine."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypedDict, cast

from tmax_gym.episodes.observation import OBSERVATION_LIMIT
from tmax_gym.grading import drivers
from tmax_gym.sandboxes import Limits


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds after which a part of an episode is overdue."""

    start: float
    """Everything before the agent's first turn."""
    grading: float
    """Grading, and setting up the next step where a task has several."""


@dataclass(frozen=True, slots=True)
class EpisodeLimits:
    """What one episode may use."""

    max_steps: int = 64
    """Commands; the episode is graded after the last one (as in TMax)."""
    episode_seconds: float = 900.0
    """Time of all commands together, without the agent's thinking."""
    agent_seconds: float | None = None
    """Time of commands and thinking together, without excused time; None for no limit."""
    command_timeout: float = 30.0
    """Seconds that one command may take."""
    verify_timeout: float = 60.0
    """Time of the agent's programs while they are graded."""
    start_seconds: float = 600.0
    """Time to build, start and set up the machine, without waiting for a turn (Harbor's default
    for a build).  `bench/running/guard.py` enforces it."""
    transfer_seconds: float = 120.0
    """Time around the verifier, to copy files and to stop machines; enforced as `start_seconds`."""
    observation_limit: int = OBSERVATION_LIMIT
    """Characters of output in an observation."""
    sandbox: Limits | None = None
    """Memory, processes and disk of the machine; None for the backend's defaults."""

    def __post_init__(self) -> None:
        """Refuse an episode without a step."""
        if self.max_steps < 1:
            raise ValueError(f"max_steps is {self.max_steps}; an episode has at least one step")

    def options(self) -> LimitOptions:
        """Return every field as a keyword argument."""
        return cast(LimitOptions, {f.name: getattr(self, f.name) for f in fields(self)})

    def deadlines(self) -> Deadlines:
        """Return the deadlines of a task with one step and no health checks."""
        programs = drivers.STRETCH * self.verify_timeout
        return Deadlines(self.start_seconds, programs + self.transfer_seconds)


class LimitOptions(TypedDict, total=False):
    """The fields of `EpisodeLimits` as keyword arguments."""

    max_steps: int
    episode_seconds: float
    command_timeout: float
    verify_timeout: float
    start_seconds: float
    transfer_seconds: float
    observation_limit: int
    agent_seconds: float | None
    sandbox: Limits | None

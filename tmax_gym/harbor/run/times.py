"""The limits of the parts of a trial, from its task and the limits of the episode.

The limits of an episode are those of the first step and of the agent's machine; those of other
steps and machines are changed in proportion.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.harbor.tasks.config import Healthcheck
from tmax_gym.harbor.tasks.directory import HarborStep, HarborTask, Machine


@dataclass(frozen=True, slots=True)
class Times:
    """The limits of one task's parts, in seconds."""

    task: HarborTask
    limits: EpisodeLimits

    def machine(self, machine: Machine) -> float:
        """Return the limit of making and starting a machine."""
        own = self.task.machine.config.build_timeout_sec
        return machine.config.build_timeout_sec * _ratio(self.limits.start_seconds, own)

    def setup(self, step: HarborStep) -> float:
        """Return the limit of a step's `setup.sh`: that of a build."""
        return self.machine(self.task.machine) if self.has_setup(step) else 0.0

    def has_setup(self, step: HarborStep) -> bool:
        """Return whether a step has a `setup.sh`."""
        return (
            bool(step.workdir) and (self.task.directory / str(step.workdir) / "setup.sh").is_file()
        )

    def verifier(self, step: HarborStep) -> float:
        """Return the limit of a step's tests."""
        own = self.task.steps[0].verifier.timeout_sec
        return step.verifier.timeout_sec * _ratio(self.limits.verify_timeout, own)

    def start(self) -> float:
        """Return the limit of everything before the agent begins."""
        machine = self.machine(self.task.machine)
        health = _health(self.task.config.environment.healthcheck)
        return machine + health + self._begin(self.task.steps[0])

    def grading(self) -> float:
        """Return the limit of grading a step and beginning the next one."""
        return max(map(self._grading, range(len(self.task.steps))))

    def _grading(self, index: int) -> float:
        step = self.task.steps[index]
        following = self.task.steps[index + 1 : index + 2]
        machine = step.verifier_machine
        return (
            self.verifier(step)
            + sum(hook.timeout_sec for hook in step.verifier.collect)
            + (0.0 if machine is None else self.machine(machine))
            + self.limits.transfer_seconds
            + sum(map(self._begin, following))
        )

    def _begin(self, step: HarborStep) -> float:
        return self.setup(step) + _health(step.healthcheck)


def _ratio(given: float, own: float) -> float:
    return given / own if own > 0 else 1.0


def _health(check: Healthcheck | None) -> float:
    """Return the limit of a health check, from its own numbers."""
    if check is None:
        return 0.0
    starting = check.start_period_sec + check.timeout_sec + check.start_interval_sec
    return starting + check.retries * (check.timeout_sec + check.interval_sec)

"""Why trials end, what is tried again, and what has a reward: one table.

Only what no agent has caused is tried again: the machine, the model's endpoint, a verifier that
never ran a test.  Trying failed agents again would select for luck.
Covers the mapping from a trajectory.  Does not cover the trying again: see `trial.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tmax_gym.errors import HarborError, ModelError, SandboxError
from tmax_gym.reports.statistics import Status
from tmax_gym.trajectory import Ending, Trajectory


class Cause(StrEnum):
    """Why a trial ended."""

    ENDED = "ended"
    """The agent submitted or stopped."""
    STEPS = "steps"
    """It had no steps left."""
    CONTEXT = "context"
    """Its model had no room left."""
    FORMAT = "format"
    """Too many replies in a row held no action."""
    SHELL = "shell"
    """It destroyed its own shell."""
    TIME = "time"
    """It had no time left."""
    AGENT = "agent"
    """Its code failed."""
    MODEL = "model"
    """Its model's endpoint failed."""
    SANDBOX = "sandbox"
    """The machine failed."""
    UNTESTED = "untested"
    """No test ran, whatever was written."""
    VERIFIER = "verifier"
    """The verifier failed."""
    TASK = "task"
    """The task cannot be loaded, or its own solution cannot be run."""
    CANCELLED = "cancelled"
    """Somebody stopped the run."""


@dataclass(frozen=True, slots=True)
class Treatment:
    """What follows from a cause."""

    status: Status
    again: bool
    """Whether the trial is played once more."""


TREATMENTS: Mapping[Cause, Treatment] = {
    Cause.ENDED: Treatment(Status.GRADED, again=False),
    Cause.STEPS: Treatment(Status.GRADED, again=False),
    Cause.CONTEXT: Treatment(Status.GRADED, again=False),
    Cause.FORMAT: Treatment(Status.GRADED, again=False),
    Cause.SHELL: Treatment(Status.GRADED, again=False),
    Cause.TIME: Treatment(Status.AGENT_TIMEOUT, again=False),
    Cause.AGENT: Treatment(Status.AGENT_ERROR, again=False),
    Cause.MODEL: Treatment(Status.INFRA_ERROR, again=True),
    Cause.SANDBOX: Treatment(Status.INFRA_ERROR, again=True),
    Cause.UNTESTED: Treatment(Status.UNGRADED, again=True),
    Cause.VERIFIER: Treatment(Status.VERIFIER_ERROR, again=False),
    Cause.TASK: Treatment(Status.INFRA_ERROR, again=False),
    Cause.CANCELLED: Treatment(Status.CANCELLED, again=False),
}

_BY_ENDING: Mapping[Ending, Cause] = {
    Ending.SUBMITTED: Cause.ENDED,
    Ending.AGENT_STOPPED: Cause.ENDED,
    Ending.STEP_LIMIT: Cause.STEPS,
    Ending.CONTEXT_LIMIT: Cause.CONTEXT,
    Ending.FORMAT_ERROR: Cause.FORMAT,
    Ending.SHELL_LOST: Cause.SHELL,
    Ending.TIME_LIMIT: Cause.TIME,
    Ending.INFRA_ERROR: Cause.SANDBOX,
    Ending.VERIFIER_ERROR: Cause.VERIFIER,
    Ending.UNGRADED: Cause.UNTESTED,
    Ending.AGENT_ERROR: Cause.AGENT,
}


class Stopped(Exception):
    """The run is being stopped; raised inside an agent, never seen outside a trial."""


def cause_of(played: Trajectory, failure: BaseException | None, *, stopped: bool) -> Cause:
    """Return why a trial ended.

    Args:
        played: What happened.
        failure: What the agent raised last, where it did.
        stopped: Whether the run is being stopped, so that failures mean nothing.
    """
    if isinstance(failure, Stopped) or (stopped and played.reward is None):
        return Cause.CANCELLED
    found = _BY_ENDING[played.ending]
    if found is Cause.AGENT and isinstance(failure, ModelError):
        return Cause.MODEL
    if found is Cause.AGENT and isinstance(failure, SandboxError):
        return Cause.SANDBOX
    if found is Cause.AGENT and isinstance(failure, HarborError):
        return Cause.TASK
    return found

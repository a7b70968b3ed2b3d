"""The ending that a failure gives an episode, for environments, rollouts and trainers alike."""

from __future__ import annotations

from tmax_gym.errors import HarborError, ModelError, SandboxError, Ungraded, VerifierError
from tmax_gym.trajectory import Ending


def ending_of(error: BaseException) -> Ending | None:
    """Return the ending; None for an error that is not a failure of a machine or a verifier."""
    # OSError: a host without free files, memory or disk is not the agent's fault.
    if isinstance(error, SandboxError | OSError):
        return Ending.INFRA_ERROR
    if isinstance(error, Ungraded):
        return Ending.UNGRADED
    return Ending.VERIFIER_ERROR if isinstance(error, VerifierError) else None


def ending_of_agent(error: BaseException | None) -> Ending:
    """Return the ending of an episode whose agent raised this."""
    if isinstance(error, ModelError):
        return Ending.MODEL_ERROR
    # The reference solution is an agent as well, and a task may have none that can be run.
    return Ending.TASK_ERROR if isinstance(error, HarborError) else Ending.AGENT_ERROR

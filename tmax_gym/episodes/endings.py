"""The ending that a failure gives an episode, for environments, rollouts and trainers alike."""

from __future__ import annotations

from tmax_gym.errors import SandboxError, Ungraded, VerifierError
from tmax_gym.trajectory import Ending


def ending_of(error: BaseException) -> Ending | None:
    """Return the ending; None for an error that is not a failure of a machine or a verifier."""
    # OSError: a host without free files, memory or disk is not the agent's fault.
    if isinstance(error, SandboxError | OSError):
        return Ending.INFRA_ERROR
    if isinstance(error, Ungraded):
        return Ending.UNGRADED
    return Ending.VERIFIER_ERROR if isinstance(error, VerifierError) else None

"""Every error of the package, one class for each boundary.

The module at a boundary raises its class.  A few modules catch them and turn failures into data
(`CATCHERS` in `tests/test_architecture.py`).  Programming mistakes stay `ValueError` and
`TypeError`.
"""

from __future__ import annotations


class TmaxError(Exception):
    """The base class of all errors of this package."""


class TaskNotFound(TmaxError, KeyError):
    """No task has this name.  The message offers near names."""

    def __str__(self) -> str:
        """Return the message itself; `KeyError` would quote it."""
        return str(self.args[0]) if self.args else ""


class SpecError(TmaxError):
    """The stored catalogue is damaged or was written by another version of the generator."""


class SandboxError(TmaxError):
    """The machine under the agent failed for a reason that the agent did not cause.

    Never raised for what an agent's command did: a full disk, a killed shell or an
    exhausted memory limit are results, not errors.
    """


class BackendUnavailable(SandboxError):
    """This kind of sandbox cannot run here.  The message names what is missing."""


class ImageError(SandboxError):
    """A root file system is absent, incomplete or could not be built."""


class Overdue(SandboxError):
    """A part of a trial exceeded its time limit; a repetition would take as long."""


class Unbuildable(SandboxError):
    """The machine of one task cannot be made here: retries fail as well; other tasks may work."""


class ShellError(SandboxError):
    """The persistent shell could not be started or restarted inside a live sandbox."""


class VerifierError(TmaxError):
    """The verifier itself failed: there is no verdict, and so no reward."""


class Ungraded(VerifierError):
    """No test ran, so there is no verdict, whatever files exist.  A repetition may help."""


class JournalError(TmaxError):
    """The record of a run cannot be read or written; no trial runs whose result would be lost."""


class HarnessError(TmaxError):
    """A harness does not support what was requested of it."""


class HarborError(TmaxError):
    """A file of Harbor cannot be read or written: a task, a manifest, a reward, a result."""


class ResultsError(TmaxError):
    """Results of trials cannot be read, contradict themselves, or cannot be compared."""


class BenchError(TmaxError):
    """A benchmark cannot start, continue or be reported."""


class FleetError(TmaxError):
    """No node can work, or a fleet is used in a way that cannot work; nothing is lost."""


class LeaseLost(FleetError):
    """A work was lost on every node that tried it: there is no result, and so no reward."""


class ModelError(TmaxError):
    """A model's endpoint did not answer in all attempts."""


class ModelRefused(ModelError):
    """A model's endpoint refuses requests (key, name, address): every trial would fail."""


class ModelLate(ModelError):
    """A model's reply did not come in time."""

    def __init__(self, message: str, *, working: bool = False) -> None:
        super().__init__(message)
        self.working = working
        """Whether the endpoint seems to work, and the model was slow."""


class CaptureError(TmaxError):
    """The capture endpoint cannot answer a request of a harness."""

    def __init__(self, message: str, *, status: int = 400) -> None:
        super().__init__(message)
        self.status = status
        """HTTP status of the answer."""


class RecipeError(TmaxError):
    """A recipe does not exist or is not valid."""


class NoRoom(TmaxError):
    """A prompt leaves a policy no room for a token: every episode of the task would end so."""


class TrainingError(TmaxError):
    """A trainer cannot continue: no group has a learning signal, or rollouts stopped coming."""


class NothingToLearn(TrainingError):
    """All members solved every group for too long: training ends, which is no failure."""


class EngineError(TrainingError):
    """A sampling server does not answer, refuses a request or cannot load weights."""

"""Every error of the package, one class per boundary.

Who raises: the module at the boundary. Who classifies: nobody, the class is the kind.
Who records: `rollout.py` alone, where a failure becomes data. Programming mistakes stay
`ValueError` and `TypeError`.
"""

from __future__ import annotations


class TmaxError(Exception):
    """Anything that this package reports on purpose."""


class TaskNotFound(TmaxError, KeyError):
    """No task has this name.  The message offers near names."""

    def __str__(self) -> str:
        """Return the message itself; `KeyError` would quote it."""
        return str(self.args[0]) if self.args else ""


class SpecError(TmaxError):
    """The stored catalogue is damaged or was written by another generator."""


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
    """A part of a trial did not end within its limit: playing again would take as long."""


class Unbuildable(SandboxError):
    """The machine of one task cannot be made here; trying again does not help, others may."""


class ShellError(SandboxError):
    """The persistent shell could not be started or restarted inside a live sandbox."""


class VerifierError(TmaxError):
    """The verifier itself failed: there is no verdict, and so no reward."""


class Ungraded(VerifierError):
    """No test ran, whatever was written: there is no verdict.  Trying again may help."""


class JournalError(TmaxError):
    """The record of a run cannot be read or written: nothing may be played that is lost."""


class HarnessError(TmaxError):
    """A harness was asked for something that its dialect does not define."""


class HarborError(TmaxError):
    """A Harbor file cannot be read or written: a task, a manifest, a reward, a result."""


class ResultsError(TmaxError):
    """Results of trials cannot be read, contradict themselves, or cannot be compared."""


class BenchError(TmaxError):
    """A benchmark cannot start, go on or be reported: its run, its tasks or its agent."""


class ModelError(TmaxError):
    """A model's endpoint did not answer, however often it was asked."""


class ModelRefused(ModelError):
    """A model's endpoint refuses us (key, name, address): no trial can get further."""


class ModelLate(ModelError):
    """A model's reply was not there when its time was over."""

    def __init__(self, message: str, *, working: bool = False) -> None:
        super().__init__(message)
        self.working = working
        """Whether the endpoint did its part, as far as can be seen, and the model was slow."""


class RecipeError(TmaxError):
    """A recipe is absent, or says something that no recipe can say."""


class TrainingError(TmaxError):
    """A trainer cannot go on: no group has signal, or its rollouts stopped coming."""


class NothingToLearn(TrainingError):
    """Every group was solved by all its members for too long: training ends here, in peace."""


class EngineError(TrainingError):
    """A sampling server does not answer, refuses a request or cannot take weights."""

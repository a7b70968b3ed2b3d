"""Graded tasks in real, isolated terminals, as Gymnasium environments.

Importing registers every task of the catalogue as `tmax/<name>`.  The other public names are
imported when first used, so that the import stays cheap.  Functions that bear the name of their
module are imported from there: `from tmax_gym.rollout import rollout`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tmax_gym.registration import register_tasks

if TYPE_CHECKING:
    from tmax_gym import catalogue
    from tmax_gym.env import TerminalEnv
    from tmax_gym.episode import EpisodeLimits
    from tmax_gym.errors import (
        SandboxError,
        ShellError,
        TaskNotFound,
        TmaxError,
        VerifierError,
    )
    from tmax_gym.sandboxes import Sandbox
    from tmax_gym.shell import Shell
    from tmax_gym.spec import TaskSpec
    from tmax_gym.task import Task
    from tmax_gym.trajectory import Ending, Group, Step, Tokens, Trajectory
    from tmax_gym.trial.datasets import load_dataset
    from tmax_gym.vector import TerminalVectorEnv
    from tmax_gym.verdict import Verdict
    from tmax_gym.wrappers import RecordCast

__version__ = "0.1.0"

__all__ = [
    "Ending",
    "EpisodeLimits",
    "Group",
    "RecordCast",
    "Sandbox",
    "SandboxError",
    "Shell",
    "ShellError",
    "Step",
    "Task",
    "TaskNotFound",
    "TaskSpec",
    "TerminalEnv",
    "TerminalVectorEnv",
    "TmaxError",
    "Tokens",
    "Trajectory",
    "Verdict",
    "VerifierError",
    "catalogue",
    "load_dataset",
    "register_tasks",
]

_HOMES = {
    "env": ("TerminalEnv",),
    "episode": ("EpisodeLimits",),
    "errors": ("SandboxError", "ShellError", "TaskNotFound", "TmaxError", "VerifierError"),
    "sandboxes": ("Sandbox",),
    "shell": ("Shell",),
    "spec": ("TaskSpec",),
    "task": ("Task",),
    "trajectory": ("Ending", "Group", "Step", "Tokens", "Trajectory"),
    "trial.datasets": ("load_dataset",),
    "vector": ("TerminalVectorEnv",),
    "verdict": ("Verdict",),
    "wrappers": ("RecordCast",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import a public name from its home."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    """Return the public names, also those that are not imported yet."""
    return sorted({*globals(), *__all__})


register_tasks()

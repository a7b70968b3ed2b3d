"""Graded tasks in real, isolated terminals, as Gymnasium environments.

Importing registers every task of the catalogue as `tmax/<name>`.  The other public names are
imported when first used, so that the import stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tmax_gym.envs.registration import register_tasks

if TYPE_CHECKING:
    from tmax_gym.agents.agent import Agent, ScriptedAgent, Turn, noop, oracle
    from tmax_gym.agents.chat_agent import ChatAgent
    from tmax_gym.agents.client.client import Client, Completion, Connection, Model
    from tmax_gym.agents.harness import Action, FormatError, Harness
    from tmax_gym.agents.harnesses.bash import BashHarness
    from tmax_gym.agents.harnesses.plain import PlainHarness
    from tmax_gym.agents.registry import AGENTS, AgentEntry, AgentInputs, make_agent
    from tmax_gym.agents.rollout import rollout, rollout_group
    from tmax_gym.checks.verdict import Verdict
    from tmax_gym.envs.terminal import TerminalEnv
    from tmax_gym.envs.vector import TerminalVectorEnv
    from tmax_gym.envs.wrappers import RecordCast
    from tmax_gym.episodes.limits import EpisodeLimits
    from tmax_gym.episodes.observation import SUBMIT
    from tmax_gym.errors import (
        SandboxError,
        ShellError,
        TaskNotFound,
        TmaxError,
        VerifierError,
    )
    from tmax_gym.harbor.run.datasets import load_dataset
    from tmax_gym.sandboxes import Sandbox
    from tmax_gym.shell import Shell
    from tmax_gym.tasks import catalogue
    from tmax_gym.tasks.compose import Task
    from tmax_gym.tasks.spec import TaskSpec
    from tmax_gym.trajectory import Ending, Group, Step, Tokens, Trajectory

__version__ = "0.1.0"

__all__ = [
    "AGENTS",
    "SUBMIT",
    "Action",
    "Agent",
    "AgentEntry",
    "AgentInputs",
    "BashHarness",
    "ChatAgent",
    "Client",
    "Completion",
    "Connection",
    "Ending",
    "EpisodeLimits",
    "FormatError",
    "Group",
    "Harness",
    "Model",
    "PlainHarness",
    "RecordCast",
    "Sandbox",
    "SandboxError",
    "ScriptedAgent",
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
    "Turn",
    "Verdict",
    "VerifierError",
    "catalogue",
    "load_dataset",
    "make_agent",
    "noop",
    "oracle",
    "register_tasks",
    "rollout",
    "rollout_group",
]

_HOMES = {
    "agents.agent": ("Agent", "ScriptedAgent", "Turn", "noop", "oracle"),
    "agents.chat_agent": ("ChatAgent",),
    "agents.client.client": ("Client", "Completion", "Connection", "Model"),
    "agents.harness": ("Action", "FormatError", "Harness"),
    "agents.harnesses.bash": ("BashHarness",),
    "agents.harnesses.plain": ("PlainHarness",),
    "agents.registry": ("AGENTS", "AgentEntry", "AgentInputs", "make_agent"),
    "agents.rollout": ("rollout", "rollout_group"),
    "checks.verdict": ("Verdict",),
    "envs.terminal": ("TerminalEnv",),
    "envs.vector": ("TerminalVectorEnv",),
    "envs.wrappers": ("RecordCast",),
    "episodes.limits": ("EpisodeLimits",),
    "episodes.observation": ("SUBMIT",),
    "errors": ("SandboxError", "ShellError", "TaskNotFound", "TmaxError", "VerifierError"),
    "harbor.run.datasets": ("load_dataset",),
    "sandboxes": ("Sandbox",),
    "shell": ("Shell",),
    "tasks.compose": ("Task",),
    "tasks.spec": ("TaskSpec",),
    "trajectory": ("Ending", "Group", "Step", "Tokens", "Trajectory"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import a public name from its home."""
    if name == "catalogue":
        return import_module(f"{__name__}.tasks.catalogue")
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    """Return the public names, also those that are not imported yet."""
    return sorted({*globals(), *__all__})


register_tasks()

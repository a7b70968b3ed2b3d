"""Harnesses by name.

Covers making the agent of one episode.  Does not cover whose model it is: a client is given.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tmax_gym.agents import agent as agents
from tmax_gym.agents.agent import Agent
from tmax_gym.agents.client.client import Model
from tmax_gym.agents.harnesses import scripted
from tmax_gym.agents.harnesses.bash import BashStyle
from tmax_gym.agents.harnesses.dialogue import DialogueAgent, Log, Rules
from tmax_gym.agents.harnesses.mini import MiniAgent
from tmax_gym.agents.harnesses.openhands import OpenHandsStyle
from tmax_gym.agents.harnesses.terminus import TerminusStyle
from tmax_gym.episodes.task import Task
from tmax_gym.errors import HarnessError

MODELS = ("bash", "mini", "openhands", "terminus2")
"""Harnesses around a model."""
SCRIPTS = ("human", "noop", "oracle", "replay")
"""Those that need none."""


def scripted_agent(name: str, task: Task) -> Agent:
    """Return an agent without a model.

    Raises:
        HarnessError: There is none of this name.
    """
    if name == "oracle":
        return agents.oracle(task)
    if name == "noop":
        return agents.noop()
    if name == "human":
        return scripted.HumanAgent()
    raise HarnessError(f"no harness without a model is called {name!r}; there are: oracle, noop, "
                       "human, and replay, which needs a trajectory")  # fmt: skip


def model_agent(
    name: str,
    model: Model,
    *,
    rules: Rules | None = None,
    log: Log | None = None,
    options: Mapping[str, Any] | None = None,
) -> DialogueAgent | MiniAgent:
    """Return a model in a harness.

    Args:
        name: One of `MODELS`.
        model: It decides.
        rules: Room and steps.
        log: Gets what happens.
        options: Of the harness: `dialect` of `bash`, `command_seconds` of it and `terminus2`.

    Raises:
        HarnessError: There is no such harness, or what it needs is not installed.
    """
    given = dict(options or {})
    seconds = float(given.get("command_seconds", 30.0))
    if name == "mini":
        return MiniAgent(model, rules=rules, log=log)
    if name == "bash":
        style: Any = BashStyle(given.get("dialect", "openai"), command_seconds=seconds)
    elif name == "terminus2":
        style = TerminusStyle(command_seconds=seconds)
        # Terminus 2 answers replies that it cannot read, however many: steps are the limit.
        rules = replace(rules or Rules(), max_format_errors=sys.maxsize)
    elif name == "openhands":
        style = OpenHandsStyle()
    else:
        raise HarnessError(f"no harness is called {name!r}; there are: {', '.join(MODELS)}")
    return DialogueAgent(model, style, rules=rules, log=log)

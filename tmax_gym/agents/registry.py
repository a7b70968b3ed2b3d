"""The table of harnesses and agents by name, for benchmarks, rollouts, training and Harbor."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from tmax_gym.agents import scripted
from tmax_gym.agents.agent import Agent, NoopAgent, SolutionAgent
from tmax_gym.agents.chat_agent import ChatAgent
from tmax_gym.agents.client.client import Model
from tmax_gym.agents.harness import Harness, TokenHarness
from tmax_gym.agents.harnesses.bash import BashHarness
from tmax_gym.agents.harnesses.mini import MiniAgent
from tmax_gym.agents.harnesses.openhands import OpenHandsHarness
from tmax_gym.agents.harnesses.plain import PlainHarness
from tmax_gym.agents.harnesses.terminus import TerminusHarness
from tmax_gym.agents.harnesses.window import Budget
from tmax_gym.agents.model_agent import Log, no_log
from tmax_gym.episodes.task import Task
from tmax_gym.errors import HarnessError
from tmax_gym.trajectory import Trajectory

T = TypeVar("T")

TOKEN_HARNESSES: Mapping[str, Callable[..., TokenHarness]] = {
    "bash": BashHarness,
    "plain": PlainHarness,
}
"""Harnesses in which a policy can be trained, because a conversation has one exact text."""
HARNESSES: Mapping[str, Callable[..., Harness]] = {
    **TOKEN_HARNESSES,
    "openhands": OpenHandsHarness,
    "terminus2": TerminusHarness,
}


@dataclass(frozen=True, slots=True)
class AgentInputs:
    """Everything from which the agent of an episode can be made."""

    model: Model | None = None
    task: Task | None = None
    recorded: Trajectory | None = None
    budget: Budget = field(default_factory=Budget)
    log: Log = no_log
    """Gets the events between the agent and its model."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the harness; unknown ones are ignored."""


@dataclass(frozen=True, slots=True)
class AgentEntry:
    """One kind of agent."""

    make: Callable[[AgentInputs], Agent]
    """Raises `TmaxError` if an input is wrong or missing."""
    needs_model: bool = False
    options: tuple[str, ...] = ()
    """The options of `tmax bench -H name=value`."""


def with_options(kind: Callable[..., T], options: Mapping[str, Any]) -> T:
    """Return a harness with those options that it knows."""
    known = inspect.signature(kind).parameters
    return kind(**{name: value for name, value in options.items() if name in known})


def make_agent(name: str, inputs: AgentInputs) -> Agent:
    """Return the agent of one episode.

    Raises:
        HarnessError: There is none of this name, or an input is missing.
    """
    return agent_entry(name).make(inputs)


def agent_entry(name: str) -> AgentEntry:
    """Return an agent's entry; raise `HarnessError` if there is none of this name."""
    if name not in AGENTS:
        raise HarnessError(f"no harness is called {name!r}; there are: {', '.join(sorted(AGENTS))}")
    return AGENTS[name]


def _chat(name: str, inputs: AgentInputs) -> Agent:
    if inputs.model is None:
        raise HarnessError(f"the harness {name} needs a model")
    if name == "mini":
        return MiniAgent(inputs.model, budget=inputs.budget, log=inputs.log)
    harness = with_options(HARNESSES[name], {"dialect": "openai", **inputs.options})
    return ChatAgent(inputs.model, harness, budget=inputs.budget, log=inputs.log)


def _oracle(inputs: AgentInputs) -> Agent:
    if inputs.task is None:
        raise HarnessError("oracle needs a task")
    return SolutionAgent(inputs.task)


def _replay(inputs: AgentInputs) -> Agent:
    if inputs.recorded is None:
        raise HarnessError("replay needs a trajectory")
    return scripted.ReplayAgent(inputs.recorded)


AGENTS: dict[str, AgentEntry] = {
    **{name: AgentEntry(partial(_chat, name), needs_model=True) for name in (*HARNESSES, "mini")},
    "bash": AgentEntry(partial(_chat, "bash"), needs_model=True, options=("dialect",)),
    "human": AgentEntry(lambda inputs: scripted.HumanAgent()),
    "noop": AgentEntry(lambda inputs: NoopAgent()),
    "oracle": AgentEntry(_oracle),
    "replay": AgentEntry(_replay, options=("replay",)),
}
"""Every agent; a program may add its own."""

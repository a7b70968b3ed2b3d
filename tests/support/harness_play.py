"""Scripted conversations of a harness in a real machine: its messages, and how they ended."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.chat_server import Answer, Say, scripted, serving
from tmax_gym.agents.chat_agent import ChatAgent
from tmax_gym.agents.client.client import Client, Connection
from tmax_gym.agents.harnesses.window import Budget, Window
from tmax_gym.agents.registry import AgentInputs, make_agent
from tmax_gym.agents.rollout import rollout
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.episodes.task import Task
from tmax_gym.sandboxes import Backend
from tmax_gym.trajectory import Trajectory


@dataclass(frozen=True)
class Played:
    """The result of a conversation."""

    seen: Trajectory
    told: tuple[str, ...]
    """All messages to the model."""
    asked: tuple[Mapping[str, Any], ...]


def talk(
    harness: str,
    answers: Sequence[Answer],
    task: Task,
    backend: Backend,
    *,
    command_seconds: float = 30.0,
    dialect: str = "openai",
) -> Played:
    """Let a scripted model play a task; the dialect is of the harness `bash`."""
    with serving(scripted(answers)) as server:
        client = Client(Connection(server.base_url, "scripted", first_wait=0.0))
        budget = Budget(Window(tokens=1_000_000, notices=False))
        options = {"command_seconds": command_seconds, "dialect": dialect}
        agent = make_agent(harness, AgentInputs(client, budget=budget, options=options))
        limits = EpisodeLimits(max_steps=200, command_timeout=command_seconds)
        seen = rollout(task, agent, backend=backend, limits=limits, retries=0)
        assert isinstance(agent, ChatAgent)
        messages = [str(m["content"]) for m in agent.messages if m["role"] != "assistant"]
        return Played(seen, tuple(messages), tuple(server.asked))


def keys(*typed: str, wait: float = 0.5, done: bool = False) -> Say:
    """Return a reply that types these texts, one after the other."""
    commands = [{"keystrokes": text, "duration": wait} for text in typed]
    row = {"analysis": "", "plan": "", "commands": commands, "task_complete": done}
    return Say(json.dumps(row))


DONE = (keys(done=True), keys(done=True))
"""Completion, said twice."""


def call(name: str, **arguments: Any) -> Say:
    """Return a reply with one tool call."""
    return Say("", ((name, arguments),))

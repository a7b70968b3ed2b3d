"""`CapturedAgent`: any agent of the registry as the policy in training, by the capture endpoint.

The agent asks the endpoint as it would ask any other model, and its token stream is what the
endpoint has recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tmax_gym.agents.agent import Agent, Prepared, Turn
from tmax_gym.agents.client.client import Client, Connection, Model
from tmax_gym.agents.harnesses.window import Budget
from tmax_gym.agents.registry import AgentInputs, make_agent
from tmax_gym.episodes.task import Ground
from tmax_gym.errors import HarnessError
from tmax_gym.trajectory import Tokens
from tmax_trainers.capture.answers import MODEL
from tmax_trainers.capture.server import CaptureServer, Opened

REPLY_SECONDS = 7200.0
"""Longest wait for a reply: a busy engine may take long over a turn, and the limit of the episode
ends a hopeless one (`wall_seconds` of a recipe has this default)."""


class CapturedAgent:
    """An agent whose model is the policy; each episode has a session of its own.

    Args:
        server: The endpoint.
        make: Returns the agent that asks a model.
        name: Name of the agent in trajectories: that of its harness.
        episode: Names the episode, under which an engine can reuse its cache.
        seconds: Longest wait for a reply.
    """

    def __init__(
        self,
        server: CaptureServer,
        make: Callable[[Model], Agent],
        *,
        name: str,
        episode: str = "",
        seconds: float = REPLY_SECONDS,
    ) -> None:
        self.name = name
        self._server, self._make = server, make
        self._episode, self._seconds = episode, seconds
        self._inner: Agent | None = None
        self.opened: Opened | None = None
        """The session of the present episode."""

    @property
    def tokens(self) -> Tokens | None:
        """Return what the endpoint has recorded; None before the first episode."""
        return self.opened.session.tokens() if self.opened is not None else None

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin an episode in a new session."""
        self.opened = self._server.open(self._episode, seed=seed)
        connection = Connection(
            self.opened.url,
            MODEL,
            temperature=None,
            top_p=None,
            stream=False,
            request_seconds=self._seconds,
            turn_seconds=self._seconds,
        )
        self._inner = self._make(Client(connection))
        self._inner.reset(instruction, seed=seed)

    def prepare(self, ground: Ground) -> None:
        """Let the agent prepare the machine."""
        inner = self._playing()
        if isinstance(inner, Prepared):
            inner.prepare(ground)

    def act(self, observation: str) -> Turn:
        """Return the agent's next turn."""
        return self._playing().act(observation)

    def _playing(self) -> Agent:
        if self._inner is None:
            raise HarnessError("reset the agent before it acts")
        return self._inner


def captured(
    server: CaptureServer,
    harness: str,
    *,
    budget: Budget,
    episode: str = "",
    options: Mapping[str, Any] | None = None,
    seconds: float = REPLY_SECONDS,
) -> CapturedAgent:
    """Return the agent of a harness in `tmax_gym.agents.registry` as the policy.

    Args:
        server: The endpoint.
        harness: Its name, such as `mini`, `terminus2`, `openhands` or `bash`.
        budget: The limits of the conversation, which the harness observes by itself.
        episode: Names the episode, under which an engine can reuse its cache.
        options: Options of the harness.
        seconds: Longest wait for a reply.

    Raises:
        HarnessError: There is no such harness, or its package is not installed.
    """

    def make(model: Model) -> Agent:
        return make_agent(harness, AgentInputs(model, budget=budget, options=options or {}))

    make(Client(Connection(server.url, MODEL)))  # a missing package is told before any episode
    return CapturedAgent(server, make, name=harness, episode=episode, seconds=seconds)

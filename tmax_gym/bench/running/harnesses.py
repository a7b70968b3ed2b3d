"""Harnesses by name: who plays the trials of a run.

Covers the registry, filled with every harness of `tmax_gym.agents.harnesses`, and `replay` of a
whole recorded run.  Does not cover what a harness says: see there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Protocol, runtime_checkable

from tmax_gym.agents.agent import Agent, Ground, Prepared, Turn
from tmax_gym.agents.client.client import Spent, Surroundings
from tmax_gym.agents.harnesses import registry
from tmax_gym.agents.harnesses.dialogue import Log, Rules
from tmax_gym.agents.harnesses.scripted import replay as replayed
from tmax_gym.bench.records import Usage
from tmax_gym.bench.reports.loading import load
from tmax_gym.bench.running.endpoint import Endpoint
from tmax_gym.bench.running.settings import Settings, limits_for
from tmax_gym.episodes.task import Task
from tmax_gym.errors import BenchError
from tmax_gym.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class Seat:
    """Where an agent is needed: one trial."""

    task: Task
    attempt: int
    settings: Settings
    endpoint: Endpoint | None
    """None where the harness needs no model."""
    pause: Callable[[float], object]
    """Waits; raises where the run is being stopped."""
    log: Log
    """Gets what happens between the agent and its model."""
    left: Callable[[], float] = field(default=lambda: math.inf)
    """Seconds that the agent has left; raises where the run is being stopped."""


@runtime_checkable
class Metered(Protocol):
    """An agent that counts what its model was asked for."""

    @property
    def usage(self) -> Usage:
        """Return what was used since it was made."""


class Maker(Protocol):
    """Makes the agent of one trial."""

    def __call__(self, seat: Seat) -> Agent:
        """Return a new agent.

        Raises:
            TmaxError: An option is wrong, or something that it needs is missing.
        """


@dataclass(frozen=True, slots=True)
class HarnessEntry:
    """One harness."""

    make: Maker
    needs_model: bool = False
    options: tuple[str, ...] = ()
    """Names of what may be given with `-H name=value`."""


_HARNESSES: dict[str, HarnessEntry] = {}


def register_harness(name: str, entry: HarnessEntry) -> None:
    """Make a harness available by name; a name that is taken is replaced."""
    _HARNESSES[name] = entry


def harness_names() -> tuple[str, ...]:
    """Return the registered names, sorted."""
    return tuple(sorted(_HARNESSES))


def harness(name: str) -> HarnessEntry:
    """Return a harness by name.

    Raises:
        BenchError: There is none of this name.
    """
    if name not in _HARNESSES:
        raise BenchError(f"no harness is called {name!r}; there are: {', '.join(harness_names())}")
    return _HARNESSES[name]


class Spending(Agent, Protocol):
    """An agent that says what its model was asked for."""

    spent: Spent


class MeteredAgent:
    """An agent around a model, with the price of what it asks for."""

    def __init__(self, inner: Spending, endpoint: Endpoint) -> None:
        self.name = inner.name
        self._inner = inner
        self._endpoint = endpoint

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin an episode."""
        self._inner.reset(instruction, seed=seed)

    def prepare(self, ground: Ground) -> None:
        """Let the agent see to what it needs of the machine."""
        if isinstance(self._inner, Prepared):
            self._inner.prepare(ground)

    def act(self, observation: str) -> Turn:
        """Return the next turn."""
        return self._inner.act(observation)

    @property
    def tokens(self) -> None:
        """Return None: a chat interface hides its tokens."""
        return None

    @property
    def usage(self) -> Usage:
        """Return what the model was asked for."""
        return self._endpoint.usage(self._inner.spent)


def around_model(name: str, seat: Seat) -> Agent:
    """Return a model in a harness."""
    if seat.endpoint is None:
        raise BenchError(f"the harness {name} needs a model: give -m NAME and --base-url URL")
    limits = limits_for(seat.task, seat.settings)
    agent = registry.model_agent(
        name,
        seat.endpoint.client(Surroundings(seat.pause, seat.left, seat.log)),
        rules=Rules(window=seat.endpoint.window, steps=limits.max_steps),
        log=seat.log,
        options={"command_seconds": limits.command_timeout, **dict(seat.settings.options)},
    )
    return MeteredAgent(agent, seat.endpoint)


def scripted(name: str, seat: Seat) -> Agent:
    """Return an agent without a model."""
    return registry.scripted_agent(name, seat.task)


def replay(seat: Seat) -> Agent:
    """Return an agent that repeats what a recorded one typed, attempt by attempt."""
    where = dict(seat.settings.options).get("replay")
    if not where:
        raise BenchError("the harness replay needs -H replay=PATH: a run, or JSONL of trajectories")
    played = _recorded(where).get((seat.task.name, seat.attempt))
    if played is None:
        raise BenchError(f"{where} holds no attempt {seat.attempt} at {seat.task.name}")
    return replayed(played)


@lru_cache(maxsize=2)
def _recorded(where: str) -> Mapping[tuple[str, int], Trajectory]:
    return {record.key: record.trajectory for record in load(Path(where)).records}


for _name in registry.MODELS:
    _options = ("dialect",) if _name == "bash" else ()
    register_harness(_name, HarnessEntry(partial(around_model, _name), True, _options))
for _name in ("human", "noop", "oracle"):
    register_harness(_name, HarnessEntry(partial(scripted, _name)))
register_harness("replay", HarnessEntry(replay, options=("replay",)))

"""How Harbor tasks are run where they leave a choice: networks, leftover processes, limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, PlainSerializer
from pydantic.dataclasses import dataclass

from tmax_gym.sandboxes import Limits
from tmax_gym.sandboxes.images import cache_root
from tmax_gym.validation import Closed

NetworkChoice = Literal["auto", "none", "bridge", "host"]
Leftovers = Literal["kill", "keep"]

LIMITS = Limits(memory=2 << 30, pids=2048, cpus=1.0, disk=10 << 30, inodes=1_000_000)
"""Limits of a machine whose task names none: those of Harbor's own runner (2 GB, 10 GB)."""


@dataclass(frozen=True, slots=True)
class Multipliers:
    """Factors on time limits, for slower machines and models."""

    all: float = 1.0
    build: float | None = None
    """None for `all`, here and below."""
    agent: float | None = None
    verifier: float | None = None


def _pairs(value: object) -> object:
    if not isinstance(value, Mapping | tuple):
        raise ValueError("not a table of keys and values")
    return tuple(value.items()) if isinstance(value, Mapping) else value


@dataclass(frozen=True, slots=True)
class Machines(Closed):
    """How the machines of a dataset's tasks are made; options of `tmax bench`, keys of recipes."""

    network: NetworkChoice = "auto"
    """The meaning of `public`: `auto` is the engine's bridge if it has one, else no network; `host`
    opens the services of this host to the agent."""
    build_network: Literal["none", "default", "host"] = "default"
    """Network of the RUN lines of Dockerfiles; `default` leaves the choice to the engine."""
    wheels: Path | None = None
    """Wheels for verifiers without a network; `wheels` in the cache if None.  Fill it with:
    pip download --only-binary :all: -d DIRECTORY pytest pytest-json-ctrf"""
    substitutes: Annotated[
        tuple[tuple[str, str], ...],
        BeforeValidator(_pairs),
        PlainSerializer(dict),
    ] = ()
    """Image: the image that is used instead, for images that cannot be pulled here."""


@dataclass(frozen=True, slots=True)
class HarborSettings(Machines):
    """How the tasks of a dataset are run."""

    leftovers: Leftovers = "kill"
    """Whether the agent's processes are killed before a shared verifier runs.  `keep` is for tests
    that talk to a server that the agent started; such an agent can cheat."""
    max_steps: int = 64
    command_timeout: float = 120.0
    """Seconds that one command of the agent may take."""
    agent_seconds: float = 3600.0
    """Limit of the agent for tasks that name none."""
    multipliers: Multipliers = field(default_factory=Multipliers)

    @property
    def wheelhouse(self) -> Path:
        """Return the directory of wheels, which may not exist."""
        return self.wheels or cache_root() / "wheels"

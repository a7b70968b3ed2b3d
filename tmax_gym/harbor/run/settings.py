"""What a dataset's tasks leave open: networks, leftovers, clocks, as one frozen `Settings`.

Covers the choices of whoever runs the tasks.  Does not cover what a task itself says.
"""

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
"""Of a machine whose task says nothing: what Harbor's own runner gives (2 GB, 10 GB)."""


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
    """What `public` means: `auto` is the engine's bridge where it has one, else none.  `host`
    opens this machine's own services to the agent."""
    build_network: Literal["none", "default", "host"] = "default"
    """Of the RUN lines of Dockerfiles; `default` is the engine's own choice."""
    wheels: Path | None = None
    """Wheels for verifiers without a network; `wheels` in the cache if None.  Fill it with:
    pip download --only-binary :all: -d DIRECTORY pytest pytest-json-ctrf"""
    substitutes: Annotated[
        tuple[tuple[str, str], ...],
        BeforeValidator(_pairs),
        PlainSerializer(dict),
    ] = ()
    """Image: image to take in its place, for images that cannot be had here."""


@dataclass(frozen=True, slots=True)
class Settings(Machines):
    """How the tasks of a dataset are run."""

    leftovers: Leftovers = "kill"
    """What becomes of the agent's processes before a shared verifier runs.  `keep` is for tasks
    whose tests talk to a server that the agent started: the seal is then the agent's to break."""
    max_steps: int = 64
    command_timeout: float = 120.0
    """Seconds that one command of the agent may take."""
    agent_seconds: float = 3600.0
    """For tasks that name no time-out."""
    multipliers: Multipliers = field(default_factory=Multipliers)

    @property
    def wheelhouse(self) -> Path:
        """Return where wheels lie; it may not exist."""
        return self.wheels or cache_root() / "wheels"

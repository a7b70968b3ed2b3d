"""How Harbor tasks are run where they leave a choice: networks, leftover processes, limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tmax_gym.harbor.tasks.config import Multipliers
from tmax_gym.sandboxes import Limits
from tmax_gym.sandboxes.images import cache_root

NetworkChoice = Literal["auto", "none", "bridge", "host"]
Leftovers = Literal["kill", "keep"]

LIMITS = Limits(memory=2 << 30, pids=2048, cpus=1.0, disk=10 << 30, inodes=1_000_000)
"""Limits of a machine whose task names none: those of Harbor's own runner (2 GB, 10 GB)."""


@dataclass(frozen=True, slots=True)
class HarborSettings:
    """How the tasks of a dataset are run."""

    network: NetworkChoice = "auto"
    """The meaning of `public`: `auto` is the engine's bridge if it has one, else no network; `host`
    opens the services of this host to the agent."""
    build_network: Literal["none", "default", "host"] = "default"
    """Network of the RUN lines of Dockerfiles; `default` leaves the choice to the engine."""
    leftovers: Leftovers = "kill"
    """Whether the agent's processes are killed before a shared verifier runs.  `keep` is for tests
    that talk to a server that the agent started; such an agent can cheat."""
    max_steps: int = 64
    command_timeout: float = 120.0
    """Seconds that one command of the agent may take."""
    agent_seconds: float = 3600.0
    """Limit of the agent for tasks that name none."""
    multipliers: Multipliers = field(default_factory=Multipliers)
    wheels: Path | None = None
    """Wheels for verifiers without a network; `wheels` in the cache if None.  Fill it with:
    pip download --only-binary :all: -d DIRECTORY pytest pytest-json-ctrf"""
    substitutes: tuple[tuple[str, str], ...] = ()
    """(image, other image), for images that cannot be pulled here."""

    @property
    def wheelhouse(self) -> Path:
        """Return the directory of wheels, which may not exist."""
        return self.wheels or cache_root() / "wheels"

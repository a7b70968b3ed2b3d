"""What a `task.toml` says, typed: `TaskConfig` and its parts, with Harbor's defaults.

Covers schema 1.x as of 1.4, after the migration of legacy keys.  Does not cover reading
(`task_toml.py`) nor the files beside it (`directory.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from tmax_gym.harbor.tasks.fields import Pairs

NetworkMode = Literal["public", "no-network", "allowlist"]
VerifierMode = Literal["shared", "separate"]
Transport = Literal["sse", "streamable-http", "stdio"]
RewardStrategy = Literal["mean", "final"]
System = Literal["linux", "windows"]
User = str | int | None
"""A name or a number; None for the image's own."""

SCHEMA_VERSION = "1.4"
"""The newest that is known; a file without a version is read as this one, as Harbor does."""
NETWORK_MODES: tuple[NetworkMode, ...] = get_args(NetworkMode)
VERIFIER_MODES: tuple[VerifierMode, ...] = get_args(VerifierMode)
TRANSPORTS: tuple[Transport, ...] = get_args(Transport)
REWARD_STRATEGIES: tuple[RewardStrategy, ...] = get_args(RewardStrategy)
SYSTEMS: tuple[System, ...] = get_args(System)

MAIN_SERVICE = "main"
"""The compose service that the agent works in."""
COLLECT_SECONDS = 60.0
AGENT_SETUP_SECONDS = 360.0
"""Harbor 0.25's default for installing an agent."""


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote a task."""

    name: str
    email: str | None = None


@dataclass(frozen=True, slots=True)
class Package:
    """How a registry calls a task."""

    name: str
    """`org/name`; without an organisation where the file names none."""
    version: str | None = None
    description: str = ""
    authors: tuple[Author, ...] = ()
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Network:
    """What a phase may reach."""

    mode: NetworkMode | None = None
    """None where the environment's own holds."""
    hosts: tuple[str, ...] = ()
    """With `allowlist`: names, `*.names`, addresses, ranges."""


@dataclass(frozen=True, slots=True)
class Healthcheck:
    """A command that must end with 0 before the agent starts."""

    command: str
    interval_sec: float = 5.0
    timeout_sec: float = 30.0
    start_period_sec: float = 0.0
    start_interval_sec: float = 5.0
    retries: int = 3


@dataclass(frozen=True, slots=True)
class McpServer:
    """A tool server that the agent is given."""

    name: str
    transport: Transport = "sse"
    url: str | None = None
    command: str | None = None
    args: tuple[str, ...] = ()
    headers: Pairs = ()


@dataclass(frozen=True, slots=True)
class Tpu:
    """An accelerator slice."""

    type: str
    topology: str


@dataclass(frozen=True, slots=True)
class EnvironmentConfig:
    """A machine, of the agent or of a separate verifier."""

    build_timeout_sec: float = 600.0
    docker_image: str | None = None
    os: System = "linux"
    cpus: float | None = None
    memory_mb: int | None = None
    storage_mb: int | None = None
    gpus: int | None = None
    gpu_types: tuple[str, ...] = ()
    tpu: Tpu | None = None
    env: Pairs = ()
    """Values may be templates: see `templates.py`."""
    workdir: str | None = None
    network: Network = field(default_factory=lambda: Network("public"))
    skills_dir: str | None = None
    mcp_servers: tuple[McpServer, ...] = ()
    healthcheck: Healthcheck | None = None


@dataclass(frozen=True, slots=True)
class AgentConfig:
    """The agent's phase."""

    timeout_sec: float | None = None
    """None for no limit."""
    user: User = None
    network: Network = field(default_factory=Network)


@dataclass(frozen=True, slots=True)
class Collect:
    """A command that runs after the agent and before its files are fetched."""

    command: str
    service: str = MAIN_SERVICE
    timeout_sec: float = COLLECT_SECONDS
    user: User = None


@dataclass(frozen=True, slots=True)
class VerifierConfig:
    """The verifier's phase."""

    timeout_sec: float = 600.0
    env: Pairs = ()
    user: User = None
    environment_mode: VerifierMode | None = None
    """As written; `directory.py` says which holds."""
    environment: EnvironmentConfig | None = None
    collect: tuple[Collect, ...] = ()
    network: Network = field(default_factory=Network)


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file or directory of the agent's machine that is kept."""

    source: str
    destination: str | None = None
    exclude: tuple[str, ...] = ()
    service: str | None = None


@dataclass(frozen=True, slots=True)
class StepConfig:
    """One step of a task that has several."""

    name: str
    agent: AgentConfig = field(default_factory=AgentConfig)
    verifier: VerifierConfig = field(default_factory=VerifierConfig)
    min_reward: tuple[tuple[str, float], ...] = ()
    """Least reward by key; below one of them the later steps are not tried."""
    healthcheck: Healthcheck | None = None
    artifacts: tuple[Artifact, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskConfig:
    """A whole `task.toml`."""

    schema_version: str = SCHEMA_VERSION
    """`1.x`, also of later minor versions."""
    package: Package | None = None
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)
    agent: AgentConfig = field(default_factory=AgentConfig)
    verifier: VerifierConfig = field(default_factory=VerifierConfig)
    environment: EnvironmentConfig = field(default_factory=EnvironmentConfig)
    solution_env: Pairs = ()
    source: str | None = None
    reward_strategy: RewardStrategy | None = None
    steps: tuple[StepConfig, ...] = ()
    artifacts: tuple[Artifact, ...] = ()


@dataclass(frozen=True, slots=True)
class Multipliers:
    """Factors on time limits, for slower machines and models."""

    all: float = 1.0
    build: float | None = None
    """None for `all`, here and below."""
    agent_setup: float | None = None
    agent: float | None = None
    verifier: float | None = None

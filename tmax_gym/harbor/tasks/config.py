"""What a `task.toml` says: `TaskConfig` and its parts, with Harbor's names and defaults.

Reads schema 1.x as of 1.4, and legacy keys: `version`, `memory = "2G"`, `storage`,
`allow_internet`.  Unknown keys are ignored: that is what a later minor version adds.  Every
fault is a `HarborError` of one line with the file, the field, the value, and what would be right.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, model_validator
from pydantic.dataclasses import dataclass

from tmax_gym.errors import HarborError
from tmax_gym.harbor.tasks.fields import read_toml
from tmax_gym.harbor.tasks.units import Number, Seconds, Whole, megabytes
from tmax_gym.harbor.tasks.values import (
    Host,
    Service,
    Source,
    StepName,
    Target,
    TaskName,
    User,
    Workdir,
)
from tmax_gym.validation import FieldError, validated

NetworkMode = Literal["public", "no-network", "allowlist"]
VerifierMode = Literal["shared", "separate"]
Transport = Literal["sse", "streamable-http", "stdio"]
RewardStrategy = Literal["mean", "final"]

VERIFIER_MODES: tuple[VerifierMode, ...] = get_args(VerifierMode)
SCHEMA_VERSION = "1.4"
"""The newest that is known; a file without a version is read as this one, as Harbor does."""
_SCHEMA = re.compile(r"v?(1)(?:\.(0|[1-9]\d*))?(?:\.\d+)?", re.ASCII)
"""Any 1.x: a minor version only adds fields.  A third number, of a patch, means nothing."""
MAIN_SERVICE = "main"
"""The compose service that the agent works in."""

Env = Mapping[str, str]
"""Values may be templates: see `templates.py`."""
OrNone = BeforeValidator(lambda text: None if text == "" else text)


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote a task."""

    name: str
    email: str | None = None


@dataclass(frozen=True, slots=True)
class Package:
    """How a registry calls a task."""

    name: TaskName
    """`org/name`; without an organisation where the file names none."""
    version: str | None = None
    description: str = ""
    authors: tuple[Author, ...] = ()
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """What a phase may reach."""

    network_mode: NetworkMode | None = None
    """None where the environment's own holds."""
    allowed_hosts: tuple[Host, ...] = ()
    """With `allowlist`: names, `*.names`, addresses, ranges."""

    @model_validator(mode="after")
    def _hosts_need_a_list(self) -> Network:
        if self.allowed_hosts and self.network_mode != "allowlist":
            raise FieldError("allowed_hosts", "needs network_mode = 'allowlist'")
        return self


@dataclass(frozen=True, slots=True)
class Healthcheck:
    """A command that must end with 0 before the agent starts."""

    command: str
    interval_sec: Seconds = 5.0
    timeout_sec: Seconds = 30.0
    start_period_sec: Seconds = 0.0
    start_interval_sec: Seconds = 5.0
    retries: Annotated[Whole, Field(ge=1)] = 3


@dataclass(frozen=True, slots=True)
class McpServer:
    """A tool server that the agent is given."""

    name: str
    transport: Annotated[
        Transport, BeforeValidator(lambda word: "streamable-http" if word == "http" else word)
    ] = "sse"
    url: str | None = None
    command: str | None = None
    args: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)

    @model_validator(mode="before")
    @classmethod
    def _needs_an_address(cls, table: Any) -> Any:
        if isinstance(table, Mapping):
            stdio = table.get("transport") == "stdio"
            needed, of = ("command", "stdio") if stdio else ("url", "every transport but stdio")
            if not table.get(needed):
                raise FieldError(needed, f"is missing: {of} needs it")
        return table


@dataclass(frozen=True, slots=True)
class Tpu:
    """An accelerator slice."""

    type: str
    topology: str


@dataclass(frozen=True, slots=True)
class EnvironmentConfig(Network):
    """A machine, of the agent or of a separate verifier."""

    build_timeout_sec: Seconds = 600.0
    docker_image: Annotated[str | None, OrNone] = None
    os: Annotated[
        Literal["linux", "windows"],
        BeforeValidator(lambda name: name.lower() if isinstance(name, str) else name),
    ] = "linux"
    cpus: Annotated[Number, Field(gt=0)] | None = None
    memory_mb: int | None = None
    storage_mb: int | None = None
    gpus: Whole | None = None
    gpu_types: tuple[str, ...] = ()
    tpu: Tpu | None = None
    env: Env = field(default_factory=dict, hash=False)
    workdir: Workdir | None = None
    network_mode: NetworkMode = field(default="public", kw_only=True)
    skills_dir: str | None = None
    mcp_servers: tuple[McpServer, ...] = ()
    healthcheck: Healthcheck | None = None

    @model_validator(mode="before")
    @classmethod
    def _legacy_keys(cls, table: Any) -> Any:
        if not isinstance(table, Mapping):
            return table
        internet = table.get("allow_internet", True)
        if not isinstance(internet, bool):
            raise FieldError("allow_internet", "not true or false")
        return {
            "network_mode": "public" if internet else "no-network",
            **table,
            "memory_mb": megabytes(table, "memory"),
            "storage_mb": megabytes(table, "storage"),
        }


@dataclass(frozen=True, slots=True)
class AgentConfig(Network):
    """The agent's phase."""

    timeout_sec: Seconds | None = None
    """None for no limit."""
    user: User = None


@dataclass(frozen=True, slots=True)
class Collect:
    """A command that runs after the agent and before its files are fetched."""

    command: str
    service: Service = MAIN_SERVICE
    timeout_sec: Seconds = 60.0
    user: User = None


@dataclass(frozen=True, slots=True)
class VerifierConfig(Network):
    """The verifier's phase."""

    timeout_sec: Seconds = 600.0
    env: Env = field(default_factory=dict, hash=False)
    user: User = None
    environment_mode: VerifierMode | None = None
    """As written; `directory.py` says which holds."""
    environment: EnvironmentConfig | None = None
    collect: tuple[Collect, ...] = ()

    @model_validator(mode="after")
    def _shared_has_no_machine(self) -> VerifierConfig:
        if self.environment_mode == "shared" and self.environment:
            raise FieldError("environment", "is given, but environment_mode is 'shared'")
        return self


def _as_table(value: object) -> object:
    if isinstance(value, str):
        return {"source": value}
    if not isinstance(value, Mapping | Artifact):
        raise ValueError("not a path or a table")
    return value


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file or directory of the agent's machine that is kept."""

    source: Source
    destination: Annotated[Target | None, OrNone] = None
    exclude: tuple[str, ...] = ()
    service: Service | None = None


Artifacts = tuple[Annotated[Artifact, BeforeValidator(_as_table)], ...]


@dataclass(frozen=True, slots=True)
class StepConfig:
    """One step of a task that has several."""

    name: StepName
    agent: AgentConfig = field(default_factory=AgentConfig)
    verifier: VerifierConfig = field(default_factory=VerifierConfig)
    min_reward: Annotated[
        Mapping[str, Number],
        BeforeValidator(lambda v: v if isinstance(v, Mapping) else {"reward": v}),
    ] = field(default_factory=dict, hash=False)
    """Least reward by key; below one of them the later steps are not tried."""
    healthcheck: Healthcheck | None = None
    artifacts: Artifacts = ()


@dataclass(frozen=True, slots=True)
class Solution:
    """The reference solution's phase."""

    env: Env = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class TaskConfig:
    """A whole `task.toml`."""

    schema_version: str = SCHEMA_VERSION
    """`1.x`, also of later minor versions."""
    task: Package | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    agent: AgentConfig = field(default_factory=AgentConfig)
    verifier: VerifierConfig = field(default_factory=VerifierConfig)
    environment: EnvironmentConfig = field(default_factory=EnvironmentConfig)
    solution: Solution = field(default_factory=Solution)
    source: str | None = None
    multi_step_reward_strategy: RewardStrategy | None = None
    steps: tuple[StepConfig, ...] = ()
    artifacts: Artifacts = ()

    @model_validator(mode="before")
    @classmethod
    def _version(cls, table: Any) -> Any:
        if not isinstance(table, Mapping):
            return table
        # `version` was the schema's only in 1.0; people have put all kinds of versions there.
        key = "schema_version" if "schema_version" in table else "version"
        written = table.get(key, SCHEMA_VERSION)
        if not isinstance(written, str):
            raise FieldError(key, 'not text: write it in quotes, as "1.4"')
        match = _SCHEMA.fullmatch(written.strip())
        if match is None and key == "schema_version":
            known = "not known: this reads 1.0, 1.1 and every later 1.x"
            raise FieldError(key, f"{known}; a newer tmax-gym may read it")
        return {**table, "schema_version": f"1.{match[2] or 0}" if match else "1.0"}

    @model_validator(mode="after")
    def _names_differ(self) -> TaskConfig:
        names = [unicodedata.normalize("NFC", step.name).casefold() for step in self.steps]
        if len(set(names)) != len(names):
            raise FieldError("steps", "has two steps of the same name")
        return self


def parse(text: str, *, where: str = "task.toml") -> TaskConfig:
    """Return what a `task.toml` says.

    Raises:
        HarborError: It is no TOML, or a field has a wrong type or value.
    """
    return validated(TaskConfig, read_toml(text, where), where=where, error=HarborError)

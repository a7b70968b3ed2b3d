"""The reader of `task.toml`: every schema 1.x and legacy keys to a `TaskConfig`.

Covers `version` for `schema_version`, `memory = "2G"` and `storage`, `allow_internet`, numbers
written as texts, times and sizes with units (`units.py`), and keys that it does not know, which
it ignores: that is what a later minor version adds.  Every fault is a `HarborError` of one line
that names the file, the field and the value, and says what would be right.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from pathlib import PurePosixPath

from tmax_gym.errors import HarborError
from tmax_gym.harbor.tasks.config import (
    COLLECT_SECONDS,
    MAIN_SERVICE,
    NETWORK_MODES,
    REWARD_STRATEGIES,
    SCHEMA_VERSION,
    SYSTEMS,
    TRANSPORTS,
    VERIFIER_MODES,
    AgentConfig,
    Artifact,
    Author,
    Collect,
    EnvironmentConfig,
    Healthcheck,
    McpServer,
    Network,
    Package,
    StepConfig,
    TaskConfig,
    Tpu,
    Transport,
    User,
    VerifierConfig,
)
from tmax_gym.harbor.tasks.fields import Table, number, read_toml, shown
from tmax_gym.harbor.tasks.units import maybe_seconds, megabytes, seconds

PACKAGE_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]*/[a-zA-Z0-9][a-zA-Z0-9._-]*")
_SERVICE = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]*")
_HOST = re.compile(r"(?:\*\.)?[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9-]{1,63})*")
_STEP = re.compile(r'[^<>:"/\\|?*\x00-\x1f\x7f]+')
_SCHEMA = re.compile(r"v?(1)(?:\.(0|[1-9]\d*))?(?:\.\d+)?", re.ASCII)
"""Any 1.x: a minor version only adds fields.  A third number, of a patch, means nothing."""
_NAME = re.compile(r"\w[\w .+@-]*(?:/\w[\w .+@-]*)?")


def parse(text: str, *, where: str = "task.toml") -> TaskConfig:
    """Return what a `task.toml` says.

    Raises:
        HarborError: It is no TOML, or a field has a wrong type or value.
    """
    root = read_toml(text, where)
    package = root.maybe_table("task")
    steps = tuple(_step(table) for table in root.tables("steps"))
    keys = [unicodedata.normalize("NFC", step.name).casefold() for step in steps]
    if len(set(keys)) != len(keys):
        raise HarborError(f"{where}: two steps have the same name")
    return TaskConfig(
        schema_version=_schema_version(root),
        package=_package(package) if package else None,
        metadata=root.mapping("metadata"),
        agent=_agent(root.table("agent")),
        verifier=_verifier(root.table("verifier")),
        environment=_environment(root.table("environment")),
        solution_env=root.table("solution").pairs("env"),
        source=root.maybe_text("source"),
        reward_strategy=root.choice("multi_step_reward_strategy", REWARD_STRATEGIES),
        steps=steps,
        artifacts=_artifacts(root),
    )


def _schema_version(root: Table) -> str:
    # `version` was the schema's only in 1.0; people have put all kinds of versions there.
    key = "schema_version" if "schema_version" in root else "version"
    if isinstance(root.values.get(key), int | float):
        raise root.fault(key, 'text: write it in quotes, as "1.4"')
    found = root.text_or(key, SCHEMA_VERSION).strip()
    if read := _SCHEMA.fullmatch(found):
        return f"{read[1]}.{read[2] or 0}"
    if key == "version":
        return "1.0"
    known = "known: this reads 1.0, 1.1 and every later 1.x; a newer tmax-gym may read it"
    raise root.fault("schema_version", known)


def _package(table: Table) -> Package:
    name = table.text("name")
    if not _NAME.fullmatch(name) or ".." in name or name != name.strip():
        raise table.fault("name", "of the form org/name, or a plain name")
    authors = (Author(t.text("name"), t.maybe_text("email")) for t in table.tables("authors"))
    return Package(
        name=name,
        version=table.maybe_text("version"),
        description=table.text_or("description", ""),
        authors=tuple(authors),
        keywords=table.texts("keywords"),
    )


def _agent(table: Table) -> AgentConfig:
    return AgentConfig(maybe_seconds(table, "timeout_sec"), _user(table), _network(table))


def _verifier(table: Table) -> VerifierConfig:
    mode = table.choice("environment_mode", VERIFIER_MODES)
    own = table.maybe_table("environment")
    if mode == "shared" and own:
        raise HarborError(f"{own.where} is given, but environment_mode is 'shared'")
    return VerifierConfig(
        timeout_sec=seconds(table, "timeout_sec", 600.0),
        env=table.pairs("env"),
        user=_user(table),
        environment_mode=mode,
        environment=_environment(own) if own else None,
        collect=tuple(_collect(t) for t in table.tables("collect")),
        network=_network(table),
    )


def _collect(table: Table) -> Collect:
    service = table.text_or("service", MAIN_SERVICE).strip()
    if not _SERVICE.fullmatch(service):
        raise table.fault("service", "the name of a service")
    limit = seconds(table, "timeout_sec", COLLECT_SECONDS)
    return Collect(table.text("command"), service, limit, _user(table))


def _environment(table: Table) -> EnvironmentConfig:
    system = table.text_or("os", "linux").lower()
    if system not in SYSTEMS:
        raise table.fault("os", f"one of: {', '.join(SYSTEMS)}")
    tpu = table.maybe_table("tpu")
    return EnvironmentConfig(
        build_timeout_sec=seconds(table, "build_timeout_sec", 600.0),
        docker_image=table.maybe_text("docker_image") or None,
        os="windows" if system == "windows" else "linux",
        cpus=_positive(table, "cpus"),
        memory_mb=megabytes(table, "memory"),
        storage_mb=megabytes(table, "storage"),
        gpus=table.maybe_whole("gpus"),
        gpu_types=table.texts("gpu_types"),
        tpu=Tpu(tpu.text("type"), tpu.text("topology")) if tpu else None,
        env=table.pairs("env"),
        workdir=_workdir(table),
        network=_baseline(table),
        skills_dir=table.maybe_text("skills_dir"),
        mcp_servers=tuple(_mcp_server(t) for t in table.tables("mcp_servers")),
        healthcheck=_healthcheck(table),
    )


def _positive(table: Table, key: str) -> float | None:
    found = table.maybe_number(key)
    if found is not None and found <= 0:
        raise table.fault(key, "above 0")
    return found


def _workdir(table: Table) -> str | None:
    found = table.maybe_text("workdir")
    if found is not None and (not found.startswith("/") or "\0" in found):
        raise table.fault("workdir", "an absolute path")
    return found


def _network(table: Table) -> Network:
    mode = table.choice("network_mode", NETWORK_MODES)
    if "allowed_hosts" in table and mode != "allowlist" and table.items("allowed_hosts"):
        raise HarborError(f"{table.place('allowed_hosts')} needs network_mode = 'allowlist'")
    return Network(mode, tuple(_host(table, h) for h in table.texts("allowed_hosts")))


def _host(table: Table, text: str) -> str:
    host = text.strip().lower().rstrip(".")
    try:
        return str(ipaddress.ip_network(host) if "/" in host else ipaddress.ip_address(host))
    except ValueError:
        if _HOST.fullmatch(host):
            return host
    raise table.fault("allowed_hosts", f"a list of hosts: {shown(text)} is none")


def _baseline(table: Table) -> Network:
    """Return an environment's own network; `allow_internet` is the legacy form."""
    found = _network(table)
    legacy = table.maybe_flag("allow_internet")
    if found.mode is not None:
        return found
    return Network("no-network" if legacy is False else "public")


def _mcp_server(table: Table) -> McpServer:
    transport: Transport = "sse"
    if table.values.get("transport") == "http":
        transport = "streamable-http"
    else:
        transport = table.choice("transport", TRANSPORTS) or transport
    needed = "command" if transport == "stdio" else "url"
    if not table.maybe_text(needed):
        raise HarborError(f"{table.place(needed)} is missing: transport {transport} needs it")
    name, url, command = table.text("name"), table.maybe_text("url"), table.maybe_text("command")
    return McpServer(name, transport, url, command, table.texts("args"), table.pairs("headers"))


def _healthcheck(outer: Table) -> Healthcheck | None:
    table = outer.maybe_table("healthcheck")
    if table is None:
        return None
    retries = table.whole_or("retries", 3)
    if retries < 1:
        raise table.fault("retries", "at least 1")
    return Healthcheck(
        command=table.text("command"),
        interval_sec=seconds(table, "interval_sec", 5.0),
        timeout_sec=seconds(table, "timeout_sec", 30.0),
        start_period_sec=seconds(table, "start_period_sec", 0.0),
        start_interval_sec=seconds(table, "start_interval_sec", 5.0),
        retries=retries,
    )


def _user(table: Table) -> User:
    found = table.values.get("user")
    if found is not None and (isinstance(found, bool) or not isinstance(found, str | int)):
        raise table.fault("user", "the name or number of a user")
    return found


def _step(table: Table) -> StepConfig:
    name = table.text("name")
    plain = _STEP.fullmatch(name) and name not in (".", "..") and name[-1] not in ". "
    if not plain or len(name.encode(errors="replace")) > 255 or not name.strip():
        raise table.fault("name", "usable as the name of a directory")
    return StepConfig(
        name=name,
        agent=_agent(table.table("agent")),
        verifier=_verifier(table.table("verifier")),
        min_reward=_min_reward(table),
        healthcheck=_healthcheck(table),
        artifacts=_artifacts(table),
    )


def _min_reward(table: Table) -> tuple[tuple[str, float], ...]:
    if isinstance(table.values.get("min_reward"), dict):
        inside = table.table("min_reward")
        return tuple((key, number(v, inside.place(key))) for key, v in inside.values.items())
    single = table.maybe_number("min_reward")
    return () if single is None else (("reward", single),)


def _artifacts(table: Table) -> tuple[Artifact, ...]:
    found = []
    for i, item in enumerate(table.items("artifacts")):
        inside = {"source": item} if isinstance(item, str) else item
        if not isinstance(inside, dict):
            raise table.fault("artifacts", "a list of paths or tables")
        found.append(_artifact(Table(inside, f"{table.place('artifacts')}[{i}]")))
    return tuple(found)


def _artifact(table: Table) -> Artifact:
    source, target = table.text("source"), table.maybe_text("destination") or None
    service = table.maybe_text("service")
    if not source or ".." in PurePosixPath(source).parts:
        raise table.fault("source", "a path without '..'")
    if target is not None:
        path = PurePosixPath(target)
        bad = path.is_absolute() or ".." in path.parts or not path.parts or "\\" in target
        if bad or str(path) == "manifest.json":
            raise table.fault("destination", "a relative path without '..'")
    if service is not None and not _SERVICE.fullmatch(service.strip()):
        raise table.fault("service", "the name of a service")
    return Artifact(source, target, table.texts("exclude"), service and service.strip())

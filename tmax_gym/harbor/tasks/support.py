"""Why a task cannot run on a kind of sandbox, known before anything starts.

A plain container is always there.  What a task may need beyond one has a name, and `can` lists
those that a sandbox has: `compose`, `privileged`, `gpu`, `tpu`, `windows`, `mcp`, `allowlist`.
A network that is absent is no reason: the task's own commands fail, and say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from pathlib import Path

from tmax_gym.errors import HarborError
from tmax_gym.harbor.tasks.config import MAIN_SERVICE, EnvironmentConfig, Network, TaskConfig
from tmax_gym.harbor.tasks.trees import read_text
from tmax_gym.sandboxes import Limits

CAPABILITIES = ("compose", "privileged", "gpu", "tpu", "windows", "mcp", "allowlist")
_PRIVILEGED = re.compile(r"^\s*(privileged:\s*true|cap_add:|devices:)", re.MULTILINE)
_TOP = re.compile(r"^services:\s*(#.*)?$", re.MULTILINE)
_NAME = re.compile(r"""^( +)["']?([A-Za-z0-9._-]+)["']?:""")


def unsupported(
    config: TaskConfig,
    machines: Sequence[tuple[EnvironmentConfig, Path | None]],
    *,
    can: Set[str] = frozenset(),
) -> str:
    """Return the first reason why a task cannot run, "" where there is none.

    Args:
        config: What its `task.toml` says.
        machines: Every machine that it needs, with its compose file where there is one.
        can: What the sandboxes here can do beyond a plain container.
    """
    needs = [*_of_task(config)]
    for environment, compose in machines:
        needs += [*_of_machine(environment), *(_of_compose(compose) if compose else ())]
    return next((reason for need, reason in needs if need not in can), "")


def limits(environment: EnvironmentConfig, default: Limits | None = None) -> Limits:
    """Return a machine's limits as a sandbox takes them, from a default where it has none."""
    own = default or Limits()
    return Limits(
        memory=own.memory if environment.memory_mb is None else environment.memory_mb << 20,
        pids=own.pids,
        cpus=own.cpus if environment.cpus is None else environment.cpus,
        disk=own.disk if environment.storage_mb is None else environment.storage_mb << 20,
        inodes=own.inodes,
    )


Need = tuple[str, str]


def _of_task(config: TaskConfig) -> Iterable[Need]:
    steps = config.steps
    phases: list[Network] = [config.agent, config.verifier]
    phases += [phase for step in steps for phase in (step.agent, step.verifier)]
    if any(phase.network_mode == "allowlist" for phase in phases):
        yield "allowlist", "it allows some hosts only, which no sandbox here enforces"
    hooks = [*config.verifier.collect, *(c for step in steps for c in step.verifier.collect)]
    kept = [*config.artifacts, *(a for step in steps for a in step.artifacts)]
    services = {c.service for c in hooks} | {a.service or MAIN_SERVICE for a in kept}
    if others := sorted(services - {MAIN_SERVICE}):
        yield "compose", f"it collects from the services {', '.join(others)}"


def _of_machine(environment: EnvironmentConfig) -> Iterable[Need]:
    if environment.os == "windows":
        yield "windows", "it runs on Windows"
    if environment.gpus:
        kinds = f" ({', '.join(environment.gpu_types)})" if environment.gpu_types else ""
        yield "gpu", f"it needs {environment.gpus} GPU{'s'[: environment.gpus > 1]}{kinds}"
    if environment.tpu:
        yield "tpu", f"it needs a TPU ({environment.tpu.type}, {environment.tpu.topology})"
    if environment.mcp_servers:
        names = ", ".join(server.name for server in environment.mcp_servers)
        yield "mcp", f"it gives the agent tool servers: {names}"
    if environment.network_mode == "allowlist":
        yield "allowlist", "it allows some hosts only, which no sandbox here enforces"


def _of_compose(file: Path) -> Iterable[Need]:
    try:
        text = read_text(file, file.name)
    except HarborError as error:
        yield "compose", str(error)
        return
    if _PRIVILEGED.search(text):
        yield "privileged", f"it asks for privileges ({file.name})"
    names = services(text)
    listed = f": {', '.join(names)}" if names else ""
    yield "compose", f"docker compose makes its machines ({file.name}{listed})"


def services(compose: str) -> tuple[str, ...]:
    r"""Return the services of a compose file in block style; empty for other styles.

    >>> services("services:\n  main:\n    build: .\n  db:\n    image: redis\n")
    ('main', 'db')
    """
    top = _TOP.search(compose)
    if top is None:
        return ()
    names: list[str] = []
    depth = ""
    for line in compose[top.end() :].splitlines():
        if line.strip() and not line.startswith((" ", "#", "\t")):
            break
        match = _NAME.match(line)
        depth = depth or (match[1] if match else "")
        if match and match[1] == depth:
            names.append(match[2])
    return tuple(names)

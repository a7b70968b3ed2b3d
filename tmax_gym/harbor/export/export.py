"""Our own tasks as Harbor task directories.

It has a `task.toml` (schema 1.4), the instruction, a Dockerfile of a few lines over a named
image with the world as one tar, the reference solution, and a verifier that writes a graded
`reward.json`: the task's own checks from `bundle.py`.  The verifier is a separate one: it gets
a tar of what the agent left and runs in a container in which the agent never was.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import tomli_w

from tmax_gym.errors import HarborError
from tmax_gym.harbor.export.bundle import bundle
from tmax_gym.harbor.export.grade import ALONE, SECONDS
from tmax_gym.harbor.tasks.config import NetworkMode, VerifierMode
from tmax_gym.nodes import Node, directory
from tmax_gym.tasks.compose import GENERATOR, Task
from tmax_gym.world.archives import tar

HOME = "/app"
REMAINS = "/logs/artifacts/remains.tar"
"""Harbor takes everything in this directory from the agent's machine to the verifier's."""
_SYSTEM = frozenset(
    f"/{name}"
    for name in (
        *("bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "media", "mnt"),
        *("opt", "proc", "root", "run", "sbin", "srv", "sys", "tmp", "usr", "var"),
    )
)
"""Directories that every image has, and whose modes are its own."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """Choices of an export."""

    base: str = "tmax/{image}:latest"
    """Image to build on, of the agent's machine and the verifier's: what `tmax images tar core`
    packed, imported under this name, or one in a registry, best by its digest.  `{image}` is the
    task's own, `core` or `poly`."""
    organisation: str = "tmax"
    verifier: VerifierMode = "separate"
    """`shared` for runners that know no separate one: it trusts the agent's own python3."""
    agent_seconds: float = 1800.0
    """Harbor's clock includes the time in which a model thinks (its tasks: 600 to 12,000)."""
    network: NetworkMode = "no-network"
    """Of the agent; one that is installed into the container needs `public`."""
    cpus: int = 1
    memory_mb: int = 2048
    storage_mb: int = 10240


def export(task: Task, place: Path, *, options: ExportOptions | None = None) -> Path:
    """Write a task below a directory of tasks; return its own directory.

    The same task and options give the same bytes.

    Raises:
        HarborError: The task is of no family, or its directory exists already.
    """
    chosen = options or ExportOptions()
    verifier = bundle(task)
    home = place / task.name
    try:
        home.mkdir(parents=True)
    except FileExistsError:
        raise HarborError(f"{home} exists already: remove it, or export to elsewhere") from None
    _write(home / "task.toml", tomli_w.dumps(_settings(task, chosen)))
    _write(home / "instruction.md", task.instruction.rstrip("\n") + "\n")
    world = tar(_with_parents(task.nodes)) if task.nodes else b""
    _write(home / "environment/Dockerfile", _dockerfile(task, _base(task, chosen)))
    if world:
        _write(home / "environment/world.tar", world)
    _write(home / "solution/solve.sh", _solution(task), executable=True)
    _write(home / "tests/verifier.pyz", verifier)
    _write(home / "tests/spec.json", task.spec.to_json() + "\n")
    _write(home / "tests/test.sh", _test(task, chosen), executable=True)
    if chosen.verifier == "separate":
        _write(home / "tests/Dockerfile", _VERIFIER_DOCKERFILE.format(base=_base(task, chosen)))
    return home


def _write(file: Path, content: str | bytes, *, executable: bool = False) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    file.chmod(0o755 if executable else 0o644)


def _settings(task: Task, options: ExportOptions) -> Mapping[str, object]:
    machine = {
        "cpus": options.cpus,
        "memory_mb": options.memory_mb,
        "storage_mb": options.storage_mb,
    }
    verifier: dict[str, object] = {
        # Beside what programs may take: making the task anew, and compilers.
        "timeout_sec": SECONDS + 300.0,
        "user": "root",
        "environment_mode": options.verifier,
    }
    if options.verifier == "separate":
        verifier["collect"] = [
            {"command": _collect(task), "user": "root", "timeout_sec": 120.0},
        ]
        verifier["environment"] = {**machine, "network_mode": "no-network"}
    return {
        "schema_version": "1.4",
        "artifacts": [REMAINS] if options.verifier == "separate" else [],
        "task": {
            "name": f"{options.organisation}/{task.name}",
            "version": f"{GENERATOR}",
            "description": f"{task.spec.skill}: {', '.join(task.spec.primitives)}",
            "keywords": [task.spec.domain, task.spec.fixture, task.spec.verifier],
        },
        "metadata": _metadata(task),
        "agent": {"timeout_sec": options.agent_seconds, "user": "root"},
        "verifier": verifier,
        "environment": {**machine, "workdir": HOME, "network_mode": options.network},
    }


def _metadata(task: Task) -> Mapping[str, object]:
    spec = task.spec
    return {
        # The names that Harbor's own tables use, then ours.
        "difficulty": spec.complexity,
        "category": spec.domain,
        "tags": sorted({spec.skill, *spec.primitives}),
        "families": [stage.family for stage in spec.plan],
        "language": spec.language,
        "commands": spec.commands,
        "fixture": spec.fixture,
        "verifier_kind": spec.verifier,
        "level": spec.level,
        "split": spec.split,
        "digest": spec.digest,
    }


def _base(task: Task, options: ExportOptions) -> str:
    return options.base.replace("{image}", task.spec.image)


def _dockerfile(task: Task, base: str) -> str:
    lines = [f"ARG BASE={base}", "FROM ${BASE}"]
    lines += ["ADD world.tar /"] if task.nodes else []
    lines += [f"WORKDIR {HOME}"]
    lines += [f"RUN {json.dumps(['bash', '-c', command])}" for command in task.setup]
    return "\n".join(lines) + "\n"


def _with_parents(nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes and the directories above them that no image has."""
    by_path = {node.path: node for node in nodes}
    for path in tuple(by_path):
        while (path := posixpath.dirname(path)) not in _SYSTEM and path != "/":
            by_path.setdefault(path, directory(path))
    return [by_path[path] for path in sorted(by_path)]


def _solution(task: Task) -> str:
    commands = "\n".join(command.rstrip("\n") for command in task.oracle)
    return f"#!/bin/bash\n# The reference solution.\ncd {HOME}\n{commands}\n"


def _collect(task: Task, target: str = REMAINS) -> str:
    """Return the command that keeps what the checks will look at, as it is."""
    names = " ".join(root.lstrip("/") for root in task.roots)
    return (
        f"mkdir -p {posixpath.dirname(target)} && rm -f {target}; "
        f"tar -C / --numeric-owner --sparse -cf {target} {names}; true"
    )


def _test(task: Task, options: ExportOptions) -> str:
    run = 'python3 -I -S -B "$here/verifier.pyz"'
    shared = options.verifier == "shared"
    remains = "/logs/verifier/remains.tar" if shared else REMAINS
    lines = [
        "#!/bin/bash",
        "# Grades what the agent left and writes a graded reward.json, one number for every",
        "# check.  Where grading itself fails nothing is written: no reward, not zero.",
        "umask 022",
        'here=$(cd "$(dirname "$0")" && pwd)',
        "mkdir -p /logs/verifier",
        "# The programs that are graded run as nobody.",
        'chmod 700 "$here"',
        "chmod 755 /logs/verifier",
        *((f"{run} {ALONE}", _collect(task, remains)) if shared else ()),
        f'{run} "$here/spec.json" {remains} /logs/verifier',
        *(("status=$?", f"rm -f {remains}", "exit $status") if shared else ()),
    ]
    return "\n".join(lines) + "\n"


_VERIFIER_DOCKERFILE = """\
ARG BASE={base}
FROM ${{BASE}}
WORKDIR /tests
COPY . /tests/
"""

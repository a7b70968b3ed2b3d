r"""Harbor's agents on our sandboxes, and our harnesses as Harbor agents (Harbor 0.25 and 0.26).

    harbor run -p DIR -a oracle -e tmax_gym.adapters.harbor:TmaxEnvironment --ek backend=native
    harbor run -p DIR -a tmax_gym.adapters.harbor:TmaxAgent -m NAME --ak endpoint=http://HOST/v1 \
        --ak harness=bash

Containers run any image; other backends run tasks that are built on our own images.  There are no
networks by list, mounts, GPUs or compose files.  The agent is in `harbor_agent.py`.  Needs `pip
install tmax-gym[harbor]` and Python 3.12.
"""

from __future__ import annotations

import asyncio
import os
import posixpath
from pathlib import Path
from typing import Any

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import (
    EnvironmentCapabilities,
    EnvironmentResourceCapabilities,
)

from tmax_gym.adapters.harbor_agent import TmaxAgent
from tmax_gym.errors import HarborError
from tmax_gym.harbor.run.machines import open_machine
from tmax_gym.harbor.run.opened import Opened, named
from tmax_gym.harbor.run.settings import HarborSettings
from tmax_gym.harbor.tasks.config import EnvironmentConfig, NetworkMode
from tmax_gym.harbor.tasks.directory import HarborTask, Machine, read_task
from tmax_gym.nodes import Node, directory
from tmax_gym.sandboxes import backend as backend_named

__all__ = ["TmaxAgent", "TmaxEnvironment"]

LONGEST = 24 * 3600.0
"""Seconds for a command without a limit of its own."""
FILE_BYTES = 1 << 30


class TmaxEnvironment(BaseEnvironment):  # type: ignore[misc]
    """One of our sandboxes as a Harbor environment."""

    def __init__(self, *args: Any, backend: str = "docker", network: str = "auto", **kwargs: Any):
        """Take Harbor's arguments, and `--ek backend=… --ek network=…`."""
        self._backend = backend
        self._choice: Any = network
        self._opened: Opened | None = None
        super().__init__(*args, **kwargs)

    @staticmethod
    def type() -> str:
        """Return its name."""
        return "tmax"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        """Return its optional features."""
        return EnvironmentCapabilities(disable_internet=True)

    @classmethod
    def resource_capabilities(cls) -> EnvironmentResourceCapabilities:
        """Return the limits that it enforces."""
        return EnvironmentResourceCapabilities(
            cpu_limit=True, memory_limit=True, fractional_cpus=True
        )

    def _validate_definition(self) -> None:
        if not self.task_env_config.docker_image and not self._dockerfile.is_file():
            raise FileNotFoundError(
                f"{self._dockerfile} is missing, and the task names no docker_image"
            )

    @property
    def _dockerfile(self) -> Path:
        return Path(self.environment_dir) / "Dockerfile"

    async def start(self, force_build: bool) -> None:
        """Start the machine.  Images are cached by their content, so no build is ever forced."""
        self._opened = await asyncio.to_thread(self._start)

    def _start(self) -> Opened:
        given = self.task_env_config
        names = ("build_timeout_sec", "docker_image", "cpus", "memory_mb", "storage_mb", "workdir")
        config = EnvironmentConfig(**{name: getattr(given, name) for name in names})
        has_dockerfile = self._dockerfile.is_file()
        context = Path(self.environment_dir).resolve() if has_dockerfile else None
        machine = Machine("image" if given.docker_image else "dockerfile", config, context)
        mode: NetworkMode = "no-network" if self._network_disabled else "public"
        opened = open_machine(
            self._task(),
            machine,
            backend_named(self._backend),
            settings=HarborSettings(network=self._choice),
            mode=mode,
            seconds=given.build_timeout_sec,
        )
        done = opened.sandbox.exec(["chmod", "777", "/logs", "/logs/agent", "/logs/verifier"])
        if done.exit_code:
            opened.sandbox.close()
            raise HarborError("/logs cannot be written in the machine")
        opened.sandbox.put([directory("/logs/artifacts", mode=0o777)])
        return opened

    def _task(self) -> HarborTask:
        """Return the task whose directory contains this environment's."""
        place = Path(self.environment_dir).resolve()
        for above in place.parents:
            if (above / "task.toml").is_file():
                return read_task(above)
        raise HarborError(f"no directory above {place} has a task.toml")

    async def stop(self, delete: bool) -> None:
        """Destroy the machine and all its data, whatever `delete` says."""
        opened, self._opened = self._opened, None
        if opened is not None:
            await asyncio.to_thread(opened.sandbox.close)

    @property
    def machine(self) -> Opened:
        """Return the running machine."""
        if self._opened is None:
            raise HarborError("the environment is not running: start it first")
        return self._opened

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        *,
        timeout_sec: int | None = None,
        user: str | int | None = None,
        **_: Any,
    ) -> ExecResult:
        """Run a command in bash; raise `TimeoutError`, with its session killed, if it is late."""
        who = self._resolve_user(user)
        done = await asyncio.to_thread(
            self.machine.run,
            ["/bin/bash", "-c", command],
            user=None if who is None else named(who),
            env=self._merge_env(env),
            timeout=LONGEST if timeout_sec is None else float(timeout_sec),
            cwd=cwd,
        )
        out, err = (part.decode(errors="replace") for part in (done.stdout, done.stderr))
        if done.timed_out:
            raise TimeoutError(f"not ended after {timeout_sec} s: {command[:200]}\n{out[-500:]}")
        return ExecResult(stdout=out, stderr=err, return_code=done.exit_code)

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        """Copy a file of this machine into the sandbox."""
        node = _node(Path(source_path), posixpath.normpath(str(target_path)))
        await asyncio.to_thread(self.machine.sandbox.put, [node])

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """Copy a directory of this machine into the sandbox."""
        root, target = Path(source_dir), posixpath.normpath(str(target_dir))
        files = [
            _node(path, f"{target}/{path.relative_to(root).as_posix()}")
            for path in sorted(root.rglob("*"))
            if path.is_file()
        ]
        await asyncio.to_thread(self.machine.sandbox.put, [directory(target), *files])

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        """Copy a file of the sandbox to this machine."""
        nodes = await self._read(str(source_path))
        files = [n for n in nodes if n.kind == "file" and n.data is not None]
        if len(files) != 1:
            raise FileNotFoundError(f"{source_path} is not a file of the sandbox")
        _write(Path(target_path), files[0])

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        """Copy a directory of the sandbox to this machine; links are left out."""
        root = posixpath.normpath(str(source_dir))
        Path(target_dir).mkdir(parents=True, exist_ok=True)
        for node in await self._read(root):
            place = Path(target_dir) / node.path.removeprefix(root).lstrip("/")
            if node.kind == "dir":
                place.mkdir(parents=True, exist_ok=True)
            elif node.kind == "file" and node.data is not None:
                _write(place, node)

    async def _read(self, path: str) -> tuple[Node, ...]:
        get = self.machine.sandbox.get
        return await asyncio.to_thread(get, [posixpath.normpath(path)], max_bytes=FILE_BYTES)


def _node(path: Path, target: str) -> Node:
    mode = 0o755 if os.access(path, os.X_OK) else 0o644
    return Node(posixpath.normpath(target), data=path.read_bytes(), mode=mode)


def _write(place: Path, node: Node) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(node.data or b"")
    place.chmod(node.mode & 0o777 | 0o600)

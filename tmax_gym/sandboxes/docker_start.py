"""How a container is made: what it may do, and its first process.

*Covers*: creating, attaching, starting, the limits, and removal of what was half made.
*Does not cover*: whose turn it is: callers hold a place at the engine's door.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import Any

from tmax_gym.errors import ImageError
from tmax_gym.sandboxes import Limits, docker_profile
from tmax_gym.sandboxes.docker_engine import Engine
from tmax_gym.sandboxes.docker_init import COMMAND, Init
from tmax_gym.sandboxes.docker_reaper import LABEL, MACHINE
from tmax_gym.sandboxes.docker_sandbox import DockerSandbox
from tmax_gym.sandboxes.docker_terminal import DIRECT, PATH

_CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID",
                 "NET_BIND_SERVICE")  # fmt: skip
"""What root needs to install, serve and hand files over; Docker's default has 14, NET_RAW and
MKNOD among them."""
_SHM = 64 << 20
"""Docker's default size of /dev/shm."""
_FILES = 20_000
_TASKS = 32_768
"""Limits that are there because Podman otherwise asks for 1,048,576 open files and for more
processes than its own limit, which needs CAP_SYS_RESOURCE; both are generous."""
_podmans: dict[str, bool] = {}


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that containers of one kind have in common."""

    reference: str
    limits: Limits
    owner: str
    """The label by which leftovers are found."""
    runtime: str | None = None


def machine_name() -> str:
    """Return a name that no other container has."""
    return os.urandom(8).hex()


def start(engine: Engine, recipe: Recipe, name: str, *, prepared: bool) -> DockerSandbox:
    """Start a container, with a terminal that waits if `prepared`.

    Raises:
        ImageError: The engine has the image no more.
        SandboxError: It could not be started; nothing is left of it.
    """
    container = _create(engine, recipe, name)
    try:
        attach = f"/containers/{container}/attach?stream=1&stdin=1&stdout=1"
        init = Init(engine.hijack(attach))
        with engine.errors(f"starting a container of {recipe.reference}"):
            engine.api.start(container)
            state = engine.api.inspect_container(container)["State"]
        sandbox = DockerSandbox(engine, container, init, int(state["Pid"]))
        sandbox.name = name
        if prepared:
            sandbox.prepare()
    except BaseException:
        with contextlib.suppress(Exception):
            engine.api.remove_container(container, force=True, v=True)
        raise
    return sandbox


def _create(engine: Engine, recipe: Recipe, name: str) -> str:
    import docker.errors

    with engine.errors(f"starting a container of {recipe.reference}"):
        try:
            answer = engine.api.create_container(
                recipe.reference,
                [*COMMAND, DIRECT],
                stdin_open=True,
                hostname="sandbox",
                user="0:0",
                working_dir="/",
                environment={"PATH": PATH},
                labels={LABEL: recipe.owner, MACHINE: name},
                host_config=_host_config(engine, recipe),
            )
        except docker.errors.ImageNotFound as error:
            engine.forget_image(recipe.reference)
            raise ImageError(
                f"the engine at {engine.address} lost image {recipe.reference}: open another"
            ) from error
    return str(answer["Id"])


def _is_podman(engine: Engine) -> bool:
    """Ask once what answers there: either may listen where the other is expected."""
    if engine.address not in _podmans:
        parts = engine.api.version().get("Components") or ()
        _podmans[engine.address] = any("Podman" in part["Name"] for part in parts)
    return _podmans[engine.address]


def _host_config(engine: Engine, recipe: Recipe) -> Any:
    from docker.types import LogConfig, Ulimit

    limits = recipe.limits
    near = engine.address.startswith("unix://")
    walls, hidden = docker_profile.walls(podman=_is_podman(engine), near=near)
    config = engine.api.create_host_config(
        network_mode="none",
        runtime=recipe.runtime,
        mem_limit=limits.memory,
        memswap_limit=limits.memory,
        pids_limit=limits.pids,
        nano_cpus=int(limits.cpus * 1e9),
        shm_size=_SHM,
        cap_drop=["ALL"],
        cap_add=list(_CAPABILITIES),
        security_opt=["no-new-privileges", *walls],
        sysctls=dict(docker_profile.IPC),
        log_config=LogConfig(type=LogConfig.types.NONE),
        ulimits=[
            Ulimit(name="nofile", soft=_FILES, hard=_FILES),
            Ulimit(name="nproc", soft=_TASKS, hard=_TASKS),
            Ulimit(name="fsize", soft=limits.disk, hard=limits.disk),
            Ulimit(name="core", soft=0, hard=0),
        ],
    )
    config["MaskedPaths"] = hidden
    return config

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
from tmax_gym.sandboxes import Limits
from tmax_gym.sandboxes.docker import security
from tmax_gym.sandboxes.docker.engine import Engine
from tmax_gym.sandboxes.docker.init import COMMAND, Init
from tmax_gym.sandboxes.docker.reaper import LABEL, MACHINE
from tmax_gym.sandboxes.docker.sandbox import DockerSandbox
from tmax_gym.sandboxes.docker.terminal.terminal import DIRECT, PATH

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
    network: str = "none"
    """Of the engine, by name; `none` but for tasks of others that ask for one."""


def machine_name() -> str:
    """Return a name that no other container has."""
    return os.urandom(8).hex()


def _called(name: str) -> str:
    """Return what the engine calls a machine."""
    return f"tmax-{name}"


def start(engine: Engine, recipe: Recipe, name: str, *, prepared: bool) -> DockerSandbox:
    """Start a container, with a terminal that waits if `prepared`.

    Raises:
        ImageError: The engine has the image no more.
        SandboxError: It could not be started; nothing is left of it.
    """
    try:
        container = _create(engine, recipe, name)
    except BaseException:
        engine.remove_later(_called(name))  # the engine may have made it, and its answer be lost
        raise
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
        engine.remove_later(container)  # where it cannot be now
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
                [*COMMAND[1:], DIRECT],
                entrypoint=[COMMAND[0]],  # in place of an image's own
                stdin_open=True,
                name=_called(name),
                hostname="sandbox",
                # The kernel's own new network, a loopback: Docker's `none` starts a second dockerd
                # within the start, which takes two thirds of it.
                network_disabled=recipe.network == "none" and not is_podman(engine),
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


def is_podman(engine: Engine) -> bool:
    """Ask once what answers there: either may listen where the other is expected."""
    if engine.address not in _podmans:
        parts = engine.api.version().get("Components") or ()
        _podmans[engine.address] = any("Podman" in part["Name"] for part in parts)
    return _podmans[engine.address]


def _host_config(engine: Engine, recipe: Recipe) -> Any:
    from docker.types import LogConfig, Ulimit

    limits = recipe.limits
    near = engine.address.startswith("unix://")
    walls, hidden = security.walls(podman=is_podman(engine), near=near)
    config = engine.api.create_host_config(
        network_mode=recipe.network,
        runtime=recipe.runtime,
        mem_limit=limits.memory,
        memswap_limit=limits.memory,
        pids_limit=limits.pids,
        nano_cpus=int(limits.cpus * 1e9),
        shm_size=_SHM,
        cap_drop=["ALL"],
        cap_add=list(_CAPABILITIES),
        security_opt=["no-new-privileges", *walls],
        sysctls=dict(security.IPC),
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

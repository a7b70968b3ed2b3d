"""Creates and starts a container with its limits and rights, and attaches to its first process.

A container that could not be started is removed.  Callers wait for their turn at the engine's
`Admission` before.
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
from tmax_gym.sandboxes.docker.ownership import LABEL, MACHINE
from tmax_gym.sandboxes.docker.sandbox import DockerSandbox
from tmax_gym.sandboxes.docker.terminal.terminal import DIRECT
from tmax_gym.sandboxes.login import PATH

_CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID",
                 "NET_BIND_SERVICE")  # fmt: skip
"""Root needs these to install, serve and change owners; Docker's default has 14, with NET_RAW and
MKNOD."""
_SHM = 64 << 20
"""Docker's default size of /dev/shm."""
_FILES = 20_000
_TASKS = 32_768
"""Generous limits.  Without them Podman asks for 1,048,576 open files and for more processes than
its own limit, which needs CAP_SYS_RESOURCE."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The settings that containers of one kind share."""

    reference: str
    limits: Limits
    owner: str
    """The value of the label `LABEL`."""
    runtime: str | None = None
    network: str = "none"
    """A network of the engine, by name; `none` except for tasks of other datasets that need one."""


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
        engine.remove_later(_called(name))  # it may exist, if only the engine's answer was lost
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
        engine.remove_later(container)  # in case it cannot be removed now
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
                # A new network namespace with a loopback: Docker's network `none` starts a second
                # dockerd, which takes two thirds of the start.
                network_disabled=recipe.network == "none" and not engine.is_podman(),
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


def _host_config(engine: Engine, recipe: Recipe) -> Any:
    from docker.types import LogConfig, Ulimit

    limits = recipe.limits
    near = engine.address.startswith("unix://")
    options, hidden = security.options(podman=engine.is_podman(), near=near)
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
        security_opt=["no-new-privileges", *options],
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

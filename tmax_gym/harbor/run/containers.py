"""Machines of Harbor tasks as containers of any image with bash, on docker and podman.

Images are pulled or built when they are first needed, and kept by their content.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from tmax_gym.errors import HarborError, ImageError
from tmax_gym.harbor.run.build import dockerfile
from tmax_gym.harbor.run.build.context import Context, read_context
from tmax_gym.harbor.run.opened import Opened, settled
from tmax_gym.harbor.run.settings import LIMITS, HarborSettings
from tmax_gym.harbor.tasks import trees
from tmax_gym.harbor.tasks.config import NetworkMode
from tmax_gym.harbor.tasks.directory import HarborTask, Machine
from tmax_gym.harbor.tasks.support import limits
from tmax_gym.sandboxes.docker.backend import DockerBackend
from tmax_gym.sandboxes.docker.engine import Engine
from tmax_gym.sandboxes.docker.images import build


def open_container(
    task: HarborTask,
    machine: Machine,
    name: str,
    *,
    settings: HarborSettings,
    mode: NetworkMode,
    env: Mapping[str, str],
    seconds: float,
) -> Opened:
    """Start the container of a machine; pulling or building its image may take `seconds`.

    Raises:
        ImageError: Its image can be neither pulled nor built.
        SandboxError: The container could not be started.
    """
    engine = DockerBackend.shared(name, network="none").engine
    reference = _reference(task, machine, engine, settings=settings, seconds=seconds)
    with engine.errors("asking for networks and processors"):
        networks = [row["Name"] for row in engine.api.networks()]
        processors = float(engine.api.info().get("NCPU") or 1)
    network = network_name(networks, mode, settings)
    facts = build.facts(engine, reference)
    wanted = limits(machine.config, LIMITS)
    wanted = replace(wanted, cpus=min(wanted.cpus, processors))
    # By the digest, which no other build can move.
    host = DockerBackend.shared(name, network=network)
    sandbox = host.open(facts.id, limits=wanted)
    return settled(
        sandbox,
        machine.config.workdir or facts.workdir,
        env={**facts.env, **env},
        user=facts.user,
        offline=network == "none",
        entrypoint=facts.entrypoint,
    )


def network_name(
    engine_networks: Iterable[str], mode: NetworkMode, settings: HarborSettings
) -> str:
    """Return the engine's network for a mode of a task."""
    if mode == "no-network" or settings.network == "none":
        return "none"
    if settings.network == "auto":
        return "bridge" if "bridge" in set(engine_networks) else "none"
    return settings.network


def _reference(
    task: HarborTask, machine: Machine, engine: Engine, *, settings: HarborSettings, seconds: float
) -> str:
    """Pull or build the image of a machine; return its reference."""
    if machine.recipe == "image" and (given := machine.config.docker_image):
        given = dict(settings.substitutes).get(given, given)
        given = given if ":" in given.rpartition("/")[2] or "@" in given else f"{given}:latest"
        try:
            build.pull(engine, given, seconds=seconds)
            return given
        except ImageError:
            if machine.dockerfile is None:
                raise
    file = machine.dockerfile
    if file is None or machine.context is None:
        raise HarborError("it has neither an image nor a Dockerfile")
    text = trees.read_text(file, "Dockerfile")
    text = dockerfile.substituted(text, dict(settings.substitutes))
    context = read_context(task, machine.context)
    wanted = build.Build(
        "",
        context.pack(),
        dockerfile.bases(text),
        None if settings.build_network == "default" else settings.build_network,
        seconds,
        text,
        dockerfile.platform_args(text),
        _buildkit_reason(text, context),
    )
    named = replace(wanted, reference=f"{build.TRIALS}:{_digest(wanted)}")
    build.build(engine, named)
    return named.reference


def _digest(wanted: build.Build) -> str:
    total = hashlib.blake2b(wanted.context, digest_size=10)
    total.update(json.dumps([wanted.dockerfile, *sorted(wanted.args.items())]).encode())
    return total.hexdigest()


def _buildkit_reason(text: str, context: Context) -> str:
    """Return what only BuildKit builds correctly, "" for nothing."""
    if reason := dockerfile.buildkit_reason(text):
        return reason
    if context.set_ids:
        return "files with a set-user-id bit, which other builders remove"
    # Other builders read only `.dockerignore`, and only in the context.
    return "a Dockerfile.dockerignore" if context.own_rules else ""

"""Open the machines of a Harbor task, from an image or a Dockerfile.

On docker and podman they are containers of any image.  The other backends run only tasks that are
built on our own image, and follow their Dockerfile step by step.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path, PurePosixPath

from tmax_gym.errors import HarborError, ImageError, Unbuildable
from tmax_gym.harbor.run import followed
from tmax_gym.harbor.run.build import dockerfile
from tmax_gym.harbor.run.opened import Opened, named
from tmax_gym.harbor.run.settings import HarborSettings
from tmax_gym.harbor.tasks import trees
from tmax_gym.harbor.tasks.config import NetworkMode
from tmax_gym.harbor.tasks.directory import HarborTask, Machine
from tmax_gym.harbor.tasks.templates import resolve
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import Backend, Emptied

ENGINES = ("docker", "podman")
_ROOM = """
[ -d "$1" ] || { rm -rf "$1"; mkdir -p "$1"; }; shift
while [ "$1" != -- ]; do [ -d "$1" ] && [ ! -L "$1" ] || rm -rf "$1"; shift; done; shift
for file; do [ ! -d "$file" ] || [ -L "$file" ] || rm -rf "$file"; done
"""
"""Arguments: a directory to make, paths to become directories, paths to free of directories."""


def obstacle(task: HarborTask, backend: str, *, substitutes: Iterable[tuple[str, str]] = ()) -> str:
    """Return why a kind of sandbox cannot run a task, "" if it can."""
    if task.unsupported:
        return task.unsupported
    if backend in ENGINES:
        return ""
    machines = [task.machine, *(s.verifier_machine for s in task.steps if s.verifier_machine)]
    for machine in machines:
        if machine.recipe == "image" or machine.dockerfile is None:
            reason = f"its image is {machine.config.docker_image}"
        else:
            reason = _unfollowed(machine.dockerfile, dict(substitutes))
        if reason:
            return f"{reason}; {backend} runs only our own image: use docker"
    users = {named(u) for s in task.steps for u in (s.agent.user, s.verifier.user)}
    if others := sorted(users - {"root", "nobody"}):
        return f"{backend} has no user {', '.join(others)}; use docker"
    return ""


def _unfollowed(file: Path, substitutes: Mapping[str, str]) -> str:
    try:
        text = dockerfile.substituted(trees.read_text(file, "Dockerfile"), substitutes)
    except HarborError as error:
        return f"its Dockerfile cannot be read: {str(error).removeprefix('Dockerfile: ')}"
    return dockerfile.obstacle(text)


def open_machine(
    task: HarborTask,
    machine: Machine,
    backend: Backend,
    *,
    settings: HarborSettings,
    mode: NetworkMode,
    seconds: float,
) -> Opened:
    """Start one of a task's machines; making its image may take `seconds`.

    Raises:
        Unbuildable: Its image cannot be made here; trying again does not help.
        SandboxError: The machine could not be started.
    """
    try:
        env = resolve(machine.config.env, os.environ)
        if backend.name in ENGINES:
            from tmax_gym.harbor.run.containers import open_container

            opened = open_container(
                *(task, machine, backend.name),
                settings=settings,
                mode=mode,
                env=env,
                seconds=seconds,
            )
        else:
            opened = followed.open_followed(
                *(task, machine, backend), settings=settings, env=env, seconds=seconds
            )
        if machine is task.machine and settings.leftovers == "kill":
            _refuse_services(task, opened)
        return opened
    except (HarborError, ImageError) as error:
        raise Unbuildable(f"task {task.name}: {error}") from error


def _refuse_services(task: HarborTask, opened: Opened) -> None:
    """Refuse a machine with services that would be killed before a verifier beside them runs."""
    if opened.services and any(step.verifier_machine is None for step in task.steps):
        opened.sandbox.close()
        raise HarborError(
            f"its ENTRYPOINT leaves {', '.join(opened.services)} running, which would be ended "
            'before its tests run: choose leftovers="keep"'
        )


def end_all(opened: Opened) -> None:
    """Kill every process of a machine but the first; its shell must have been closed."""
    if isinstance(opened.sandbox, Emptied):
        opened.sandbox.end_all()
    else:
        opened.sandbox.exec(["/bin/bash", "-c", "kill -9 -1"], timeout=30.0)


def nodes(task: HarborTask, below: str, target: str) -> tuple[Node, ...]:
    """Return a directory of a task as files for a sandbox."""
    return tuple(
        Node(
            posixpath.normpath(f"{target}/{entry.name.removeprefix(below).lstrip('/')}"),
            entry.kind,
            entry.path.read_bytes() if entry.kind == "file" else None,
            mode=entry.mode,
            target=entry.target,
        )
        for entry in task.entries(below)
    )


def make_room(opened: Opened, given: Collection[Node]) -> None:
    """Remove what an agent has left in place of a later step's directories and files."""
    within = PurePosixPath(opened.workdir)
    above = {
        str(up)
        for node in given
        for up in (PurePosixPath(node.path), *PurePosixPath(node.path).parents)
        if within in up.parents and (str(up) != node.path or node.kind == "dir")
    }
    files = [node.path for node in given if node.kind != "dir"]
    words = ["/bin/sh", "-c", _ROOM, "-", opened.workdir, *sorted(above), "--", *files]
    opened.sandbox.exec(words, timeout=60.0)

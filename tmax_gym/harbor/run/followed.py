"""Machines without a container engine: our own image, in which a Dockerfile is followed.

It follows one stage: COPY, ADD of local files, ENV, ARG, WORKDIR, SHELL, VOLUME and RUN, in order;
`dockerfile.obstacle` refuses anything else before.  After every RUN its processes are killed, and
the files that engines mount are restored.
"""

from __future__ import annotations

import posixpath
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace

from tmax_gym.errors import HarborError, ImageError
from tmax_gym.harbor.run.build import dockerfile
from tmax_gym.harbor.run.build.context import read_context
from tmax_gym.harbor.run.build.copying import Copier
from tmax_gym.harbor.run.opened import Opened, settled
from tmax_gym.harbor.run.settings import LIMITS, HarborSettings
from tmax_gym.harbor.tasks import trees
from tmax_gym.harbor.tasks.config import EnvironmentConfig
from tmax_gym.harbor.tasks.directory import HarborTask, Machine
from tmax_gym.harbor.tasks.support import limits
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import Backend, Limits, Sandbox

_MOUNTED = ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf")
"""Files that engines mount: changes by RUN or COPY do not get into an image."""
_TIDY = "rm -rf /dev/shm/* /dev/shm/.[!.]*; kill -9 -1"


def open_followed(
    task: HarborTask,
    machine: Machine,
    backend: Backend,
    *,
    settings: HarborSettings,
    env: Mapping[str, str],
    seconds: float,
) -> Opened:
    """Start our own image and follow a Dockerfile in it."""
    if machine.dockerfile is None or machine.context is None:
        raise HarborError(f"{backend.name} runs only our own image: use docker")
    text = trees.read_text(machine.dockerfile, "Dockerfile")
    text = dockerfile.substituted(text, dict(settings.substitutes))
    if reason := dockerfile.obstacle(text):
        raise HarborError(f"{reason}; {backend.name} runs only our own image: use docker")
    context = read_context(task, machine.context)
    sandbox = backend.open(
        dockerfile.ours(dockerfile.bases(text)[0]), limits=_limits(machine.config)
    )
    with ExitStack() as failing:
        failing.callback(sandbox.close)
        owners = "userns" not in backend.capabilities()
        copier = Copier(sandbox, context.entries, owners=owners)
        follower = _Follower(sandbox, copier, seconds=seconds)
        for step in dockerfile.read(text):
            follower.follow(step)
        follower.make_volumes()
        failing.pop_all()
    workdir = machine.config.workdir or follower.workdir
    return settled(
        sandbox,
        workdir,
        env={**follower.env, **env},
        user="root",
        offline=True,
        entrypoint=follower.entrypoint,
    )


def _limits(config: EnvironmentConfig) -> Limits:
    return limits(config, replace(LIMITS, cpus=1.0, disk=1 << 30, inodes=100_000))


class _Follower:
    """Follows the instructions of a Dockerfile in a sandbox."""

    def __init__(self, sandbox: Sandbox, copier: Copier, *, seconds: float) -> None:
        self.workdir = "/"
        self.env: Mapping[str, str] = {}
        self.entrypoint: tuple[str, ...] = ()
        self._sandbox = sandbox
        self._copier = copier
        self._shell: tuple[str, ...] = ("/bin/sh", "-c")
        self._volumes: list[str] = []
        self._mounted = self._sandbox.get(_MOUNTED)
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds

    def follow(self, step: dockerfile.Step) -> None:
        """Follow one instruction."""
        self.env = step.kept
        if step.word == "WORKDIR":
            self.workdir = posixpath.normpath(posixpath.join(self.workdir, step.args[0]))
            self._run(["mkdir", "-p", "--", self.workdir], step, cwd="/")
        elif step.word == "SHELL":
            self._shell = step.args
        elif step.word == "VOLUME":
            self._volumes += step.args
        elif step.word == "ENTRYPOINT":
            listed = step.instruction.listed
            shell = (*self._shell, step.instruction.rest) if step.instruction.rest else ()
            self.entrypoint = shell if listed is None else listed
        elif step.word == "RUN":
            listed = step.instruction.listed
            self._run(listed or (*self._shell, dockerfile.run_text(step)), step)
            self._sandbox.exec(["/bin/bash", "-c", _TIDY], timeout=60.0)
            self._restore()
        elif step.word in ("COPY", "ADD"):
            self._copier.copy(step, self.workdir)
            self._restore()

    def make_volumes(self) -> None:
        """Make the directories of VOLUME, which an engine would mount."""
        for path in self._volumes:
            place = posixpath.join("/", path)
            done = self._sandbox.exec(["mkdir", "-p", "--", place])
            if done.exit_code:
                raise ImageError(f"the image could not be built: VOLUME {path}: no directory")

    def _run(
        self, argv: tuple[str, ...] | list[str], step: dockerfile.Step, *, cwd: str | None = None
    ) -> None:
        # As with an engine: only the Dockerfile's own environment, PATH and HOME.
        env = {"HOME": "/root", "HOSTNAME": "sandbox", **step.env}
        words = [f"{name}={value}" for name, value in env.items()]
        left = max(self._deadline - time.monotonic(), 0.1)
        done = self._sandbox.exec(
            ["/usr/bin/env", "-i", *words, *argv], cwd=cwd or self.workdir, timeout=left
        )
        if done.timed_out:
            late = f"it took longer than {self._seconds:g} s"
            raise ImageError(f"the image could not be built: {late}")
        if done.exit_code:
            tail = (done.stdout + done.stderr)[-500:].decode(errors="replace")
            raise ImageError(
                f"the image could not be built: {argv[-1][:99]!r} ended with "
                f"{done.exit_code}: {tail}"
            )

    def _restore(self) -> None:
        """Restore the files that an engine mounts."""
        if _contents(self._sandbox.get(_MOUNTED)) != _contents(self._mounted):
            self._sandbox.put(self._mounted)


def _contents(nodes: tuple[Node, ...]) -> list[tuple[str, str, bytes | None, str]]:
    return [(n.path, n.kind, n.data, n.target) for n in nodes]

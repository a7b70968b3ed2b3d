"""Machines that need no container engine: our own image, and a Dockerfile followed in it.

Covers COPY, ADD of local files, ENV, WORKDIR and RUN, in order.  What else a Dockerfile may hold
is told by `dockerfile.obstacle` before.
"""

from __future__ import annotations

import fnmatch
import posixpath
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace

from tmax_gym.errors import HarborError, ImageError
from tmax_gym.files import Node
from tmax_gym.harbor import trees
from tmax_gym.harbor.config import EnvironmentConfig
from tmax_gym.harbor.directory import HarborTask, Machine
from tmax_gym.harbor.support import limits
from tmax_gym.sandboxes import Backend, Limits, Sandbox
from tmax_gym.trial import dockerfile
from tmax_gym.trial.opened import QUIET, Opened, settled
from tmax_gym.trial.settings import LIMITS


def open_followed(
    task: HarborTask, machine: Machine, backend: Backend, *, env: Mapping[str, str]
) -> Opened:
    """Start our own image and do what a Dockerfile says, step by step."""
    if machine.dockerfile is None or machine.context is None:
        raise HarborError(f"{backend.name} runs tasks with a Dockerfile of ours alone: use docker")
    text = trees.read_text(machine.dockerfile, "Dockerfile")
    if reason := dockerfile.obstacle(text):
        raise HarborError(f"{reason}; {backend.name} runs our own image alone: use docker")
    sandbox = backend.open(
        dockerfile.ours(dockerfile.bases(text)[0]), limits=_limits(machine.config)
    )
    with ExitStack() as failing:
        failing.callback(sandbox.close)
        below = machine.context.relative_to(task.directory).as_posix()
        follower = _Follower(task, below, sandbox)
        for step in dockerfile.read(text):
            follower.follow(step)
        failing.pop_all()
    workdir = machine.config.workdir or follower.workdir
    return settled(sandbox, workdir, env={**follower.env, **env}, user="root", offline=True)


def _limits(config: EnvironmentConfig) -> Limits:
    return limits(config, replace(LIMITS, cpus=1.0, disk=1 << 30, inodes=100_000))


class _Follower:
    """Does in a sandbox what a Dockerfile says."""

    def __init__(self, task: HarborTask, below: str, sandbox: Sandbox) -> None:
        self.workdir = "/"
        self.env: dict[str, str] = {}
        self._sandbox = sandbox
        self._files = {e.name.removeprefix(f"{below}/"): e for e in task.files(below)}

    def follow(self, step: dockerfile.Instruction) -> None:
        """Follow one instruction."""
        if step.word == "ENV":
            self.env |= dockerfile.variables(step.rest)
        elif step.word == "WORKDIR":
            self.workdir = posixpath.normpath(posixpath.join(self.workdir, step.rest))
            self._run(["mkdir", "-p", self.workdir], cwd="/")
        elif step.word == "RUN":
            self._run(dockerfile.run_argv(step))
        elif step.word in ("COPY", "ADD"):
            *sources, target = step.words
            for source in sources:
                self._copy(source, target, unpack=step.word == "ADD", many=len(sources) > 1)

    def _run(self, argv: list[str], *, cwd: str | None = None, stdin: bytes = b"") -> None:
        done = self._sandbox.exec(
            argv, cwd=cwd or self.workdir, env={**QUIET, **self.env}, stdin=stdin, timeout=600.0
        )
        if done.exit_code:
            tail = (done.stdout + done.stderr)[-500:].decode(errors="replace")
            raise ImageError(
                f"the image could not be built: {argv[-1][:99]!r} ended with "
                f"{done.exit_code}: {tail}"
            )

    def _copy(self, source: str, target: str, *, unpack: bool, many: bool) -> None:
        place = posixpath.join(self.workdir, target)
        into = many or target.endswith("/") or target in (".", "./")
        wanted = posixpath.normpath(source)
        found = []
        for name, entry in self._files.items():
            data = entry.path.read_bytes()
            if unpack and name == wanted and name.endswith((".tar", ".tar.gz", ".tgz")):
                self._run(["mkdir", "-p", place], cwd="/")
                self._run(["tar", "-C", place, "-xp", "--numeric-owner", "-f", "-"] +
                          (["-z"] if name.endswith("gz") else []), stdin=data)  # fmt: skip
                return
            if name == wanted or ("*" in wanted and fnmatch.fnmatchcase(name, wanted)):
                at = f"{place}/{posixpath.basename(name)}" if into else place
            elif wanted == "." or name.startswith(f"{wanted}/"):
                at = f"{place}/{name if wanted == '.' else name.removeprefix(f'{wanted}/')}"
            else:
                continue
            mode = 0o755 if entry.executable else 0o644
            found.append(Node(posixpath.normpath(at), data=data, mode=mode))
        if not found:
            raise ImageError(f"the image could not be built: {source} is not in its directory")
        self._sandbox.put(found)

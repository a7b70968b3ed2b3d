"""A running machine of a task: how programs run in it, with what environment, user and directory.

Standard input is empty, and no installer asks questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import cast

from tmax_gym.errors import SandboxError
from tmax_gym.harbor.run import entrypoint as entrypoints
from tmax_gym.sandboxes import ExecResult, Sandbox, User

OUTPUT_BYTES = 4 << 20
"""Largest number of bytes of a program's output; the rest is dropped."""
PLACE = "/logs/.tmax"
"""The directory of our own files that scripts of a task need.  It is below /logs because grading
makes /logs a directory again; elsewhere an agent could leave a file or a link in its place, and
would not be graded."""
QUIET = {"DEBIAN_FRONTEND": "noninteractive", "PIP_NO_INPUT": "1", "GIT_TERMINAL_PROMPT": "0"}
"""Keeps installers from asking: 114 published trials hang at one prompt (tzdata's)."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A running machine."""

    sandbox: Sandbox
    workdir: str
    env: Mapping[str, str]
    user: str
    """The user of the image."""
    offline: bool = False
    """Whether it has no network."""
    services: tuple[str, ...] = ()
    """Programs that its ENTRYPOINT keeps running."""
    working: frozenset[str] = frozenset()
    """Programs that grading needs and that worked before the agent began (`spoilt.py`)."""

    def run(
        self,
        argv: Iterable[str],
        *,
        user: object = None,
        env: Mapping[str, str] | None = None,
        timeout: float = 60.0,
        cwd: str | None = None,
    ) -> ExecResult:
        """Run a program with the machine's environment; None for the image's user."""
        return self.sandbox.exec(
            list(argv),
            user=named(self.user if user is None else user),
            env={**QUIET, **self.env, **(env or {})},
            timeout=timeout,
            cwd=self.workdir if cwd is None else cwd,
            max_output=OUTPUT_BYTES,
        )


def named(user: object) -> User:
    """Return the name that sandboxes have for a user."""
    name = str(user or "root")
    return cast(User, {"0": "root", "0:0": "root", "65534": "nobody"}.get(name, name))


def settled(
    sandbox: Sandbox,
    workdir: str,
    *,
    env: Mapping[str, str],
    user: str,
    offline: bool,
    entrypoint: tuple[str, ...] = (),
) -> Opened:
    """Return a machine after making its directories and starting its ENTRYPOINT.

    If that fails, it is closed.
    """
    services: tuple[str, ...] = ()
    with ExitStack() as failing:
        failing.callback(sandbox.close)
        done = sandbox.exec(["mkdir", "-p", workdir, "/logs/agent", "/logs/verifier"])
        if done.exit_code:
            tail = done.stderr[-300:].decode(errors="replace")
            raise SandboxError(f"the machine has no {workdir}, and it cannot be made: {tail}")
        name = user.partition(":")[0] or "root"
        if entrypoint:
            services = entrypoints.begin(
                sandbox, entrypoint, env=env, cwd=workdir, user=named(name)
            )
        failing.pop_all()
    return Opened(sandbox, workdir, env, name, offline, services)

"""A machine of a task that runs, and how programs are run in it.

Covers the environment, the user and the directory that a task's programs get; standard input is
empty and no installer asks.  Does not cover where machines come from.
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
"""Kept of what a program prints; more is read and thrown away."""
PLACE = "/logs/.tmax"
"""Where files of ours lie that scripts of a task need.  Grading makes /logs a directory again: an
agent that leaves a file or a link in the place of any other would not be graded."""
QUIET = {"DEBIAN_FRONTEND": "noninteractive", "PIP_NO_INPUT": "1", "GIT_TERMINAL_PROMPT": "0"}
"""So that no installer asks: 114 published trials hang at one prompt (tzdata's)."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A machine that runs."""

    sandbox: Sandbox
    workdir: str
    env: Mapping[str, str]
    user: str
    """The image's own."""
    offline: bool = False
    """Whether it was given no network."""
    services: tuple[str, ...] = ()
    """Programs that its ENTRYPOINT has left running."""
    working: frozenset[str] = frozenset()
    """Of what grading needs: what worked before the agent began (see `spoilt.py`)."""

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
    """Return a user as sandboxes take it."""
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
    """Return a machine with its directories made and its ENTRYPOINT begun.

    It is closed where that cannot be.
    """
    services: tuple[str, ...] = ()
    with ExitStack() as failing:
        failing.callback(sandbox.close)
        done = sandbox.exec(["mkdir", "-p", workdir, "/logs/agent", "/logs/verifier"])
        if done.exit_code:
            tail = done.stderr[-300:].decode(errors="replace")
            raise SandboxError(f"the machine has no {workdir} and none can be made: {tail}")
        name = user.partition(":")[0] or "root"
        if entrypoint:
            services = entrypoints.begin(
                sandbox, entrypoint, env=env, cwd=workdir, user=named(name)
            )
        failing.pop_all()
    return Opened(sandbox, workdir, env, name, offline, services)

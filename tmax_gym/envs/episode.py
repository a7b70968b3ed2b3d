"""One episode: a fresh sandbox with a task's world in it, a shell, and what they have used.

Covers limits, set-up, running a command, and grading what is left.  A machine or verifier that
fails is an exception, never a reward.  Does not cover Gymnasium's interface: see `terminal.py`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TypedDict

from tmax_gym.checks.verdict import Verdict
from tmax_gym.envs.observation import OBSERVATION_LIMIT, elide, observation_text
from tmax_gym.errors import ImageError, SandboxError, ShellError, VerifierError
from tmax_gym.grading.verifier import verify
from tmax_gym.nodes import Node, directory
from tmax_gym.sandboxes import Backend, Limits, Sandbox
from tmax_gym.sandboxes.images import default_image, missing_tools
from tmax_gym.shell import Shell, ShellResult
from tmax_gym.shell.coroutines import Steps
from tmax_gym.tasks.compose import Task

HOME = "/app"
"""Where every shell starts."""
SETUP_SECONDS = 60.0
"""For each of a task's own set-up commands."""


@dataclass(frozen=True, slots=True)
class EpisodeLimits:
    """What one episode may use."""

    max_steps: int = 64
    """Commands; after the last one the episode is graded (TMax: the same number)."""
    episode_seconds: float = 900.0
    """Time of all commands together; the time in which an agent thinks is not counted."""
    agent_seconds: float | None = None
    """Time of commands and thinking together; None for no limit.  See `Episode.excused`."""
    command_timeout: float = 30.0
    """Seconds that one command may take."""
    verify_timeout: float = 60.0
    """Seconds that the agent's programs may take while they are graded."""
    start_seconds: float = 600.0
    """Making and starting the machine, its set-up included; waiting for a turn is not counted.
    As Harbor's default for a build.  Enforced by who watches: see `bench/running/guard.py`."""
    transfer_seconds: float = 120.0
    """Around the verifier: copies of what was left, of tests and rewards, and the ends of
    machines.  Enforced as `start_seconds`."""
    observation_limit: int = OBSERVATION_LIMIT
    """Characters of output that an observation shows."""
    sandbox: Limits | None = None
    """Memory, processes and disk of the machine; None for the backend's defaults."""

    def __post_init__(self) -> None:
        """Refuse an episode without a step."""
        if self.max_steps < 1:
            raise ValueError(f"max_steps is {self.max_steps}; an episode has at least one step")


class LimitOptions(TypedDict, total=False):
    """The fields of `EpisodeLimits` as keyword arguments."""

    max_steps: int
    episode_seconds: float
    command_timeout: float
    verify_timeout: float
    start_seconds: float
    transfer_seconds: float
    observation_limit: int
    agent_seconds: float | None
    sandbox: Limits | None


class Episode:
    """A running episode; `close` ends it, graded or not."""

    def __init__(
        self, task: Task, backend: Backend, *, image: str | None, limits: EpisodeLimits, seed: int
    ) -> None:
        """Start the machine, stage the world, start the shell.

        Raises:
            SandboxError: Something could not be started; nothing is left open.
        """
        self.task = task
        self.limits = limits
        self.steps = 0
        self.seconds = 0.0
        self.excused = self.excused_before = 0.0
        """Seconds that do not count: a busy endpoint, say, let the agent wait."""
        self.shell_lost = False
        """Whether the agent has made it impossible to run another command."""
        self._backend = backend
        self._image = image or default_image(task.spec.image, who=f"task {task.name}")
        self._check_tools()
        with ExitStack() as opened:
            self.sandbox: Sandbox = backend.open(
                self._image, limits=limits.sandbox, layer=task.layer
            )
            opened.callback(self.sandbox.close)
            self._stage()
            # Eight bytes a character shown: no observation needs more, whatever was printed.
            kept = max(1 << 16, 8 * limits.observation_limit)
            self.shell = Shell(self.sandbox, cwd=HOME, output_limit=kept)
            # The only thing that a seed decides: the task itself is fixed.
            self.shell.run(f"RANDOM={seed % 32768}")
            self._opened = ExitStack()
            # The machine goes first, and with it at once all that the shell would wait for.
            self._opened.callback(self.shell.close)
            self._opened.enter_context(opened.pop_all())
        self.began = time.monotonic()

    def time_left(self) -> float:
        """Return the seconds that the agent has left; infinity where nothing limits them."""
        if self.limits.agent_seconds is None:
            return math.inf
        excused = self.excused - self.excused_before
        return self.limits.agent_seconds + excused - (time.monotonic() - self.began)

    def running(self, command: str) -> Steps[tuple[str, dict[str, Any]]]:
        """Run one command; return the observation and its `info`.

        Raises:
            SandboxError: The machine failed, through no fault of the command.
        """
        self.steps += 1
        left = min(self.limits.episode_seconds - self.seconds, max(0.0, self.time_left()))
        try:
            timeout = min(self.limits.command_timeout, left)
            result = yield from self.shell.steps(command, timeout=timeout)
        except SandboxError as error:
            # Where the machine lives, or ended from inside, a command did this.  As an error
            # of ours it would be tried again and then masked: a way out of every zero.
            if not isinstance(error, ShellError) and not self.sandbox.destroyed():
                raise
            self.shell_lost = True
            notice = "The shell is gone and no other one runs here: the episode ends."
            return observation_text("", None, notice=notice), step_info(self.steps)
        self.seconds += result.seconds
        limit = self.limits.observation_limit
        # Not `output`, whose own remark on what was left out would be counted here.
        whole = result.output_bytes.decode(errors="replace")
        output = elide(whole, limit=limit, lost=result.truncated_bytes)
        text = observation_text(output, result.exit_code, notice=result.notice)
        shortened = len(whole) > limit or result.truncated_bytes > 0
        return text, step_info(self.steps, result, shortened=shortened)

    def put(self, nodes: Sequence[Node]) -> None:
        """Put what a harness needs into the machine, as root."""
        self.sandbox.put(nodes)

    def probe(self, command: str) -> int:
        """Run a command of a harness, which counts as no step; return its status, 124 if late."""
        status = self.shell.run(command).exit_code
        return 124 if status is None else status

    def grade(self) -> Verdict:
        """Grade what is left; nothing runs in the sandbox afterwards.

        Raises:
            SandboxError: The machine failed.
            VerifierError: The verifier failed.
        """
        verdict = verify(
            self.task,
            self.sandbox,
            self._backend,
            image=self._image,
            timeout=self.limits.verify_timeout,
        )
        if verdict.status == "infra_error":
            raise SandboxError(f"task {self.task.name} could not be graded: {verdict.message}")
        if verdict.status == "verifier_error" or verdict.reward is None:
            raise VerifierError(f"task {self.task.name} was not graded: {verdict.message}")
        return verdict

    def close(self) -> None:
        """Destroy the shell and the machine.  Idempotent."""
        self._opened.close()

    def _check_tools(self) -> None:
        """Refuse a task that the programs of the image in use cannot solve."""
        named = self._image == "host" or self._image != self.task.spec.image != "core"
        lacking = missing_tools(self._image, self.task.tools) if named else ()
        if lacking:
            raise ImageError(
                f"task {self.task.name} needs {', '.join(lacking)}, which the image "
                f"{self._image!r} lacks.\n"
                f"Build the one that has it: tmax images build {self.task.spec.image}"
            )

    def _stage(self) -> None:
        """Finish the world: the home directory, and the task's own commands."""
        if not any(f"{node.path}/".startswith(f"{HOME}/") for node in self.task.nodes):
            self.sandbox.put([directory(HOME)])
        for command in self.task.setup:
            done = self.sandbox.exec(["bash", "-c", command], cwd=HOME, timeout=SETUP_SECONDS)
            if done.exit_code:
                tail = done.stderr[-300:].decode(errors="replace")
                raise SandboxError(
                    f"the set-up of task {self.task.name} failed (exit {done.exit_code}): {tail}"
                )


def step_info(
    step: int, result: ShellResult | None = None, *, shortened: bool = False
) -> dict[str, Any]:
    """Return the `info` of a step; a key keeps its type, so that vectors can stack it.

    `exit_code` is -1 where no command ended.
    """
    code = result.exit_code if result else None
    return {
        "step": step,
        "exit_code": -1 if code is None else code,
        "timed_out": bool(result and result.timed_out),
        "restarted": bool(result and result.restarted),
        "truncated_output": shortened,
        "seconds": result.seconds if result else 0.0,
    }

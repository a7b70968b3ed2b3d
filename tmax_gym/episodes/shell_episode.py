"""`ShellEpisode`: the part that episodes of all kinds of task share, commands in a shell.

A subclass opens the machine and grades it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.episodes.observation import elide, observation_text
from tmax_gym.episodes.task import StepGrade
from tmax_gym.errors import SandboxError, ShellError
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import Sandbox, User
from tmax_gym.shell import Shell, ShellResult
from tmax_gym.shell.coroutines import Steps


class ShellEpisode:
    """A machine with a shell, and how much of the limits its commands have used."""

    sandbox: Sandbox
    shell: Shell

    def __init__(self, limits: EpisodeLimits, *, seed: int) -> None:
        self.limits = limits
        self.steps = 0
        self.seconds = 0.0
        self.excused = self.excused_before = 0.0
        """Seconds that do not count, for example while a busy endpoint let the agent wait."""
        self.shell_lost = False
        """Whether the agent has destroyed its shell."""
        self.graded: Sequence[StepGrade] = ()
        self._seed = seed
        self._opened = ExitStack()
        """Closes the machine."""

    @property
    def step_name(self) -> str:
        """Return "", the name for a task without steps."""
        return ""

    def time_left(self) -> float:
        """Return the seconds that the agent has left; infinity without a limit."""
        if self.limits.agent_seconds is None:
            return math.inf
        excused = self.excused - self.excused_before
        return self.limits.agent_seconds + excused - (time.monotonic() - self.began)

    def running(self, command: str) -> Steps[tuple[str, dict[str, Any]]]:
        """Run one command; see `Episode.running`."""
        self.steps += 1
        left = min(self.limits.episode_seconds - self.seconds, max(0.0, self.time_left()))
        try:
            timeout = min(self.limits.command_timeout, left)
            result = yield from self.shell.steps(command, timeout=timeout)
        except SandboxError as error:
            # The machine lives, or ended from inside: a command did this.  As a failure of ours
            # the episode would be retried and then masked, and agents could escape every zero.
            if not isinstance(error, ShellError) and not self.sandbox.destroyed():
                raise
            self.shell_lost = True
            notice = "The shell is gone and no other one runs here: the episode ends."
            return observation_text("", None, notice=notice), step_info(self.steps)
        self.seconds += result.seconds
        limit = self.limits.observation_limit
        # Not `result.output`: its note about missing output would count as output here.
        whole = result.output_bytes.decode(errors="replace")
        output = elide(whole, limit=limit, lost=result.truncated_bytes)
        text = observation_text(output, result.exit_code, notice=result.notice)
        shortened = len(whole) > limit or result.truncated_bytes > 0
        return text, step_info(self.steps, result, shortened=shortened)

    def put(self, nodes: Sequence[Node]) -> None:
        """Create entries that a harness needs in the machine, as root."""
        self.sandbox.put(nodes)

    def probe(self, command: str) -> int:
        """Run a harness's command, not counted as a step; return its status, 124 if it is late."""
        status = self.shell.run(command).exit_code
        return 124 if status is None else status

    def advance(self) -> str | None:
        """Return None: no step follows."""
        return None

    def close(self) -> None:
        """Destroy the shell and the machine.  Idempotent."""
        self._opened.close()

    def _start_shell(self, cwd: str, *, user: User = "root", first: str = "") -> None:
        """Start the agent's shell, and its clock."""
        # Eight bytes for each character of an observation are always enough.
        kept = max(1 << 16, 8 * self.limits.observation_limit)
        self.shell = Shell(self.sandbox, cwd=cwd, user=user, output_limit=kept)
        # The only effect of the seed: the task itself is fixed.
        self.shell.run(f"{first}RANDOM={self._seed % 32768}")
        self.began = time.monotonic()

    def _opened_whole(self, opening: ExitStack) -> None:
        """Take over the clean-up of a start that has succeeded."""
        # The machine is closed first, which ends everything that the shell would wait for.
        self._opened.callback(lambda: self.shell.close())
        self._opened.enter_context(opening.pop_all())


def step_info(
    step: int, result: ShellResult | None = None, *, shortened: bool = False
) -> dict[str, Any]:
    """Return the `info` of a step, with one type for each key, so that vectors can stack them.

    `exit_code` is -1 if no command ended.
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

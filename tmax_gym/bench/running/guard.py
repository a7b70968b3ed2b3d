"""Watch a trial from outside, so that nothing that hangs outlives its limits or the run.

A trial that is late may first end by itself, then its machines are destroyed, then it is abandoned
without a reward.  Every part has a limit that users can see and set; waiting for a turn (a slot of
the engine, another trial's build) does not count.
Covers machines that do not answer, and runs that are stopped during a command or grading.  Agents
that do not return are the part of `tmax_gym.agents.timed`.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from tmax_gym.envs.terminal import Part, TerminalEnv
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.episodes.task import Task
from tmax_gym.errors import Overdue, SandboxError
from tmax_gym.sandboxes.trial_account import Account

END_SECONDS = 2.0
"""Time for a trial to end by itself if the run is stopped."""
LATE_SECONDS = 5.0
"""Time after a limit for a part to end by itself: a command needs four signals at intervals of half
a second, and a new shell."""
CLOSE_SECONDS = 3.0
"""Time for the destruction of machines."""
_PARTS: Mapping[Part, tuple[str, str]] = {
    "start": (
        "the start of the machine",
        "build_timeout_sec of a Harbor task's [environment] with its health checks, else "
        "--start-seconds",
    ),
    "command": (
        "a command",
        "--command-seconds, or --episode-seconds for all commands (but the machine did not stop "
        "what ran: look at its engine first)",
    ),
    "grading": (
        "grading",
        "timeout_sec of a Harbor task's [verifier] with its collect hooks, else --verify-seconds "
        "(twice that, for programs that wait for a processor), and --transfer-seconds for copies",
    ),
    "closing": ("the removal of the machine", "--transfer-seconds"),
}
"""The name of each part in messages, and the options that set its limit."""


Allowed = Mapping[Part, float]
"""Limit of each part in seconds; absent parts have none."""


def allowed(task: Task, limits: EpisodeLimits) -> Allowed:
    """Return the limits of a trial's parts."""
    deadlines = task.deadlines(limits)
    return {
        "start": deadlines.start,
        "command": limits.command_timeout,
        "grading": deadlines.grading,
        "closing": limits.transfer_seconds,
    }


class Stopped(Exception):
    """The run is being stopped; raised inside an agent, never seen outside a trial."""


@dataclass(slots=True)
class Guard:
    """Checks a trial again and again while it is played."""

    env: TerminalEnv
    limits: Allowed
    stop: threading.Event
    """Set when the run is being stopped."""
    account: Account = field(default_factory=Account)
    """What the trial holds of its backend."""
    reason: Stopped | Overdue | None = None
    """Why the machines were destroyed; None if they were not."""
    _since: float | None = field(default=None, init=False)

    def __call__(self) -> None:
        """Check once; raises if the trial must be abandoned."""
        now = time.monotonic()
        why: Stopped | Overdue | None = Stopped() if self.stop.is_set() else self._late(now)
        if why is None and self.reason is None:
            self._since = None
            return
        if self._since is None:
            self._since = now
        patience = END_SECONDS if isinstance(why, Stopped) else 0.0
        if self.reason is None and now - self._since >= patience:
            self.reason = why
            # In a thread, because an engine that hangs would block this one as well.
            threading.Thread(target=self._destroy, name="destroy", daemon=True).start()
            self.account.give_up()
        if self.reason is not None and now - self._since > patience + CLOSE_SECONDS:
            raise self.reason

    def _destroy(self) -> None:
        with contextlib.suppress(SandboxError, OSError):
            self.env.close()

    def _late(self, now: float) -> Overdue | None:
        doing = self.env.doing
        limit = self.limits.get(doing.part, math.inf)
        if doing.part == "command":
            limit = min(limit, max(0.0, self.env.commands_left()))
        took = now - doing.since - self.account.waited(doing.since)
        if took > limit + LATE_SECONDS:
            what, remedy = _PARTS[doing.part]
            return Overdue(
                f"{what} took {took:.0f} s, and its limit is {limit:g} s. If it is slow and does "
                f"not hang, raise its limit: {remedy}"
            )
        over = -self.env.time_left()
        if doing.part == "command" and over > LATE_SECONDS:
            return Overdue(f"a command did not end {over:.0f} s after the agent's time was over")
        return None

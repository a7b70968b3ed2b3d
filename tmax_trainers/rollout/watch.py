"""`Watch` enforces the wall time of an episode from outside, whatever hangs in the episode.

After its time, an episode first has a few seconds to end by itself.  Then its machines are
destroyed and it leaves its gate; at last its thread is left behind.
"""

from __future__ import annotations

import contextlib
import threading
import time

from tmax_gym.envs.terminal import TerminalEnv
from tmax_gym.errors import Overdue, SandboxError
from tmax_gym.sandboxes.trial_account import Account
from tmax_trainers.rollout.gates import Visit

GRACE = 2.0
"""Seconds for an episode to end by itself, which it does between two turns."""
CLOSE_SECONDS = 3.0
"""Seconds to destroy the machines, so that calls that wait for them fail."""
TICK = 1.0
"""Seconds between two checks; long, because hundreds of threads check."""


class Watch:
    """Checks the time of one episode while it is played."""

    def __init__(self, wall_seconds: float) -> None:
        self.deadline = time.monotonic() + wall_seconds
        self.account = Account()
        self.visit = Visit()
        self.agent = "unknown"
        """Name of the agent."""
        self.env: TerminalEnv | None = None
        self.reason: Overdue | None = None
        """Why the episode was given up; None if it was not."""
        self._wall_seconds = wall_seconds

    def __call__(self) -> None:
        """Check the time; raise the reason if the thread must be left behind."""
        late = time.monotonic() - self.deadline
        if late > GRACE and self.reason is None:
            self.reason = Overdue(
                f"{self.over()}; it did not end by itself and hung in: {self.visit.part}"
            )
            # In its own thread, because closing hangs if the engine hangs.
            threading.Thread(target=self._destroy, name="destroy", daemon=True).start()
            self.account.give_up()
            self.visit.give_up()
        if self.reason is not None and late > GRACE + CLOSE_SECONDS:
            raise self.reason

    def over(self) -> str:
        """Return the message for an episode whose time is over."""
        return (
            f"not over after {self._wall_seconds:g} s; raise wall_seconds, or look at "
            "time/start, time/command, time/verifier and time/sample"
        )

    def _destroy(self) -> None:
        with contextlib.suppress(SandboxError, OSError):
            if self.env is not None:
                self.env.close()

"""Watching over an episode from outside: its wall time holds, whatever hangs in it.

First an episode is let end by itself, then its machines are destroyed and it is taken out of the
gates, then its thread is left behind.
Covers agents, starts, commands and grading.  Does not cover an episode that is cancelled: it ends
between two turns.
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
"""Seconds after its time for an episode to end by itself: it looks between two turns."""
CLOSE_SECONDS = 3.0
"""For machines to be destroyed, and what waits for them to fail."""
TICK = 1.0
"""Between two looks: hundreds of threads look."""


class Watch:
    """Looks at one episode again and again while it is played."""

    def __init__(self, wall_seconds: float) -> None:
        self.deadline = time.monotonic() + wall_seconds
        self.account = Account()
        self.visit = Visit()
        self.agent = "unknown"
        """The name of what plays."""
        self.env: TerminalEnv | None = None
        self.reason: Overdue | None = None
        """Why the episode was given up; None where it was not."""
        self._wall_seconds = wall_seconds

    def __call__(self) -> None:
        """Look; raises where the episode is to be left behind."""
        late = time.monotonic() - self.deadline
        if late > GRACE and self.reason is None:
            self.reason = Overdue(
                f"{self.over()}; it did not end by itself and hung in: {self.visit.part}"
            )
            # Not here: an engine that hangs would hold this thread up as well.
            threading.Thread(target=self._destroy, name="destroy", daemon=True).start()
            self.account.give_up()
            self.visit.give_up()
        if self.reason is not None and late > GRACE + CLOSE_SECONDS:
            raise self.reason

    def over(self) -> str:
        """Return that the time is over, in words."""
        return (
            f"not over after {self._wall_seconds:g} s; raise wall_seconds, or look at "
            "time/start, time/command, time/verifier and time/sample"
        )

    def _destroy(self) -> None:
        with contextlib.suppress(SandboxError, OSError):
            if self.env is not None:
                self.env.close()

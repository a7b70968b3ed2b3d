"""One rollout process, from outside: its start, what it tells, and its end.

Covers `spawn` (torch does not survive a fork), and noticing a death by the pipe and by the
process.  Does not cover what is told, nor another process after this one: see `rollouts.py`.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
from collections.abc import Iterator

from tmax_gym.errors import TrainingError
from tmax_trainers.rollout.process import child

_SPAWN = multiprocessing.get_context("spawn")


class Life:
    """One child process and the pipe to it."""

    def __init__(self, setup: child.Setup) -> None:
        self._pipe, theirs = _SPAWN.Pipe()
        self._sending = threading.Lock()
        # A daemon: a trainer that ends without `stop` does not wait for it for ever.
        self._process = _SPAWN.Process(
            target=child.main, args=(setup, theirs, os.getpid()), name="tmax-rollouts", daemon=True
        )
        try:
            self._process.start()
        except (TypeError, AttributeError, pickle.PicklingError) as error:
            raise TrainingError(
                f"the rollouts cannot be sent to a process of their own: {error}. What makes them "
                "must be found by its name and hold no engine of this process; serve the policy "
                "with `tmax serve`, or set rollouts.process=shared"
            ) from error
        finally:
            theirs.close()

    def tell(self, message: object) -> None:
        """Send a message; a process that is dead hears nothing, and `messages` ends."""
        with self._sending:
            try:
                self._pipe.send(message)
            except OSError:
                return

    def messages(self) -> Iterator[object]:
        """Yield what it tells until it is dead."""
        while True:
            if self._pipe.poll(child.BEAT):
                try:
                    yield self._pipe.recv()
                except (EOFError, OSError):
                    return
            elif not self._process.is_alive():  # something that it started may hold the pipe
                return

    def status(self) -> int | None:
        """Return how it ended; one that closed the pipe has so long to close its sandboxes."""
        self._process.join(child.PATIENCE)
        self.kill()
        self._process.join()
        self._pipe.close()
        return self._process.exitcode

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()


def cause(status: int | None) -> str:
    """Return how a process ended, in words."""
    if status is not None and status < 0:
        return f"killed by signal {-status}"
    return f"it ended with status {status}"

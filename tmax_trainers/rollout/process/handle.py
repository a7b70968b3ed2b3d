"""`RolloutProcess`: one child process, with the pipe to it, as seen by the trainer."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
from collections.abc import Iterator
from contextlib import suppress

from tmax_gym.errors import TrainingError
from tmax_trainers.rollout.process import child

_SPAWN = multiprocessing.get_context("spawn")
"""Torch does not survive a fork."""


class RolloutProcess:
    """One child process and the pipe to it."""

    def __init__(self, setup: child.Setup) -> None:
        self._pipe, theirs = _SPAWN.Pipe()
        self._sending = threading.Lock()
        # A daemon, so that a trainer that ends without `stop` does not wait for it.
        self._process = _SPAWN.Process(
            target=child.main, args=(setup, theirs, os.getpid()), name="tmax-rollouts", daemon=True
        )
        try:
            self._process.start()
        except (TypeError, AttributeError, pickle.PicklingError) as error:
            raise TrainingError(
                f"the rollouts cannot be sent to their own process: {error}. They must be "
                "importable by name and must not hold an engine of this process; serve the policy "
                "with `tmax serve`, or set rollouts.process=shared"
            ) from error
        finally:
            theirs.close()

    def send(self, message: object) -> None:
        """Send a message; if the process is dead, it is lost and `messages` ends."""
        with self._sending, suppress(OSError):
            self._pipe.send(message)

    def messages(self) -> Iterator[object]:
        """Yield the messages of the process until it is dead."""
        while True:
            if self._pipe.poll(child.POLL_SECONDS):
                try:
                    yield self._pipe.recv()
                except (EOFError, OSError):
                    return
            elif not self._process.is_alive():  # its own children may keep the pipe open
                return

    def status(self) -> int | None:
        """Return the exit status; a process that closed the pipe gets time to end sandboxes."""
        self._process.join(child.STOP_SECONDS)
        self.kill()
        self._process.join()
        self._pipe.close()
        return self._process.exitcode

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()


def cause(status: int | None) -> str:
    """Describe how a process ended."""
    if status is not None and status < 0:
        return f"killed by signal {-status}"
    return f"it ended with status {status}"

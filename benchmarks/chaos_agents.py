"""An agent around another's commands that leaves witnesses of its machine's identity.

Its first command plants a nonce in a file and in a variable of the shell.  After each command
of the other agent it prints both, and the shell's number.  So the trajectory itself shows
whether the machine or the shell was exchanged under the agent.
Covers also when each call of the environment began and ended.  Judges nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from tmax_gym.agents.agent import Turn
from tmax_gym.envs.observation import SUBMIT

FILE = "/var/tmp/.nonce"
PROBE = f'echo "probe $(<{FILE}) ${{__nonce-lost}} $$"'
Strike = Callable[[int, int], None]
"""Takes attempt and turn, at the moment when the turn's command is about to run."""


def nonce(seed: int, attempt: int) -> str:
    """Return what an attempt at an episode plants."""
    return f"n{seed}.{attempt}"


def plant(seed: int, attempt: int) -> str:
    """Return the command that plants it."""
    word = nonce(seed, attempt)
    return f'echo {word} > {FILE}; __nonce={word}; echo "planted $(<{FILE})"'


class Witness:
    """Plays given commands between its own; not for two episodes at once."""

    tokens = None

    def __init__(self, commands: Sequence[str], *, name: str, strike: Strike) -> None:
        """`strike` is called before each of the commands, and before the submission."""
        self.name = name
        self.calls: list[tuple[str, float]] = []
        """Each call of the environment, and its seconds; `reset` begins a new attempt."""
        self._commands = tuple(commands)
        self._strike = strike
        self._attempt = 0
        self._turns: list[str] = []
        self._turn = 0
        self._left = time.monotonic()

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin an attempt."""
        self._note("reset")
        self._attempt += 1
        probed = [word for command in self._commands for word in (command, PROBE)]
        self._turns = [plant(seed, self._attempt), PROBE, *probed, SUBMIT]
        self._turn = 0
        self._left = time.monotonic()

    def act(self, observation: str) -> Turn:
        """Return the next command."""
        if self._turn:
            self._note("step")
        turn, self._turn = self._turn, self._turn + 1
        if turn >= 2 and turn % 2 == 0:
            self._strike(self._attempt, turn // 2 - 1)
        self._left = time.monotonic()
        return Turn(self._turns[turn])

    def end(self) -> None:
        """Note the last call: the submission, its grading, and the end of the machine."""
        self._note("grade")

    def _note(self, call: str) -> None:
        self.calls.append((call, time.monotonic() - self._left))

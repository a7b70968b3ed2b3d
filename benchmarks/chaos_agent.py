"""An agent that plays given commands and records whether its sandbox or shell was replaced.

Its first command stores a nonce in a file and in a variable of the shell.  After each given
command it prints both, and the shell's process id.  So the trajectory shows whether the sandbox
or the shell was replaced.  The agent also records how long each call of the environment took.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from tmax_gym.agents.agent import Turn
from tmax_gym.episodes.observation import SUBMIT

FILE = "/var/tmp/.nonce"
PROBE = f'echo "probe $(<{FILE}) ${{__nonce-lost}} $$"'
Strike = Callable[[int, int], None]
"""Called with attempt and turn, just before the turn's command runs."""


def nonce(seed: int, attempt: int) -> str:
    """Return the nonce of an attempt at an episode."""
    return f"n{seed}.{attempt}"


def script(commands: Sequence[str], seed: int, attempt: int) -> list[str]:
    """Return all commands of an attempt: the nonce is stored, and printed after each command."""
    word = nonce(seed, attempt)
    store = f'echo {word} > {FILE}; __nonce={word}; echo "planted $(<{FILE})"'
    probed = [line for command in commands for line in (command, PROBE)]
    return [store, PROBE, *probed, SUBMIT]


class Witness:
    """Plays given commands between its own; for one episode at a time."""

    tokens = None

    def __init__(self, commands: Sequence[str], *, name: str, strike: Strike) -> None:
        """`strike` is called before each of the commands, and before the submission."""
        self.name = name
        self.calls: list[tuple[str, float]] = []
        """The calls of the environment and their seconds; `reset` begins a new attempt."""
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
        self._turns = script(self._commands, seed, self._attempt)
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
        """Record the last call: the submission, its grading, and the end of the sandbox."""
        self._note("grade")

    def _note(self, call: str) -> None:
        self.calls.append((call, time.monotonic() - self._left))

"""Waiting for a prompt of the shell itself, and not for what only looks like one.

Who runs as root beside a shell can read the mark of its next prompt in its memory, and print it.
Where the kernel of this host shows what the shell does, such a mark ends nothing: a command ends
when the shell reads its next line.  So no process can end a command early, nor give it a status.

Does not cover what the shell does itself: its commands are the agent's, and so are its statuses
(`false; true`, a trap, another program by `exec`).  No verdict is made of them.  Nor does it cover
engines on other machines: there a mark is believed, and a forged one can tell a wrong status and
an end too early.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from tmax_gym.sandboxes import Terminal
from tmax_gym.sandboxes.shell_activity import Doing
from tmax_gym.shell.coroutines import Steps
from tmax_gym.shell.stream import GONE, IDLE, LATE, Stream

GLANCE = 0.3
"""Seconds of silence after which the process is looked at: a daemon may hold a dead tty open, and
the shell may be at its prompt without having said so."""
ON_ITS_WAY = 0.05
"""Seconds that a mark may take from the shell to us: 0.00002 are usual."""
_LOOK, _LONGEST = 0.0005, 0.05
"""Seconds between two looks at a shell that is not at its prompt yet: at first, and at last."""


class Prompts:
    """What a shell prints, and what the kernel tells of it."""

    def __init__(self, terminal: Terminal, stream: Stream) -> None:
        self._terminal = terminal
        self._stream = stream
        self.keyed = False
        """Whether keys were typed: they may have started a shell that edits lines."""
        self.forged = False
        """Whether a mark was printed before the shell was at its prompt; for callers to reset."""

    def missing(self) -> bool:
        """Return whether the kernel says that the shell is not at its prompt."""
        seen = self._terminal.doing()
        return seen is Doing.WORKING or (seen is Doing.READING and not self.keyed)

    def wait(
        self, marks: Sequence[bytes], deadline: float, *, idle: bool = True, lines: int = 1
    ) -> Steps[int]:
        """Wait for one of the marks; for the first until the shell itself is at its prompt.

        Args:
            marks: What to wait for.
            deadline: When to return LATE.
            idle: Whether to return IDLE where the shell is at its prompt and nothing was printed.
            lines: How many were typed: of two, the first is not followed by a prompt that stays.
        """
        while True:
            total, left = self._stream.total, deadline - time.monotonic()
            seen = yield from self._stream.wait(marks, min(left, GLANCE))
            silent = seen == LATE and self._stream.total == total
            if silent and idle and left > GLANCE:
                seen = yield from self._idle(marks)
            if seen == 0 and lines == 1:
                seen = yield from self._confirm(marks, deadline)
            if seen != LATE:
                return seen
            if silent and not self._terminal.alive():
                return GONE
            if left <= GLANCE:
                return LATE

    def _idle(self, marks: Sequence[bytes]) -> Steps[int]:
        """Return IDLE where the shell is at its prompt, and no mark is on its way."""
        if self._terminal.doing() is not Doing.PROMPTING:
            return LATE
        seen = yield from self._stream.wait(marks, ON_ITS_WAY)
        return IDLE if seen == LATE and self._terminal.doing() is Doing.PROMPTING else seen

    def _confirm(self, marks: Sequence[bytes], deadline: float) -> Steps[int]:
        """Return 0 when the shell is at its prompt, or what came before it was.

        A mark that comes earlier was printed by a process that has read it in the shell's memory:
        the shell prints it once more, with its own status.
        """
        pace, early = _LOOK, False
        while self.missing():
            early = True
            if (left := deadline - time.monotonic()) <= 0:
                return LATE
            seen = yield from self._stream.wait(marks, min(pace, left))
            self.forged = self.forged or seen == 0
            if seen not in (0, LATE):
                return seen
            if seen == LATE and not self._terminal.alive():
                return GONE
            pace = min(2 * pace, _LONGEST)
        if early and (yield from self._stream.wait(marks, 4 * _LOOK)) == 0:
            self.forged = True
        return 0

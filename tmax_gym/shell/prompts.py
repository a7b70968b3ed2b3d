"""Waits for a prompt of the shell itself, so that other processes cannot forge one.

A process that runs as root beside a shell can read the mark of its next prompt in its memory, and
print it.  If the kernel of this host shows what the shell does, such a mark ends no command: a
command ends when the shell reads its next line.  So no other process can end a command early or
change its status.

The shell itself can still be made to report any status (`false; true`, a trap, another program by
`exec`), so no verdict uses one.  On engines on other machines a forged mark is believed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from tmax_gym.sandboxes import Terminal
from tmax_gym.sandboxes.shell_activity import Activity
from tmax_gym.shell.coroutines import Steps
from tmax_gym.shell.stream import GONE, IDLE, LATE, Stream

GLANCE = 0.3
"""Seconds of silence after which the process is checked: a daemon may hold the tty of a dead shell
open, or the shell may be at its prompt without having printed the mark."""
ON_ITS_WAY = 0.05
"""Most seconds that a mark takes from the shell to us: 0.00002 are usual."""
_LOOK, _LONGEST = 0.0005, 0.05
"""Seconds between two checks of a shell that is not at its prompt yet: the first, the longest."""


class Prompts:
    """The prompts of one shell: its output, and its state as the kernel shows it."""

    def __init__(self, terminal: Terminal, stream: Stream) -> None:
        self._terminal = terminal
        self._stream = stream
        self.keyed = False
        """Whether keys were typed, which may have started a shell that edits lines."""
        self.forged = False
        """Whether a mark was printed before the shell was at its prompt; callers reset it."""

    def missing(self) -> bool:
        """Return whether the kernel shows that the shell is not at its prompt."""
        seen = self._terminal.activity()
        return seen is Activity.WORKING or (seen is Activity.READING and not self.keyed)

    def wait(
        self, marks: Sequence[bytes], deadline: float, *, idle: bool = True, lines: int = 1
    ) -> Steps[int]:
        """Wait for one of the marks, and for the first one until the shell is at its prompt.

        Returns LATE at the deadline; if `idle`, IDLE when the shell is at its prompt and printed
        nothing.  After the first of two typed `lines` the prompt does not stay.
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
        """Return IDLE if the shell is at its prompt, and no mark is on its way."""
        if self._terminal.activity() is not Activity.PROMPTING:
            return LATE
        seen = yield from self._stream.wait(marks, ON_ITS_WAY)
        return IDLE if seen == LATE and self._terminal.activity() is Activity.PROMPTING else seen

    def _confirm(self, marks: Sequence[bytes], deadline: float) -> Steps[int]:
        """Return 0 when the shell is at its prompt, or the result of a wait before that.

        A mark that came earlier was printed by a process that has read it in the shell's memory:
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

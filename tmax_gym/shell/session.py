"""One bash process on one terminal: a command goes in, and how it ended comes out.

Covers the time-out ladder, aborted commands, typed keys, a shell that ends and one that no
longer answers.  Does not cover what follows such an end: `Shell` starts the next session.
"""

from __future__ import annotations

import re
import select
import time
from collections.abc import Sequence
from dataclasses import replace

from tmax_gym.errors import ShellError
from tmax_gym.sandboxes import Terminal
from tmax_gym.shell.command_end import WELL, Ending, Fate, examined
from tmax_gym.shell.coroutines import BLOCKS, Steps
from tmax_gym.shell.prompts import GLANCE, Prompts
from tmax_gym.shell.protocol import (
    BROKEN,
    QUIET,
    Marks,
    Slots,
    command_line,
    examination,
    keyboard_line,
    plain_line,
    setup_line,
    tidy_line,
)
from tmax_gym.shell.stream import AWAITED, GONE, IDLE, LATE, UNSURE, Capture, Stream
from tmax_gym.shell.tty import modes, put_back, silent, tty_changed

_RUNG = 0.5
"""Seconds that each step of the time-out ladder has to bring the prompt back."""
OPENING = 30.0
"""Seconds for the first shell to answer: 0.005 are usual; a host may be loaded."""
TIDY = 5.0
"""Seconds for a shell to answer `tidy_line`: one that takes longer is replaced."""
ENDED_SECONDS = 1.0
"""In which a shell that said so is gone."""
_QUIET = 0.05
"""Seconds after a prompt in which another typed line would start to print."""
_KILL = 9
_ANY_MARK = re.compile(rb"\x1e\d{1,3}\|[0-9a-f]{16}=")
_END, _AGAIN, _EXIT = range(3)
SILENTLY, QUIETLY, READS = b"", b">&2", b"<&1 >&2"
"""What stands behind a plain command: one that leaves output and input alone, or input, or none."""


class Session:
    """A running bash; useless after any fate but WELL."""

    def __init__(self, terminal: Terminal, *, limit: int) -> None:
        self._terminal = terminal
        self._stream = Stream(terminal.fd, limit)
        self._prompts = Prompts(terminal, self._stream)
        self._exit = Marks.fresh()
        self._said = self._exit.printed
        """What it says when it ends by itself."""
        self._prompt = b""
        """What the prompt prints at present."""
        self.busy = False
        """Whether typed keys may have started a program that still runs."""
        self._next = Marks.fresh()
        """For the command to come."""
        self._under_way: tuple[Marks, bytes, bytes, float] | None = None
        """Of the command that was begun: marks, line, what is left to type, deadline."""
        self.wait = BLOCKS
        """What the command that was begun waits for first."""
        self._modes = b""
        """Those of the terminal when the shell had just started."""
        self._ours = True
        """Whether the command was one of bash's own, which runs nothing of anybody's."""
        self._typed = False
        """Whether the shell itself writes to the terminal, for typed keys."""
        self.output = Capture(limit)
        """What the last command or the last keys made the terminal print."""

    def open(self, slots: Slots, restore: bytes = b"", seconds: float = OPENING) -> Steps[None]:
        """Make the shell quiet and put its state back.

        Raises:
            ShellError: It ended or did not answer.
        """
        stty = not silent(self._terminal.fd)
        marks = Marks.fresh()
        self._prompt = marks.printed
        line = setup_line(marks, self._exit, slots, stty=stty, restore=restore)
        deadline = time.monotonic() + seconds
        seen = yield from self._stream.put(line, seconds)
        if seen == 0:
            seen = yield from self._prompts.wait([marks.printed], deadline)
        if seen != 0:
            said = bytes(self._stream.capture.head[-300:]).decode(errors="replace")
            why = f"did not answer for {seconds:.0f} s"
            why = {GONE: "ended", IDLE: "runs no commands"}.get(seen, why)
            raise ShellError(f"a new bash {why}; it said: {said!r}")
        self._stream.restart()
        self._modes = modes(self._terminal.fd)

    @property
    def said(self) -> bytes:
        """What the command printed that `answer` has told the status of."""
        return self._stream.said

    @property
    def forged(self) -> bool:
        """Whether the last command's mark was printed before the shell was at its prompt."""
        return self._prompts.forged

    def close(self) -> None:
        """Kill the shell and what it left in its session."""
        self._terminal.close()

    def begin(
        self,
        command: bytes,
        slots: Slots | None,
        *,
        now: float,
        timeout: float,
        status: int = 0,
        plain: bytes | None = None,
        wild: bool = False,
    ) -> int:
        """Send a command, to run with `$?` being `status` at its start.

        Its state is saved after its end where `slots` are given.  A plain one is a program with
        plain words, in a shell that prints nothing of its own: `plain` is SILENTLY, QUIETLY or
        READS.  In a `wild` shell words may stand for aliases.
        Returns AWAITED where `answer` is to be asked after `wait`; otherwise only `end` tells.
        """
        # A closed terminal's descriptor may be another one's by now.
        if self._terminal.fd < 0 or self._stream.hung_up():
            self._under_way = None
            return UNSURE
        if not self._ours:
            put_back(self._terminal.fd, self._modes)
        self._ours, self._prompts.forged = plain in (SILENTLY, QUIETLY), False
        marks = self._next
        if plain is not None:
            line = plain_line(marks, command, plain)
        else:
            line = command_line(marks, command, slots, status=status, wild=wild)
        if self._typed:
            line, self._typed = QUIET + line, False
        rest = self._stream.send(line)
        self._under_way = (marks, line, rest, now + timeout)
        self.wait = (self._terminal.fd, select.POLLIN, now + min(timeout, GLANCE))
        # While the shell works: what the next command needs.
        self._next = Marks.fresh()
        return UNSURE if rest else AWAITED

    def answer(self) -> int:
        """Return the status where the command has ended well, its output in `said`.

        AWAITED where nothing came so far, UNSURE where it takes `end` to tell.
        """
        assert self._under_way is not None
        marks, line, _, _ = self._under_way
        mark = marks.printed
        if (status := self._stream.glance(mark, line)) >= 0:
            if not self._ours and self._prompts.missing():
                self._stream.unread()
                return UNSURE
            self._prompt = mark
        return status

    def end(self) -> Steps[Ending]:
        """Wait for the end of what was begun, however it ends."""
        if self._under_way is None:
            return Ending(Fate.ENDED, begun=False)
        marks, line, rest, deadline = self._under_way
        if rest:
            yield from self._stream.put(rest, deadline - time.monotonic())
        ending = yield from self._follow(marks, deadline)
        self.output = self._stream.restart()
        head = self.output.head
        if head and tty_changed(head, line) and ending.fate is Fate.WELL:
            ending = replace(ending, fate=(yield from self._tidy()))
        return ending

    def type(self, keys: bytes, seconds: float) -> Steps[Fate]:
        """Type keys and watch until a prompt is quiet, or until the time is over."""
        self._prompts.keyed = True
        if not self._typed:
            self._typed = True
            if (fate := (yield from self._hand_over())) is not Fate.WELL:
                return fate
        prompt = [self._prompt]
        self.busy = True
        deadline = time.monotonic() + seconds
        seen = yield from self._stream.put(keys, seconds)
        while seen == 0:
            # More lines may have been typed than the one that this prompt answers.
            until = time.monotonic() + _QUIET if not self.busy else deadline
            seen = yield from self._prompts.wait(prompt, min(deadline, until), idle=False)
            self.busy = self.busy and seen != 0
        self.output = self._stream.restart()
        return Fate.ENDED if seen == GONE else Fate.WELL

    def _hand_over(self) -> Steps[Fate]:
        marks = Marks.fresh()
        self._prompt = marks.printed
        yield from self._stream.put(keyboard_line(marks), _RUNG)
        seen = yield from self._prompts.wait([marks.printed], time.monotonic() + TIDY)
        return Fate.WELL if seen == 0 else Fate.ENDED if seen == GONE else Fate.STUCK

    def leave(self) -> Steps[Fate]:
        """End the program that typed keys started, where there is one."""
        if not self.busy:
            return Fate.WELL
        self.busy = False
        ending = yield from self._follow(Marks.fresh(), time.monotonic())
        self._stream.restart()
        return ending.fate

    def _follow(self, marks: Marks, deadline: float) -> Steps[Ending]:
        """Wait for the end of a command that began, by force after the deadline."""
        wanted = [marks.printed, self._prompt, self._said]
        self._prompt = wanted[_END]
        seen = yield from self._prompts.wait(wanted, deadline)
        if seen == _END and (status := self._stream.status) is not None:
            return WELL[status]
        return (yield from self._pursue(wanted, seen, deadline))

    def _pursue(self, wanted: list[bytes], seen: int, deadline: float) -> Steps[Ending]:
        """Go on from what was seen first."""
        late = asked = False
        while True:
            if seen == LATE and not late:
                late, seen = True, (yield from self._climb(wanted))
            if seen == GONE or (seen == _EXIT and (yield from self._has_ended())):
                return Ending(Fate.ENDED, None if seen == GONE else self._stream.status, late)
            if seen == _END or (asked and seen in (_AGAIN, LATE, IDLE)):
                break
            if seen in (_AGAIN, LATE, IDLE):
                # Any program can print the old prompt; only a shell that is at it answers.
                asked, wanted[_AGAIN] = True, (yield from self._ask())
            if late:
                deadline = time.monotonic() + 2 * _RUNG
            elif seen == IDLE:
                deadline = max(deadline, time.monotonic() + TIDY)
            seen = yield from self._prompts.wait(wanted, deadline, lines=1 + asked)
        if asked:
            self._stream.capture.remove(_ANY_MARK)
        if seen in (LATE, IDLE):
            return Ending(Fate.STUCK, None, late)
        status = self._stream.status
        if seen == _END:
            tidied = late or asked
            fate = (
                (yield from self._tidy(wanted[_AGAIN] if asked else b"")) if tidied else Fate.WELL
            )
            return Ending(fate, status, late, whole=True)
        return examined(status or 0, late=late)

    def _climb(self, wanted: Sequence[bytes]) -> Steps[int]:
        """Interrupt, then kill what is in the foreground."""
        for step in (self._interrupt, self._interrupt, self._kill, self._kill):
            if not (yield from step()):
                break
            seen = yield from self._prompts.wait(wanted, time.monotonic() + _RUNG)
            if seen != LATE:
                return seen
        return LATE

    def _interrupt(self) -> Steps[bool]:
        return (yield from self._stream.put(b"\x03", _RUNG)) == 0

    def _kill(self) -> Steps[bool]:
        yield BLOCKS
        return self._terminal.signal_foreground(_KILL)

    def _ask(self) -> Steps[bytes]:
        """Request a sign of life, after the terminal was reset; return the mark to wait for."""
        marks = Marks.fresh()
        yield from self._stream.put(tidy_line(marks), _RUNG)
        self._prompt = marks.printed
        return marks.printed

    def _tidy(self, asked: bytes = b"") -> Steps[Fate]:
        """Reset the terminal, or wait until a reset that was `asked` for is done."""
        capture = self._stream.restart()
        asked = asked or (yield from self._ask())
        seen = yield from self._prompts.wait([asked], time.monotonic() + TIDY)
        kind, _ = examination(self._stream.status or 0)
        self._stream.restart()
        self._stream.capture = capture
        if seen == 0 and kind != BROKEN:
            return Fate.WELL
        return Fate.ENDED if seen == GONE else Fate.STUCK

    def _has_ended(self) -> Steps[bool]:
        """Return whether the shell is gone soon after having said so."""
        status = self._stream.status
        for _ in range(20):
            seen = yield from self._stream.wait([self._exit.printed], ENDED_SECONDS / 20)
            if seen == GONE or not self._terminal.alive():
                self._stream.status = status
                return True
        return False

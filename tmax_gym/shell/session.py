"""One bash process on one terminal: sends it a command and finds out how that ended.

Handles time-outs, aborted commands, typed keys, a shell that ends and one that no longer answers.
After such an end `Shell` starts another session.
"""

from __future__ import annotations

import re
import select
import time
from collections.abc import Sequence
from dataclasses import replace

from tmax_gym.errors import ShellError
from tmax_gym.sandboxes import Terminal
from tmax_gym.shell.command_end import ENDED_WELL, CommandEnd, ShellState, examined
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
"""Seconds that each step after a time-out has to bring the prompt back."""
OPENING = 30.0
"""Seconds for the first shell to answer: 0.005 are usual, but a host may be loaded."""
TIDY = 5.0
"""Seconds for a shell to answer `tidy_line`; after that it is replaced."""
ENDED_SECONDS = 1.0
"""Seconds in which a shell that has reported its end is gone."""
_QUIET = 0.05
"""Seconds after a prompt in which another typed line would start to print."""
_KILL = 9
_ANY_MARK = re.compile(rb"\x1e\d{1,3}\|[0-9a-f]{16}=")
_END, _AGAIN, _EXIT = range(3)
SILENTLY, QUIETLY, READS = b"", b">&2", b"<&1 >&2"
"""Redirections of a plain command that uses neither output nor input, no input, or both."""


class Session:
    """A running bash; of no use in any state but READY."""

    def __init__(self, terminal: Terminal, *, limit: int) -> None:
        self._terminal = terminal
        self._stream = Stream(terminal.fd, limit)
        self._prompts = Prompts(terminal, self._stream)
        self._exit = Marks.fresh()
        self._prompt = b""
        """The mark that the prompt prints at present."""
        self.busy = False
        """Whether typed keys may have started a program that still runs."""
        self._next = Marks.fresh()
        """The marks of the next command."""
        self._under_way: tuple[Marks, bytes, bytes, float] | None = None
        """Of the command that runs: marks, line, the rest to type, deadline."""
        self.wait = BLOCKS
        """What the command that runs waits for first."""
        self._modes = b""
        """The terminal's modes when the shell had just started."""
        self._ours = True
        """Whether the command was a harmless builtin, which runs no program."""
        self._typed = False
        """Whether the shell itself writes to the terminal, for typed keys."""
        self.output = Capture(limit)
        """The output of the last command or keys."""

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
            output = bytes(self._stream.capture.head[-300:]).decode(errors="replace")
            late = f"did not answer for {seconds:.0f} s"
            why = {GONE: "ended", IDLE: "runs no commands"}.get(seen, late)
            raise ShellError(f"a new bash {why}; its output: {output!r}")
        self._stream.restart()
        self._modes = modes(self._terminal.fd)

    @property
    def answered(self) -> bytes:
        """The output of the command whose status `answer` has returned."""
        return self._stream.answered

    @property
    def forged(self) -> bool:
        """Whether another process printed the last command's mark before the shell did."""
        return self._prompts.forged

    def close(self) -> None:
        """Kill the shell and every process of its session."""
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
        """Send a command: any bash, without NUL.

        Args:
            command: The command.
            slots: Where to save the shell's state after it, if at all.
            now: The present time.
            timeout: Seconds that it may take.
            status: `$?` at its start.
            plain: SILENTLY, QUIETLY or READS for a program with plain words, in a shell that
                prints nothing by itself.
            wild: Whether words may stand for aliases.

        Returns AWAITED if `answer` is to be called after `wait`, UNSURE if only `end` can tell.
        """
        # The number of a closed descriptor may be in use again by now.
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
        # Drawn while the shell works.
        self._next = Marks.fresh()
        return UNSURE if rest else AWAITED

    def answer(self) -> int:
        """Return the status if the command has ended well; its output is in `answered`.

        AWAITED if nothing came so far, UNSURE if only `end` can tell.
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

    def end(self) -> Steps[CommandEnd]:
        """Wait for the end of the command, however it ends."""
        if self._under_way is None:
            return CommandEnd(ShellState.ENDED, begun=False)
        marks, line, rest, deadline = self._under_way
        if rest:
            yield from self._stream.put(rest, deadline - time.monotonic())
        end = yield from self._follow(marks, deadline)
        self.output = self._stream.restart()
        head = self.output.head
        if head and tty_changed(head, line) and end.shell is ShellState.READY:
            end = replace(end, shell=(yield from self._tidy()))
        return end

    def type(self, keys: bytes, seconds: float) -> Steps[ShellState]:
        """Type keys and watch until a prompt is quiet, or until the time is over."""
        self._prompts.keyed = True
        if not self._typed:
            self._typed = True
            if (state := (yield from self._hand_over())) is not ShellState.READY:
                return state
        prompt = [self._prompt]
        self.busy = True
        deadline = time.monotonic() + seconds
        seen = yield from self._stream.put(keys, seconds)
        while seen == 0:
            # More than one line may have been typed.
            until = time.monotonic() + _QUIET if not self.busy else deadline
            seen = yield from self._prompts.wait(prompt, min(deadline, until), idle=False)
            self.busy = self.busy and seen != 0
        self.output = self._stream.restart()
        return ShellState.ENDED if seen == GONE else ShellState.READY

    def _hand_over(self) -> Steps[ShellState]:
        marks = Marks.fresh()
        self._prompt = marks.printed
        yield from self._stream.put(keyboard_line(marks), _RUNG)
        seen = yield from self._prompts.wait([marks.printed], time.monotonic() + TIDY)
        return _state_after(seen)

    def leave(self) -> Steps[ShellState]:
        """End the program that typed keys started, if there is one."""
        if not self.busy:
            return ShellState.READY
        self.busy = False
        end = yield from self._follow(Marks.fresh(), time.monotonic())
        self._stream.restart()
        return end.shell

    def _follow(self, marks: Marks, deadline: float) -> Steps[CommandEnd]:
        """Wait for the end of a command; force it after the deadline."""
        wanted = [marks.printed, self._prompt, self._exit.printed]
        self._prompt = wanted[_END]
        seen = yield from self._prompts.wait(wanted, deadline)
        if seen == _END and (status := self._stream.status) is not None:
            return ENDED_WELL[status]
        return (yield from self._pursue(wanted, seen, deadline))

    def _pursue(self, wanted: list[bytes], seen: int, deadline: float) -> Steps[CommandEnd]:
        """Find out how a command ended that did not end well, from what was seen first."""
        late = asked = False
        while True:
            if seen == LATE and not late:
                late, seen = True, (yield from self._climb(wanted))
            if seen == GONE or (seen == _EXIT and (yield from self._has_ended())):
                status = None if seen == GONE else self._stream.status
                return CommandEnd(ShellState.ENDED, status, late)
            if seen == _END or (asked and seen in (_AGAIN, LATE, IDLE)):
                break
            if seen in (_AGAIN, LATE, IDLE):
                # Any program can print the old prompt; only a shell at its prompt answers.
                asked, wanted[_AGAIN] = True, (yield from self._ask())
            if late:
                deadline = time.monotonic() + 2 * _RUNG
            elif seen == IDLE:
                deadline = max(deadline, time.monotonic() + TIDY)
            seen = yield from self._prompts.wait(wanted, deadline, lines=1 + asked)
        if asked:
            self._stream.capture.remove(_ANY_MARK)
        if seen in (LATE, IDLE):
            return CommandEnd(ShellState.STUCK, None, late)
        status = self._stream.status
        if seen == _END:
            state = ShellState.READY
            if late or asked:
                state = yield from self._tidy(wanted[_AGAIN] if asked else b"")
            return CommandEnd(state, status, late, whole=True)
        return examined(status or 0, late=late)

    def _climb(self, wanted: Sequence[bytes]) -> Steps[int]:
        """Interrupt the foreground, then kill it."""
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
        """Have the shell reset the terminal and answer; return the mark of the answer."""
        marks = Marks.fresh()
        yield from self._stream.put(tidy_line(marks), _RUNG)
        self._prompt = marks.printed
        return marks.printed

    def _tidy(self, asked: bytes = b"") -> Steps[ShellState]:
        """Reset the terminal, or wait for the answer with the mark `asked`."""
        capture = self._stream.restart()
        asked = asked or (yield from self._ask())
        seen = yield from self._prompts.wait([asked], time.monotonic() + TIDY)
        kind, _ = examination(self._stream.status or 0)
        self._stream.restart()
        self._stream.capture = capture
        return ShellState.STUCK if seen == 0 and kind == BROKEN else _state_after(seen)

    def _has_ended(self) -> Steps[bool]:
        """Return whether the shell is gone soon after it has reported its end."""
        status = self._stream.status
        for _ in range(20):
            seen = yield from self._stream.wait([self._exit.printed], ENDED_SECONDS / 20)
            if seen == GONE or not self._terminal.alive():
                self._stream.status = status
                return True
        return False


def _state_after(seen: int) -> ShellState:
    """Return the shell's state after a wait for one mark."""
    states = {0: ShellState.READY, GONE: ShellState.ENDED}
    return states.get(seen, ShellState.STUCK)

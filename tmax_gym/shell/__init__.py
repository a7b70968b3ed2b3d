"""One persistent bash in a sandbox: `run(command)` returns its output and its exit status.

A command that runs out of time keeps its output so far, and the session goes on.  A shell that
ended is started again with its working directory, exports, functions and aliases.  Output of any
size takes bounded memory.  Under `run` standard input is empty; `send_keys` types into programs.

Commands act as if typed at a prompt, with these differences: PS0, PS1, PS2 and PROMPT_COMMAND do
not last, history is off, `exec >file` ends with its command, and pagers are `cat` by default.
Output of background processes between two commands comes first in the output of the next.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Self

from tmax_gym.errors import SandboxError, ShellError
from tmax_gym.sandboxes import Sandbox, User
from tmax_gym.shell.command_end import CommandEnd, ShellState
from tmax_gym.shell.coroutines import BLOCKS, Steps, finish, pause
from tmax_gym.shell.plain_commands import (
    HARMLESS,
    SILENT,
    may_print,
    may_rename,
    plain_name,
)
from tmax_gym.shell.protocol import Slots
from tmax_gym.shell.session import OPENING, QUIETLY, READS, SILENTLY, Session
from tmax_gym.shell.stream import AWAITED, UNSURE

__all__ = ["Shell", "ShellResult"]

TIMEOUT = 30.0
"""Seconds that a command has by default."""
_PAUSES = (0.0, 0.2, 1.0)
"""Seconds before each attempt to restart: a fork bomb may use up all processes for a while."""
_REOPENING = 5.0
"""Seconds that each attempt has: a program in bash's place must not delay a trial for long."""
_BACK = (
    "The working directory, exported variables, functions and aliases are as they were after "
    "the last command; other variables and background jobs are gone."
)
_MENDED = (
    "No command could run in this shell any more, so what had replaced or disabled bash's own "
    "commands was taken back. The status of this one is not known."
)
_FORGED = (
    "Another process printed this shell's end-of-command mark while the command still ran: that "
    "was ignored."
)
_NEW = "Nothing of the old shell's state could be kept: not even its working directory."


@dataclass(frozen=True, slots=True)
class ShellResult:
    """The result of one command."""

    output: str
    """Its output as text; one line marks where the middle was left out."""
    output_bytes: bytes
    """Its exact output; if that is longer than `output_limit`, the start and the end of it."""
    exit_code: int | None
    """None if the command ran out of time, or ended the shell without a status."""
    timed_out: bool
    truncated_bytes: int
    """How many bytes were left out in the middle."""
    restarted: bool
    """Whether the shell ended and another one took over."""
    notice: str
    """A message for the agent besides the output; usually empty."""
    seconds: float
    """Wall time, clean-up included."""


class Shell:
    """A bash that lasts as long as its sandbox; not for two threads at once."""

    def __init__(
        self,
        sandbox: Sandbox,
        *,
        cwd: str = "/",
        user: User = "root",
        output_limit: int = 1 << 20,
    ) -> None:
        """Start the shell.

        Raises:
            SandboxError: The machine does not answer.
            ShellError: The machine lives, but bash does not start in it.
        """
        self._sandbox = sandbox
        self._cwd = cwd
        self._user: User = user
        self._limit = output_limit
        self._slots = Slots.fresh()
        self._status = 0
        self._stuck = False
        self._wild = False
        """Whether a program's name may be a function or an alias by now."""
        self._loud = False
        """Whether the shell itself may print around a command: traces, prompts."""
        self._unsaved = False
        """Whether the last save failed, as its line was broken off."""
        self._saving: Slots | None = None
        """Where the present command saves the shell's state."""
        self._restarts = 0
        self._notices: list[str] = []
        self._session = self._start(b"", cwd)

    def run(self, command: str, *, timeout: float = TIMEOUT) -> ShellResult:
        """Run a command, of any number of lines, until it ends or `timeout` seconds are over.

        Raises:
            SandboxError: The machine is gone; there is no result.
            ShellError: The shell ended and cannot be restarted.
        """
        return finish(self.steps(command, timeout=timeout))

    def steps(self, command: str, *, timeout: float = TIMEOUT) -> Steps[ShellResult]:
        """Do the same as `run`, as a coroutine whose waiting is up to its driver.

        If it is dropped in the middle, the shell's state is unknown: close the shell.
        """
        begun = time.monotonic()
        self._notices = []
        data = self._encode(command)
        session = self._session
        status = UNSURE if session.busy else self._begin(data, begun, timeout)
        while status == AWAITED and (yield session.wait):
            status = session.answer()
        if status < 0:
            return (yield from self._rest(data, begun, timeout))
        if self._saving:
            self._slots, self._saving, self._unsaved = self._saving, None, False
        self._stuck, self._status = False, status
        output = session.answered
        return ShellResult(
            output.decode("utf-8", "replace"),
            output,
            status,
            timed_out=False,
            truncated_bytes=0,
            restarted=False,
            notice="\n".join(self._notices),
            seconds=time.monotonic() - begun,
        )

    def _rest(self, data: bytes, begun: float, timeout: float) -> Steps[ShellResult]:
        """Finish a command that had no ordinary answer."""
        restarts = self._restarts
        if self._session.busy:
            if (state := (yield from self._session.leave())) is not ShellState.READY:
                yield from self._restart(_cause(CommandEnd(state), timeout))
            self._begin(data, time.monotonic(), timeout)
        session, end = yield from self._end()
        if not end.begun:
            yield from self._restart(_cause(end, timeout))
            self._begin(data, time.monotonic(), timeout)
            session, end = yield from self._end()
        if end.shell is not ShellState.READY:
            # If commands could not end twice, the cause may be part of the saved state.
            keep = not (self._stuck and end.shell is ShellState.STUCK)
            yield from self._restart(_cause(end, timeout), keep=keep)
        elif end.mended:
            self._notices.append(_MENDED)
        elif end.late:
            self._notices.append(f"No end after {timeout:g} s: the command was stopped.")
        self._stuck = end.shell is ShellState.STUCK
        self._status = end.status or 0
        return self._result(session, end, begun, restarts)

    def send_keys(self, text: str, wait: float = 1.0) -> ShellResult:
        r"""Type at the terminal; return its output until a prompt, or for `wait` seconds.

        `text` holds the keys: `\n` for return, `\x03` for control-C.
        """
        begun, restarts = time.monotonic(), self._restarts
        self._notices = []
        session = self._session
        self._wild = self._loud = True
        end = CommandEnd(finish(session.type(self._encode(text), wait)))
        if end.shell is not ShellState.READY:
            finish(self._restart(_cause(end, wait)))
        return self._result(session, end, begun, restarts)

    def close(self) -> None:
        """Kill the shell and every process of its session.  Idempotent."""
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self, command: bytes, now: float, timeout: float) -> int:
        name = plain_name(command)
        slots: Slots | None = None
        plain: bytes | None = None
        if name is None or self._wild or self._unsaved:
            slots, self._unsaved = self._slots.turned(), True
        elif not self._loud:
            plain = READS
            if name in HARMLESS:  # they do not read standard input
                plain = SILENTLY if name in SILENT else QUIETLY
        self._saving = slots
        begun = self._session.begin(
            command,
            slots,
            now=now,
            timeout=timeout,
            status=self._status,
            plain=plain,
            wild=self._wild,
        )
        if name is None:  # while the shell works
            self._wild = self._wild or may_rename(command)
            self._loud = self._loud or may_print(command)
        return begun

    def _end(self) -> Steps[tuple[Session, CommandEnd]]:
        session, slots = self._session, self._saving
        end = yield from session.end()
        if session.forged:
            self._notices.append(_FORGED)
        if slots and end.whole:
            self._slots, self._unsaved = slots, False
        return session, end

    def _encode(self, text: str) -> bytes:
        if "\0" in text:
            self._notices.append("NUL bytes were left out: bash cannot hold them.")
            text = text.replace("\0", "")
        if text.isascii():
            return text.encode()
        # Surrogates that stand for bytes become those bytes; others have no encoding.
        return "".join(
            c if not "\ud800" <= c <= "\udfff" or "\udc80" <= c <= "\udcff" else "\ufffd"
            for c in text
        ).encode(errors="surrogateescape")

    def _start(self, restore: bytes, cwd: str, seconds: float = OPENING) -> Session:
        session = Session(self._sandbox.open_terminal(user=self._user, cwd=cwd), limit=self._limit)
        try:
            finish(session.open(self._slots, restore, seconds))
        except BaseException:
            session.close()
            raise
        return session

    def _restart(self, cause: str, *, keep: bool = True) -> Steps[None]:
        """Start another shell; raises the same errors as `run`."""
        yield BLOCKS
        self._session.close()
        self._restarts += 1
        state = self._slots.restore(self._cwd) if keep else b""
        self._slots = self._slots if keep else Slots.fresh()
        # The last attempt restores nothing: a function in the state may end every shell.
        for seconds, restore in zip(_PAUSES, (state, state, b""), strict=True):
            yield pause(seconds)
            try:
                self._session = self._start(restore, "/", _REOPENING)
            except SandboxError as error:
                failure = error
                # Raises SandboxError if the machine itself is gone.
                self._sandbox.exec(["/bin/true"], timeout=10.0)
            else:
                self._notices.append(
                    f"{cause} A new shell was started. {_BACK if restore else _NEW}"
                )
                return
        raise ShellError(f"the shell ended and cannot be restarted: {failure}") from failure

    def _result(
        self, session: Session, end: CommandEnd, begun: float, restarts: int
    ) -> ShellResult:
        captured = session.output
        whole = b"".join((captured.head, captured.tail))
        text = whole.decode(errors="replace")
        if captured.dropped:
            head, tail = (part.decode(errors="replace") for part in (captured.head, captured.tail))
            text = f"{head}\n[... {captured.dropped} bytes left out ...]\n{tail}"
        return ShellResult(
            output=text,
            output_bytes=whole,
            exit_code=None if end.late else end.status,
            timed_out=end.late,
            truncated_bytes=captured.dropped,
            restarted=self._restarts > restarts,
            notice="\n".join(self._notices),
            seconds=time.monotonic() - begun,
        )


def _cause(end: CommandEnd, timeout: float) -> str:
    if end.late:
        return f"No end after {timeout:g} s, and the shell no longer answered."
    if end.shell is ShellState.STUCK:
        return "The shell was left in a state in which no command could run."
    if end.status is None:
        return "The shell ended."
    return f"The shell ended with status {end.status}."

"""One persistent bash in a sandbox: run(command) gives its output and its exit status.

Covers exact output and status, time-outs that keep the partial output and the session, restart
with the working directory, exports, functions and aliases of a shell that ended, and output of
any size in bounded memory.  Does not cover what an agent should see of it: harnesses cut and
format.  A program that wants a keyboard is served by `send_keys`; under `run` standard input
is empty.

Commands act as typed at a prompt, with these differences: PS0, PS1, PS2 and PROMPT_COMMAND do
not last, history is off, `exec >file` ends with its command, and pagers are `cat` unless told
otherwise.  What background processes print between two commands opens the output of the next.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Self

from tmax_gym.errors import SandboxError, ShellError
from tmax_gym.sandboxes import Sandbox, User
from tmax_gym.shell.command_end import Ending, Fate
from tmax_gym.shell.coroutines import BLOCKS, Steps, finish, pause
from tmax_gym.shell.plain_commands import (
    may_print,
    may_rename,
    plain_name,
    prints_nothing,
    reads_nothing,
)
from tmax_gym.shell.protocol import Slots
from tmax_gym.shell.session import OPENING, QUIETLY, READS, SILENTLY, Session
from tmax_gym.shell.stream import AWAITED, UNSURE

__all__ = ["Shell", "ShellResult"]

TIMEOUT = 30.0
"""Seconds that a command has where nothing else is said."""
_PAUSES = (0.0, 0.2, 1.0)
"""Seconds before each attempt to restart: a fork bomb may hold every process for a while."""
_REOPENING = 5.0
"""Seconds that each attempt has: what an agent put in bash's place must not hold up a trial."""
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
    """What one command did."""

    output: str
    """What it printed, as text; one line stands for what was left out in the middle."""
    output_bytes: bytes
    """Exactly what it printed; of more than `output_limit`, the first and the last half."""
    exit_code: int | None
    """None where the command ran out of time, or ended the shell without telling its status."""
    timed_out: bool
    truncated_bytes: int
    """How many bytes were left out in the middle."""
    restarted: bool
    """Whether the shell ended and another one took over."""
    notice: str
    """What the agent should be told besides the output; empty in the ordinary case."""
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
        """Whether the name of a program may stand for a function or an alias."""
        self._loud = False
        """Whether the shell itself may print around a command: traces, prompts."""
        self._unsaved = False
        """Whether the last save did not happen: the line was broken off."""
        self._saving: Slots | None = None
        """Where the command under way saves the state."""
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
        """Do what `run` does, and leave the waiting to whoever drives it.

        One that is dropped in the middle leaves a shell of which nothing is known: close it.
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
        said = session.said
        return ShellResult(
            said.decode("utf-8", "replace"),
            said,
            status,
            timed_out=False,
            truncated_bytes=0,
            restarted=False,
            notice="\n".join(self._notices),
            seconds=time.monotonic() - begun,
        )

    def _rest(self, data: bytes, begun: float, timeout: float) -> Steps[ShellResult]:
        """Do what is left of a command that had no ordinary answer."""
        restarts = self._restarts
        if self._session.busy:
            if (fate := (yield from self._session.leave())) is not Fate.WELL:
                yield from self._restart(_cause(Ending(fate), timeout))
            self._begin(data, time.monotonic(), timeout)
        session, ending = yield from self._end()
        if not ending.begun:
            yield from self._restart(_cause(ending, timeout))
            self._begin(data, time.monotonic(), timeout)
            session, ending = yield from self._end()
        if ending.fate is not Fate.WELL:
            # What keeps commands from ending, twice, may be part of the state.
            keep = not (self._stuck and ending.fate is Fate.STUCK)
            yield from self._restart(_cause(ending, timeout), keep=keep)
        elif ending.mended:
            self._notices.append(_MENDED)
        elif ending.late:
            self._notices.append(f"No end after {timeout:g} s: the command was stopped.")
        self._stuck = ending.fate is Fate.STUCK
        self._status = ending.status or 0
        return self._result(session, ending, begun, restarts)

    def send_keys(self, text: str, wait: float = 1.0) -> ShellResult:
        r"""Type at the terminal and return what it prints until a prompt is back.

        Args:
            text: Keys as they are typed: `\n` for return, `\x03` for control-C.
            wait: Seconds to watch where no prompt comes back.
        """
        begun, restarts = time.monotonic(), self._restarts
        self._notices = []
        session = self._session
        self._wild = self._loud = True
        fate = finish(session.type(self._encode(text), wait))
        if fate is not Fate.WELL:
            finish(self._restart(_cause(Ending(fate), wait)))
        return self._result(session, Ending(fate), begun, restarts)

    def close(self) -> None:
        """End the shell and what it left in its session.  Idempotent."""
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
            if reads_nothing(name):
                plain = SILENTLY if prints_nothing(name) else QUIETLY
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

    def _end(self) -> Steps[tuple[Session, Ending]]:
        session, slots = self._session, self._saving
        ending = yield from session.end()
        if session.forged:
            self._notices.append(_FORGED)
        if slots and ending.whole:
            self._slots, self._unsaved = slots, False
        return session, ending

    def _encode(self, text: str) -> bytes:
        if "\0" in text:
            self._notices.append("NUL bytes were left out: bash cannot hold them.")
            text = text.replace("\0", "")
        if text.isascii():
            return text.encode()
        # Surrogates that stand for bytes become those bytes; others have no encoding at all.
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
        """Start another shell; raises what its docstring of `run` says."""
        yield BLOCKS
        self._session.close()
        self._restarts += 1
        back = self._slots.restore(self._cwd) if keep else b""
        self._slots = self._slots if keep else Slots.fresh()
        # The last attempt does without the state: a function in it may end every shell.
        for seconds, restore in zip(_PAUSES, (back, back, b""), strict=True):
            yield pause(seconds)
            try:
                self._session = self._start(restore, "/", _REOPENING)
            except SandboxError as error:
                failure = error
                # Raises SandboxError where the machine itself is gone.
                self._sandbox.exec(["/bin/true"], timeout=10.0)
            else:
                self._notices.append(
                    f"{cause} A new shell was started. {_BACK if restore else _NEW}"
                )
                return
        raise ShellError(f"the shell ended and cannot be restarted: {failure}") from failure

    def _result(self, session: Session, ending: Ending, begun: float, restarts: int) -> ShellResult:
        kept = session.output
        whole = b"".join((kept.head, kept.tail))
        if kept.dropped:
            head, tail = (part.decode(errors="replace") for part in (kept.head, kept.tail))
            text = f"{head}\n[... {kept.dropped} bytes left out ...]\n{tail}"
        else:
            text = whole.decode(errors="replace")
        return ShellResult(
            output=text,
            output_bytes=whole,
            exit_code=None if ending.late else ending.status,
            timed_out=ending.late,
            truncated_bytes=kept.dropped,
            restarted=self._restarts > restarts,
            notice="\n".join(self._notices),
            seconds=time.monotonic() - begun,
        )


def _cause(ending: Ending, timeout: float) -> str:
    if ending.late:
        return f"No end after {timeout:g} s, and the shell no longer answered."
    if ending.fate is Fate.STUCK:
        return "The shell was left in a state in which no command could run."
    if ending.status is None:
        return "The shell ended."
    return f"The shell ended with status {ending.status}."

"""The break-it list put to any contender: `ok`, `wrong`, `DEAD`, `HANG`, or `-` where left out.

    ok     the right result, and the session answers afterwards
    wrong  another result, or an exception; the session answers afterwards
    DEAD   the session does not answer any more
    HANG   the call itself did not return, or its process had to be stopped for its memory
    -      not run: it would harm this machine, and the contender has no wall

Cases and judging are those of our own tests.  Ours are judged as strictly as there; others by
what they can show, as `lenient` says: a peer does not know our notices, may be slow, and a
program that waits for the keyboard may as well run out of time.
"""

from __future__ import annotations

import base64
import contextlib
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from benchmarks.peer_columns import Column, Place
from benchmarks.peer_link import Ended, Hung, Link, sweep
from tests.support.break_it_cases import CASES, Case
from tmax_gym.shell import ShellResult

ALIVE = '\\command echo al""ive_42'
QUICK = (
    "cd persists", "exit code", "heredoc", "stdin eater in script", "sleep 1000 time-out",
    "exit 3", "PS1/PROMPT_COMMAND changed", "exec >/dev/null",
)  # fmt: skip
"""Eight cases that tell contenders apart."""
UNSAFE = ("fork bomb", "memory hog 3 GB", "rm /bin/bash")
"""What would harm a machine without a wall."""
WAITING = ("cat waits on stdin", "read x waits on stdin", "python3 REPL", "python3 input()",
           "nested bash -i", "less file", "vim", "fork bomb")  # fmt: skip
"""What may end at once or run out of time, as long as the session lives."""
BASHISMS = ("nohup server &", "prompt text in output", "invalid utf-8")
"""Cases whose commands only bash knows, which is not their point: /dev/tcp, @P, \\xff."""
_LIMITS = {
    "24 kB heredoc write": 20.0, "400 kB command": 20.0, "single 20 kB line": 20.0,
    "10 MB output": 120.0, "fork bomb": 20.0, "memory hog 3 GB": 20.0, "yes for 3 s (memory)": 10.0,
    "nohup server &": 10.0,
}  # fmt: skip
_LATE, _WAIT, _REST = 2.0, 3.0, 5.0
"""Seconds that are given: to what has to run out of time, to what may, and to all else."""
_ALIVE = 5.0
"""Seconds for the question whether a session lives: 0.13 where it does, on a quiet machine."""
_SILENT, _STEPS = 2, 20
"""A session is dead after so many questions without any answer, or so many wrong ones."""
_OUTER = 30.0
"""Seconds beyond that until a driver is stopped: opening takes 1, an interrupt up to 5."""
_ANSI = re.compile(rb"\x1b[@-_][0-?]*[ -/]*[@-~]")
_MEMORY = 1 << 30
"""What a process may hold after `yes`: the number of our own test."""

Reply = Mapping[str, Any]


def limit(case: Case) -> float:
    """Return the seconds that every contender gets for a command of a case."""
    rest = _LATE if case.late else _WAIT if case.name in WAITING else _REST
    return _LIMITS.get(case.name, rest)


def chosen(*, quick: bool) -> tuple[Case, ...]:
    """Return the cases of a run."""
    return tuple(case for case in CASES if not quick or case.name in QUICK)


class Bench:
    """Puts cases to one contender, each in a fresh session."""

    def __init__(self, column: Column, place: Place, start: Any) -> None:
        """Take a contender and what starts its driver."""
        self.column, self.place, self._start = column, place, start
        self.link: Link = start()

    def close(self) -> None:
        """End the driver and all that it left."""
        self.link.close()
        self._sweep()

    def verdict(self, case: Case) -> tuple[str, str, float]:
        """Return the verdict, what was wrong, and the seconds of the longest command."""
        if self.column.local and case.name in UNSAFE:
            return "-", "", 0.0
        try:
            return self._verdict(case)
        except Hung as error:
            return "HANG", str(error), 0.0
        except Ended as error:
            return "DEAD", str(error), 0.0
        finally:
            self.renew()

    def renew(self) -> None:
        """Close the session; where that fails, start another driver."""
        try:
            if "error" in self.link.ask(_OUTER, do="close"):
                raise Ended
        except (Hung, Ended):
            self.link.kill()
            self._sweep()
            self.link = self._start()
        self.place.sweep()

    def _verdict(self, case: Case) -> tuple[str, str, float]:
        opened = self.link.ask(_OUTER, do="open", options=self.column.options)
        if "error" in opened:
            return "DEAD", f"cannot be opened: {opened['error']}", 0.0
        allowed, longest = limit(case), 0.0
        for command in commands(case, self.column):
            seen = self.link.ask(allowed + _OUTER, do="run", command=command, timeout=allowed)
            longest = max(longest, seen["seconds"])
        wrong = complaints(case, seen, self.column)
        answers, silent = 0, 0
        while silent < _SILENT and answers < _STEPS:
            after = self.link.ask(_ALIVE + _OUTER, do="run", command=ALIVE, timeout=_ALIVE)
            if b"alive_42" in output(after):
                wrong += ["the answers are out of step"] if answers else []
                return ("wrong" if wrong else "ok"), "; ".join(wrong), longest
            answers += 1
            silent += after.get("late", True)
        return "DEAD", f"{'; '.join(wrong)} -- afterwards: {_brief(after)}", longest

    def _sweep(self) -> None:
        # Ours has a watcher that removes containers after a kill: it carries the mark as well.
        if self.column.sight != "ours":
            sweep(self.place.mark)
        with contextlib.suppress(Exception):
            self.place.sweep()


def commands(case: Case, column: Column) -> Iterator[str]:
    """Yield the commands of a case; without a wall, files go to the directory of the run."""
    for command in case.commands:
        if column.sh and case.name in BASHISMS:
            command = f"bash -c {shlex.quote(command)}"
        yield command.replace("/tmp/", "") if column.local else command


def output(reply: Reply) -> bytes:
    """Return what a reply shows; an error shows nothing."""
    return base64.b64decode(reply.get("output", ""))


def complaints(case: Case, reply: Reply, column: Column) -> list[str]:
    """Return what is wrong with the last reply."""
    if "error" in reply:
        return [f"exception: {reply['error'][:300]}"]
    grown = reply["peak"]
    memory = [f"the process held {grown >> 20} MiB"] if grown > _MEMORY else []
    result = shell_result(output(reply), reply)
    if column.sight != "ours":
        seen, case = visible(case, result, column)
        options = list(lenient(case, column))
    else:
        seen, options = result, [case]
    found = [option.verdict(seen) for option in options]
    return min(found, key=len) + (memory if case.small else [])


def shell_result(data: bytes, reply: Reply) -> ShellResult:
    """Return a reply in the form that our cases judge."""
    return ShellResult(
        output=data.decode(errors="replace"),
        output_bytes=data,
        exit_code=reply["code"],
        timed_out=reply["late"],
        truncated_bytes=reply["dropped"],
        restarted=reply["restarted"],
        notice=reply["notice"],
        seconds=reply["seconds"],
    )


def visible(case: Case, seen: ShellResult, column: Column) -> tuple[ShellResult, Case]:
    """Return what a peer showed and what can be asked of it, both in its own terms."""
    if column.sight == "bytes":
        return seen, case
    data = seen.output_bytes.replace(b"\r\n", b"\n")
    wanted = case.output
    if column.sight == "screen":
        # Blanks at line ends, tabs and what is no character do not survive a screen.
        data = b"\n".join(line.rstrip() for line in data.expandtabs().split(b"\n"))
        lines = wanted.encode().expandtabs().split(b"\n") if isinstance(wanted, str) else []
        has = tuple(re.sub(r" +$", "", part, flags=re.MULTILINE) for part in case.has)
        case = replace(case, output=None, has=has + found_in(data, lines), code=_code(case))
    elif isinstance(wanted, bytes):
        # Decoded text has lost them: the characters in between have to be there, in order.
        data = _ANSI.sub(b"", data)
        case = replace(case, output=None, has=case.has + found_in(data, runs(wanted)))
    return replace(seen, output=data.decode(errors="replace"), output_bytes=data), case


def _code(case: Case) -> int | str:
    """Return the status to ask of a screen, which has none: where it is the point, it fails."""
    return case.code if case.name in ("exit code", "exit 3") else "any"


def runs(data: bytes) -> list[bytes]:
    """Return the printable parts of bytes, without control sequences."""
    return re.findall(rb"[ -~]+", _ANSI.sub(b"", data))


def found_in(data: bytes, parts: list[bytes]) -> tuple[str, ...]:
    """Return the first part that does not follow the one before it, as a text to miss."""
    at = 0
    for part in parts:
        where = data.find(part, at)
        if where < 0:
            return (f"{part.decode(errors='replace')}\n(after byte {at})",)
        at = where + len(part)
    return ()


def lenient(case: Case, column: Column) -> Iterator[Case]:
    """Yield the case as a peer may answer it, each way as right as the others."""
    case = replace(case, restarted=None, within=2.0 if case.within < 1.0 else 1e9)
    if case.code == "none":
        case = replace(case, code="any")  # an exec a command has a status where a shell has none
    if case.name == "unbalanced quote":
        case = replace(case, has=())  # the words differ between shells
    if case.name == "setsid daemon with tty output":
        case = replace(case, has=("here\n",))  # where the ticks go is the peer's choice
    if case.name == "trap DEBUG/EXIT":
        case = replace(case, output=None, has=("x\n",))
    if case.name == "PATH=/nonexistent":
        case = replace(case, code="any")  # without a session, PATH is whole again
    yield case
    if case.name in WAITING:
        yield replace(case, output=None, has=(), late=True)
    if case.name in ("less file", "vim", "kill -STOP $$"):
        # There may be no terminal, and tmux wakes a shell that was stopped.
        yield replace(case, output=None, has=(), late=False, code="any")


def _brief(reply: Reply) -> str:
    return str(reply.get("error") or output(reply)[-200:])[:300]

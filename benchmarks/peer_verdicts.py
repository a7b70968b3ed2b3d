"""Run the break-it list with any contender and judge each case with a word.

    ok     the right result, and the session answers afterwards
    wrong  another result, or an exception; the session answers afterwards
    DEAD   the session does not answer any more
    HANG   the call itself did not return, or its process had to be stopped for its memory
    -      not run: it would harm this host, from which the contender does not isolate

Cases and rules are those of our own tests.  Ours are judged as strictly as there.  Peers are
judged by what they can return (see `lenient`): they do not have our notices, may be slow, and a
program that waits for the keyboard may also time out.
"""

from __future__ import annotations

import base64
import contextlib
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from benchmarks.driver import Driver, Ended, Hung, sweep
from benchmarks.peer_contenders import Contender, Resources
from tests.support.break_it_cases import CASES, Case
from tmax_gym.shell import ShellResult

ALIVE = '\\command echo al""ive_42'
QUICK = (
    "cd persists", "exit code", "heredoc", "stdin eater in script", "sleep 1000 time-out",
    "exit 3", "PS1/PROMPT_COMMAND changed", "exec >/dev/null",
)  # fmt: skip
"""Eight cases in which contenders differ."""
UNSAFE = ("fork bomb", "memory hog 3 GB", "rm /bin/bash")
"""Cases that would harm this host if a contender does not isolate."""
WAITING = ("cat waits on stdin", "read x waits on stdin", "python3 REPL", "python3 input()",
           "nested bash -i", "less file", "vim", "fork bomb")  # fmt: skip
"""Cases that may end at once or time out, as long as the session lives."""
BASHISMS = ("nohup server &", "prompt text in output", "invalid utf-8")
"""Cases that need bash only for details (/dev/tcp, @P, \\xff): these run in bash."""
_LIMITS = {
    "24 kB heredoc write": 20.0, "400 kB command": 20.0, "single 20 kB line": 20.0,
    "10 MB output": 120.0, "fork bomb": 20.0, "memory hog 3 GB": 20.0, "yes for 3 s (memory)": 10.0,
    "nohup server &": 10.0,
}  # fmt: skip
_LATE, _WAIT, _REST = 2.0, 3.0, 5.0
"""Seconds for commands that must time out, for those that may, and for all others."""
_ALIVE = 5.0
"""Seconds for the check whether a session lives; it takes 0.13 on an idle machine."""
_SILENT, _STEPS = 2, 20
"""A session is dead after so many checks without an answer, or with a wrong one."""
_OUTER = 30.0
"""Further seconds until a driver is stopped: opening takes 1, an interrupt up to 5."""
_ANSI = re.compile(rb"\x1b[@-_][0-?]*[ -/]*[@-~]")
_MEMORY = 1 << 30
"""Largest memory of a process after `yes`, as in our own test."""

Reply = Mapping[str, Any]


def limit(case: Case) -> float:
    """Return the seconds for a command of a case, the same for every contender."""
    rest = _LATE if case.late else _WAIT if case.name in WAITING else _REST
    return _LIMITS.get(case.name, rest)


def chosen(*, quick: bool) -> tuple[Case, ...]:
    """Return the cases of a run."""
    return tuple(case for case in CASES if not quick or case.name in QUICK)


class CaseRunner:
    """Runs cases with one contender, each in a new session."""

    def __init__(self, contender: Contender, resources: Resources, start: Any) -> None:
        """Start the contender's driver with `start`."""
        self.contender, self.resources, self._start = contender, resources, start
        self.driver: Driver = start()

    def close(self) -> None:
        """End the driver and all processes that it left."""
        self.driver.close()
        self._sweep()

    def verdict(self, case: Case) -> tuple[str, str, float]:
        """Return the verdict, the reason, and the seconds of the longest command."""
        if self.contender.local and case.name in UNSAFE:
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
        """Close the session; if that fails, start another driver."""
        try:
            if "error" in self.driver.ask(_OUTER, do="close"):
                raise Ended
        except (Hung, Ended):
            self.driver.kill()
            self._sweep()
            self.driver = self._start()
        self.resources.sweep()

    def _verdict(self, case: Case) -> tuple[str, str, float]:
        opened = self.driver.ask(_OUTER, do="open", options=self.contender.options)
        if "error" in opened:
            return "DEAD", f"cannot be opened: {opened['error']}", 0.0
        allowed, longest = limit(case), 0.0
        for command in commands(case, self.contender):
            reply = self.driver.ask(allowed + _OUTER, do="run", command=command, timeout=allowed)
            longest = max(longest, reply["seconds"])
        wrong = faults(case, reply, self.contender)
        answers, silent = 0, 0
        while silent < _SILENT and answers < _STEPS:
            after = self.driver.ask(_ALIVE + _OUTER, do="run", command=ALIVE, timeout=_ALIVE)
            if b"alive_42" in output(after):
                wrong += ["the answers belong to earlier commands"] if answers else []
                return ("wrong" if wrong else "ok"), "; ".join(wrong), longest
            answers += 1
            silent += after.get("late", True)
        return "DEAD", f"{'; '.join(wrong)} -- afterwards: {_brief(after)}", longest

    def _sweep(self) -> None:
        # The watcher of ours, which removes containers after a kill, has the mark as well.
        if self.contender.output_form != "ours":
            sweep(self.resources.mark)
        with contextlib.suppress(Exception):
            self.resources.sweep()


def commands(case: Case, contender: Contender) -> Iterator[str]:
    """Yield the commands of a case; on this host, files go to the directory of the run."""
    for command in case.commands:
        if contender.sh and case.name in BASHISMS:
            command = f"bash -c {shlex.quote(command)}"
        yield command.replace("/tmp/", "") if contender.local else command


def output(reply: Reply) -> bytes:
    """Return the output in a reply; an error has none."""
    return base64.b64decode(reply.get("output", ""))


def faults(case: Case, reply: Reply, contender: Contender) -> list[str]:
    """Return the faults of the last reply."""
    if "error" in reply:
        return [f"exception: {reply['error'][:300]}"]
    grown = reply["peak"]
    memory = [f"the process held {grown >> 20} MiB"] if grown > _MEMORY else []
    result = shell_result(output(reply), reply)
    if contender.output_form != "ours":
        seen, case = visible(case, result, contender)
        options = list(lenient(case))
    else:
        seen, options = result, [case]
    verdicts = [option.verdict(seen) for option in options]
    return min(verdicts, key=len) + (memory if case.small else [])


def shell_result(data: bytes, reply: Reply) -> ShellResult:
    """Return a reply in the form that our cases expect."""
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


def visible(case: Case, seen: ShellResult, contender: Contender) -> tuple[ShellResult, Case]:
    """Return a peer's result, and what can be expected of it, in the form of its output."""
    if contender.output_form == "bytes":
        return seen, case
    data = seen.output_bytes.replace(b"\r\n", b"\n")
    wanted = case.output
    if contender.output_form == "screen":
        # A screen loses blanks at line ends, tabs, and bytes that are no character.
        data = b"\n".join(line.rstrip() for line in data.expandtabs().split(b"\n"))
        lines = wanted.encode().expandtabs().split(b"\n") if isinstance(wanted, str) else []
        has = tuple(re.sub(r" +$", "", part, flags=re.MULTILINE) for part in case.has)
        case = replace(case, output=None, has=has + found_in(data, lines), code=_code(case))
    elif isinstance(wanted, bytes):
        # Decoded text has lost such bytes: the characters in between must be there, in order.
        data = _ANSI.sub(b"", data)
        case = replace(case, output=None, has=case.has + found_in(data, runs(wanted)))
    return replace(seen, output=data.decode(errors="replace"), output_bytes=data), case


def _code(case: Case) -> int | str:
    """Return the status to expect of a screen, which has none: cases about statuses fail."""
    return case.code if case.name in ("exit code", "exit 3") else "any"


def runs(data: bytes) -> list[bytes]:
    """Return the printable parts of bytes, without control sequences."""
    return re.findall(rb"[ -~]+", _ANSI.sub(b"", data))


def found_in(data: bytes, parts: list[bytes]) -> tuple[str, ...]:
    """Return the first part that does not follow the one before it, as missing text."""
    at = 0
    for part in parts:
        where = data.find(part, at)
        if where < 0:
            return (f"{part.decode(errors='replace')}\n(after byte {at})",)
        at = where + len(part)
    return ()


def lenient(case: Case) -> Iterator[Case]:
    """Yield the case in every variant that counts as right for a peer."""
    case = replace(case, restarted=None, within=2.0 if case.within < 1.0 else 1e9)
    if case.code == "none":
        case = replace(case, code="any")  # an exec has a status in cases where a shell has none
    if case.name == "unbalanced quote":
        case = replace(case, has=())  # shells word it differently
    if case.name == "setsid daemon with tty output":
        case = replace(case, has=("here\n",))  # peers may put the ticks elsewhere
    if case.name == "trap DEBUG/EXIT":
        case = replace(case, output=None, has=("x\n",))
    if case.name == "PATH=/nonexistent":
        case = replace(case, code="any")  # without a session, PATH is reset
    yield case
    if case.name in WAITING:
        yield replace(case, output=None, has=(), late=True)
    if case.name in ("less file", "vim", "kill -STOP $$"):
        # There may be no terminal, and tmux wakes a shell that was stopped.
        yield replace(case, output=None, has=(), late=False, code="any")


def _brief(reply: Reply) -> str:
    return str(reply.get("error") or output(reply)[-200:])[:300]

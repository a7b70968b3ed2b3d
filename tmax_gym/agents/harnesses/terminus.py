"""The harness `terminus2`: a model types into a tmux session by JSON in plain text, as Terminus 2.

Keystrokes are text or keys by their tmux names.  The model sees new output, or the whole screen of
a full-screen program, and must declare completion twice.  `pane.sh` does the typing,
`keystrokes.py` reads replies.  There are no XML replies and no summaries by other models.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Any

from tmax_gym.agents.client.pieces import content_text
from tmax_gym.agents.harness import SETUP, Action, FormatError, Message
from tmax_gym.agents.harnesses.keystrokes import LONGEST, Typed, understood
from tmax_gym.agents.harnesses.preparation import TERMINAL, need_tmux
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.errors import Unbuildable

MARGIN = 5.0
"""Seconds of a command's limit that are reserved for typing and reading the screen."""
_PANE = f"{TERMINAL}/pane"
_START = f"{_PANE} start && {_PANE} look"
_KEY = re.compile(r"[!-~]{1,32}")
"""A possible name of a key: tmux decides, as in Terminus 2.  The longest has below 30 letters."""
_CONTROL = "".join(chr(c) for c in range(1, 32) if chr(c) not in "\t\n") + "\x7f"
_RUNS = re.compile(r"\0|[\x01-\x08\x0b-\x1f\x7f]+|[^\0-\x08\x0b-\x1f\x7f]+")
"""Runs of pasted text and of control characters, which are typed: newer versions of tmux change
control characters that are pasted."""
_CONTROLS = 2_000
"""Most control characters in one command: tmux takes messages of 16 kB."""
_HEADERS = ("New Terminal Output:\n", "Current Terminal Screen:\n")

_RULES = """\
You work in a Linux terminal through tmux (160 x 40). You cannot see it while you write: after \
each reply you are shown what is new on it.

The task:
{instruction}

Reply with one JSON object and nothing else:
{{
  "analysis": "what the terminal shows and what is still to do",
  "plan": "what you do next, and why",
  "commands": [{{"keystrokes": "ls -la\\n", "duration": 0.5}}],
  "task_complete": false
}}

- Keystrokes are typed as they are. End a command with \\n, or it is not run.
- A key by its tmux name must stand alone, without \\n: "C-c", "C-d", "Escape", "Up".
- duration is how many seconds to wait after typing, at most {longest:g}. Short commands need 0.1, \
builds more; to go on waiting, send empty keystrokes.
- Nothing but what you type happens: there is no network and nobody who answers.
- When the task is done set task_complete to true. You will be asked once more; what the machine \
holds after that is graded.
"""
_AGAIN = (
    "Are you sure that the task is complete? What the machine holds now will be graded and you "
    "cannot go on. If so, reply once more with task_complete set to true."
)


class TerminusHarness:
    """Keystrokes, and the screen after them."""

    name = "terminus2"
    max_format_errors = sys.maxsize
    """Terminus 2 answers any number of unreadable replies: steps are the limit."""
    tools: tuple[Mapping[str, Any], ...] = ()
    prepare = staticmethod(need_tmux)

    def __init__(self, *, command_seconds: float = 30.0) -> None:
        """Take the limit of one command; longer waits are split into several commands."""
        self._most = max(1.0, command_seconds - MARGIN)
        self._sure = False
        self._lost = False
        """Whether the last command showed no screen: then the script is written again."""
        script = files(__package__).joinpath("pane.sh").read_text(encoding="utf-8")
        self._script = (
            f"mkdir -p {TERMINAL} && cat > {_PANE} <<'END_OF_PANE' && chmod 755 {_PANE}\n"
            f"{script}END_OF_PANE\n"
        )
        self.setup = f"{self._script}{_START}"

    def opening(self, instruction: str) -> tuple[Message, ...]:
        """Return one message with the rules and the task."""
        self._sure = self._lost = False
        text = _RULES.format(instruction=instruction, longest=LONGEST)
        return ({"role": "user", "content": text},)

    def parse(self, reply: Message) -> tuple[Action, ...] | FormatError:
        """Return the keys as commands, and the submission if completion was declared twice."""
        asked = understood(content_text(reply.get("content")))
        if asked.error:
            return FormatError(_listed(f"ERROR: {asked.error}", asked.warnings))
        confirmed = asked.complete and self._sure
        self._sure = asked.complete
        scripts = list(self._scripts(asked.commands))
        if self._lost:
            scripts[0] = self._script + scripts[0]
        note = _listed("", asked.warnings) if not asked.complete else ""
        # The question whether the task is complete comes with the effect of the last keys.
        tool = "complete" if asked.complete and not confirmed else "keys"
        actions = [Action(script, tool=tool, quiet=True) for script in scripts[:-1]]
        actions.append(Action(scripts[-1], tool=tool, note=note))
        return (*actions, Action(SUBMIT, tool="keys")) if confirmed else tuple(actions)

    def observe(self, action: Action, observation: str) -> str:
        """Return what is new on the terminal; raise `Unbuildable` if it did not start."""
        if action.tool == SETUP:
            see_terminal(observation)
        body = _body(observation)
        self._lost = not _shown(body)
        text = "\n".join(line.rstrip() for line in body.split("\n")).rstrip()
        if action.tool == "complete":
            return f"Current terminal state:\n{text}\n\n{_AGAIN}"
        if action.note:
            return f"Previous response had warnings:\n{action.note}\n\n{text}"
        return text

    def feedback(self, error: FormatError) -> str:
        """Return what is wrong, and what to do."""
        return (
            f"Previous response had parsing errors:\n{error.reason}\n\n"
            "Please fix these issues and provide a proper JSON response."
        )

    def _scripts(self, commands: Iterable[Typed]) -> Iterator[str]:
        """Yield shell code that types, in pieces within the time limit of a command."""
        code, waited = "", 0.0
        for command in commands:
            code += "".join(_typing(command.keystrokes))
            left = command.duration
            while waited + left > self._most:
                yield f"{code}sleep {self._most - waited:g}"
                left -= self._most - waited
                code, waited = "", 0.0
            if left:
                code += f"sleep {left:g}\n"
                waited += left
        yield f"{code}{_PANE} look"


def starts_terminal(command: str) -> bool:
    """Return whether a command starts the terminal of this harness."""
    return command.endswith(_START)


def see_terminal(observation: str) -> None:
    """Raise `Unbuildable` if the command that starts the terminal has not shown it."""
    body = _body(observation)
    if not _shown(body):
        raise Unbuildable(
            f"the terminal of the harness terminus2 did not start: {body[-500:]}\n"
            "Use an image in which tmux runs, or another harness."
        )


def _body(observation: str) -> str:
    return re.sub(r"\n\n\(exit_code=\w+\)$", "", observation)


def _shown(body: str) -> bool:
    return any(header in body for header in _HEADERS)


def _typing(keys: str) -> Iterator[str]:
    """Yield shell lines that type a text as it is, or press the key of that name."""
    if _KEY.fullmatch(keys):
        yield f"{_PANE} keys {shlex.quote(keys)}\n"
        return
    for run in _RUNS.findall(keys):
        if run == "\0":
            yield f"{_PANE} keys C-Space\n"
        elif run[0] in _CONTROL:
            for at in range(0, len(run), _CONTROLS):
                yield f"{_PANE} keys {_quoted(run[at : at + _CONTROLS])} -l\n"
        else:
            yield f"printf %s {shlex.quote(run)} | {_PANE} text\n"


def _quoted(controls: str) -> str:
    """Return control characters as a word of bash that is readable in a log."""
    return "$'" + "".join(f"\\x{ord(c):02x}" for c in controls) + "'"


def _listed(error: str, warnings: Iterable[str]) -> str:
    """Return an error and warnings as Terminus 2 lists them."""
    listed = "\n".join(f"- {warning}" for warning in warnings)
    parts = [error] if error else []
    if listed:
        parts.append(f"WARNINGS: {listed}")
    return "\n".join(parts)

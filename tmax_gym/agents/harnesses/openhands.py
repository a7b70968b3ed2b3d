"""The harness `openhands`: the tools `terminal`, `file_editor`, `think` and `finish`.

A reply may have several calls.  There is no browser, and no input for a program that waits for it.
The editor needs python3 in the image.
"""

from __future__ import annotations

import base64
import json
import shlex
import zlib
from collections.abc import Mapping
from typing import Any

from tmax_gym.agents.harness import MAX_FORMAT_ERRORS, Action, FormatError, Message
from tmax_gym.agents.harnesses.commands import checked_command
from tmax_gym.agents.harnesses.preparation import need_python
from tmax_gym.agents.harnesses.tools import Call, calls, tool
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.grading import drivers

_SYSTEM = """\
You are an agent that solves tasks on a Linux machine with the tools that you are given. Look \
before you change; make small steps; run what you made and check what it does. Use terminal for \
commands and file_editor for reading and changing files. Nobody answers questions: decide \
yourself. When the whole task is done and checked, call finish: what the machine then holds is \
graded."""

_EDITOR = "import base64,zlib;exec(zlib.decompress(base64.b64decode("
"""The beginning of the program in each command of the editor."""
_FAILED = "[An error occurred during execution.]\n"

TOOLS = (
    tool(
        "terminal",
        "Run a command in one persistent bash. A command that takes too long is stopped; put "
        "servers into the background. Nothing can be typed into a program.",
        command=("string", "What bash runs; may span lines.", True),
    ),
    tool(
        "file_editor",
        "View and change text files. old_str must occur exactly once.",
        command=("string", "view, create, str_replace, insert or undo_edit.", True),
        path=("string", "Absolute path of a file, or of a directory to view.", True),
        file_text=("string", "For create: the whole content.", False),
        old_str=("string", "For str_replace: what is replaced.", False),
        new_str=("string", "For str_replace and insert: what is put there.", False),
        insert_line=(
            "integer",
            "For insert: the line after which it is put; 0 for the top.",
            False,
        ),
        view_range=("array", "For view: first and last line; -1 for the end.", False),
    ),
    tool("think", "Write a thought down; nothing happens.", thought=("string", "It.", True)),
    tool("finish", "End: the task is done.", message=("string", "What was done.", False)),
)


class OpenHandsHarness:
    """Any number of tool calls in each reply."""

    name = "openhands"
    max_format_errors = MAX_FORMAT_ERRORS
    tools: tuple[Mapping[str, Any], ...] = TOOLS
    setup = ""
    prepare = staticmethod(need_python)

    def __init__(self) -> None:
        packed = base64.b64encode(zlib.compress(drivers.source("editor").encode(), 9)).decode()
        self._editor = f'{_EDITOR}"{packed}")))'

    def opening(self, instruction: str) -> tuple[Message, ...]:
        """Return the system message and the task."""
        return (
            {"role": "system", "content": _SYSTEM},
            {"role": "user", "content": instruction},
        )

    def parse(self, reply: Message) -> tuple[Action, ...] | FormatError:
        """Return an action for each call, up to the one that submits."""
        called = calls(reply)
        if isinstance(called, FormatError):
            return called
        actions: list[Action] = []
        for call in called:
            action = self._of_call(call)
            if isinstance(action, FormatError):
                return action
            actions += action
            if actions[-1].submits:
                break
        return tuple(actions) or FormatError("The reply calls no tool.")

    def observe(self, action: Action, observation: str) -> str:
        """Return the output of a tool."""
        body, _, status = observation.rpartition("\n\n(exit_code=")
        if not body:
            return observation
        if action.tool == "file_editor":
            # OpenHands marks errors in this way.
            return body.replace("ERROR: ", _FAILED, 1) if body.startswith("ERROR: ") else body
        return f"{body}\n[The command finished with exit code {status.rstrip(')')}.]"

    def feedback(self, error: FormatError) -> str:
        """Return the reason and the tools."""
        return f"{error.reason}\nCall one of the tools: terminal, file_editor, think, finish."

    def _of_call(self, call: Call) -> tuple[Action] | FormatError:
        facts: dict[str, Any] = {"call_id": call.id, "tool": call.name}
        if call.name == "finish":
            return (Action(SUBMIT, **facts),)
        if call.name == "think":
            return (Action(answer="(noted)", **facts),)
        if call.name == "file_editor":
            return (Action(self._edit(call.arguments), **facts),)
        if call.name != "terminal":
            return FormatError(f"There is no tool {call.name!r}.")
        return checked_command(call.arguments.get("command"), **facts)

    def _edit(self, arguments: Mapping[str, Any]) -> str:
        """Return the editing command; it reads its job from standard input, which has no limit."""
        job = shlex.quote(json.dumps(dict(arguments)))
        return f"printf %s {job} | python3 -I -c {shlex.quote(self._editor)}"


def edits(command: str) -> bool:
    """Return whether a command was made by the file editor."""
    return _EDITOR in command

"""Play scripted tool calls with OpenHands' own tools.

Reads and writes JSON lines.  For each conversation: reads {"place": directory, "calls": [[tool,
arguments], ...]} and writes {"told": [...]}: the message to the model after each call.  Needs
Python 3.12 and the packages openhands-tools and openhands-sdk, both of the same version.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from typing import Any

os.environ["OPENHANDS_SUPPRESS_BANNER"] = "1"
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
HOME = tempfile.TemporaryDirectory()
os.environ["HOME"] = HOME.name  # without the start files of this host's user
OUT = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what the packages print must not mix with answers

from openhands.sdk.tool.builtins.think import ThinkAction, ThinkExecutor  # noqa: E402
from openhands.tools.file_editor.definition import FileEditorAction  # noqa: E402
from openhands.tools.file_editor.impl import FileEditorExecutor  # noqa: E402
from openhands.tools.terminal.definition import TerminalAction  # noqa: E402
from openhands.tools.terminal.impl import TerminalExecutor  # noqa: E402
from openhands.tools.terminal.terminal.tmux_terminal import TmuxTerminal  # noqa: E402

PROMPT = ("###PS1JSON###", "###PS1END###")
_clear = TmuxTerminal.clear_screen


def clear_screen(terminal: TmuxTerminal) -> None:
    """Clear a pane and wait until it shows a prompt and nothing else.

    The original waits a tenth of a second, even for a shell that is just starting: on a busy
    machine it would take its own setup for the output of the first command.
    """
    _clear(terminal)
    begin, end = PROMPT
    still = 0
    for _ in range(200):
        terminal.pane.cmd("clear-history")
        screen = terminal.read_screen().strip()
        ready = screen.startswith(begin) and screen.endswith(end) and screen.count(begin) == 1
        still = still + 1 if ready else 0
        if still == 5:
            return
        time.sleep(0.05)


TmuxTerminal.clear_screen = clear_screen


def play(place: str, calls: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Make the calls of a conversation; return the message to the model after each."""
    terminal = TerminalExecutor(working_dir=place, terminal_type="tmux")
    tools: dict[str, Any] = {
        "file_editor": (FileEditorAction, FileEditorExecutor(workspace_root=place)),
        "terminal": (TerminalAction, terminal),
        "think": (ThinkAction, ThinkExecutor()),
    }
    messages = []
    for name, arguments in calls:
        action, executor = tools[name]
        try:
            result = executor(action(**arguments))
        except ValueError as error:
            messages.append(f"[An error occurred during execution.]\n{error}")
            continue
        messages.append("".join(part.text for part in result.to_llm_content if part.type == "text"))
    terminal.close()
    return messages


def main() -> int:
    """Play conversations until the input ends."""
    while line := sys.stdin.readline():
        request = json.loads(line)
        OUT.write(json.dumps({"told": play(request["place"], request["calls"])}) + "\n")
        OUT.flush()
    HOME.cleanup()
    os._exit(0)  # the threads of a terminal would keep it running


if __name__ == "__main__":
    sys.exit(main())

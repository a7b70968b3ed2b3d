"""Plays scripted tool calls with OpenHands' own tools.

Speaks JSON lines.  For each conversation: reads {"place": directory, "calls": [[tool, arguments],
...]} and writes {"told": [...]}: what the model is told of each call.  Needs Python 3.12 and the
packages openhands-tools and openhands-sdk, both of the same version.
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
os.environ["HOME"] = HOME.name  # what this host's user starts with every shell is no part of it
OUT = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever the packages print is no answer

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

    The original waits a tenth of a second, also for a shell that is only starting: on a busy
    machine it would take its own preparations for the output of the first command.
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
    """Do the calls of a conversation; return what a model is told of each."""
    terminal = TerminalExecutor(working_dir=place, terminal_type="tmux")
    tools: dict[str, Any] = {
        "file_editor": (FileEditorAction, FileEditorExecutor(workspace_root=place)),
        "terminal": (TerminalAction, terminal),
        "think": (ThinkAction, ThinkExecutor()),
    }
    told = []
    for name, arguments in calls:
        action, executor = tools[name]
        try:
            seen = executor(action(**arguments))
        except ValueError as error:
            told.append(f"[An error occurred during execution.]\n{error}")
            continue
        told.append("".join(part.text for part in seen.to_llm_content if part.type == "text"))
    terminal.close()
    return told


def main() -> int:
    """Play what is asked, until nothing is asked any more."""
    while line := sys.stdin.readline():
        asked = json.loads(line)
        OUT.write(json.dumps({"told": play(asked["place"], asked["calls"])}) + "\n")
        OUT.flush()
    HOME.cleanup()
    os._exit(0)  # a terminal's threads would hold it


if __name__ == "__main__":
    sys.exit(main())

"""Plays scripted tool calls with OpenHands' own tools, in the directory that is its argument.

Reads {"calls": [[tool, arguments], ...]} and writes {"told": [...]}: what the model is told of
each call.  Needs Python 3.12 and the package openhands-tools.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

os.environ["OPENHANDS_SUPPRESS_BANNER"] = "1"
OUT = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever the packages print is no answer

from openhands.sdk.tool.builtins.think import ThinkAction, ThinkExecutor  # noqa: E402
from openhands.tools.file_editor.definition import FileEditorAction  # noqa: E402
from openhands.tools.file_editor.impl import FileEditorExecutor  # noqa: E402
from openhands.tools.terminal.definition import TerminalAction  # noqa: E402
from openhands.tools.terminal.impl import TerminalExecutor  # noqa: E402


def main() -> int:
    """Do all calls; print what came of them."""
    place = sys.argv[1]
    tools: dict[str, Any] = {
        "file_editor": (FileEditorAction, FileEditorExecutor(workspace_root=place)),
        "terminal": (TerminalAction, TerminalExecutor(working_dir=place)),
        "think": (ThinkAction, ThinkExecutor()),
    }
    told = []
    for name, arguments in json.load(sys.stdin)["calls"]:
        action, executor = tools[name]
        try:
            seen = executor(action(**arguments))
        except ValueError as error:
            told.append(f"[An error occurred during execution.]\n{error}")
            continue
        told.append("".join(part.text for part in seen.to_llm_content if part.type == "text"))
    OUT.write(json.dumps({"told": told}) + "\n")
    OUT.flush()
    os._exit(0)  # a terminal's threads would hold it


if __name__ == "__main__":
    sys.exit(main())

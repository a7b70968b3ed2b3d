"""Play scripted replies with Harbor's own Terminus 2; our process runs its commands.

Reads and writes JSON lines.  For each conversation: reads {"replies": [...]}, writes {"exec":
command} and reads {"code", "out", "err"} or {"failure"}, and ends with {"told": [...], "error":
text}: the messages to the model.  Needs Python 3.12 and the package harbor.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

from harbor.agents.terminus_2.terminus_2 import Terminus2
from harbor.environments.base import ExecResult
from harbor.llms.base import BaseLLM, LLMResponse
from harbor.models.agent.context import AgentContext

LINES = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what the packages print must not mix with our lines


def say(row: dict[str, Any]) -> None:
    """Write a line."""
    LINES.write(json.dumps(row) + "\n")
    LINES.flush()


class Ended(Exception):
    """All replies were used."""


class Scripted(BaseLLM):  # type: ignore[misc]
    """A model with fixed replies."""

    def __init__(self, replies: list[str]) -> None:
        super().__init__()
        self.replies = replies
        self.told: list[str] = []

    async def call(self, prompt: str, **_: Any) -> LLMResponse:
        """Return the next reply."""
        self.told.append(prompt)
        if len(self.told) > len(self.replies):
            raise Ended
        return LLMResponse(content=self.replies[len(self.told) - 1])

    def get_model_context_limit(self) -> int:
        """Return a limit that is never reached."""
        return 1_000_000

    def get_model_output_limit(self) -> int | None:
        """Return None: there is no limit."""
        return None


class Machine:
    """The parts of a Harbor environment that Terminus 2 uses."""

    default_user = None
    session_id = "original"

    async def exec(self, command: str, **_: Any) -> ExecResult:
        """Let the other process run a command."""
        say({"exec": command})
        row = json.loads(sys.stdin.readline())
        if "failure" in row:
            raise ValueError(row["failure"])
        return ExecResult(stdout=row["out"], stderr=row["err"], return_code=row["code"])


async def play(replies: list[str]) -> dict[str, Any]:
    """Return the messages to the model, and the error of the agent."""
    model = Scripted(replies)
    error = ""
    with tempfile.TemporaryDirectory() as place:
        agent = Terminus2(
            logs_dir=Path(place),
            model_name="openai/scripted",
            enable_summarize=False,
            record_terminal_session=False,
            suppress_max_turns_warning=True,
        )
        agent._llm = model
        machine = Machine()
        machine.trial_paths = SimpleNamespace(agent_dir=Path(place))  # type: ignore[attr-defined]
        try:
            await agent.setup(machine)
            await agent.run("The task.", machine, AgentContext())
        except Ended:
            pass
        except Exception as failure:
            error = f"{type(failure).__name__}: {failure}"
    # It asks again after the model has failed; that message is left out.
    return {"told": model.told[: len(replies) + 1], "error": error}


if __name__ == "__main__":
    while line := sys.stdin.readline():
        say(asyncio.run(play(json.loads(line)["replies"])))

"""A harness of one's own: the model answers with JSON, and is shown the last lines of an output."""

import json
from collections.abc import Mapping
from typing import Any

from tmax_gym import SUBMIT, Action, ChatAgent, Completion, FormatError, catalogue, rollout

RULES = (
    'Reply with JSON alone: {"run": "a bash command"}, or {"done": true} when you have finished.'
)


class JsonHarness:
    """One JSON object a reply."""

    name = "json"
    tools = ()  # nothing for the chat interface's `tools`
    setup = ""  # no command before the first reply
    max_format_errors = 3

    def opening(self, instruction: str) -> tuple[Mapping[str, Any], ...]:
        """Return the messages before the first reply."""
        return (
            {"role": "system", "content": RULES},
            {"role": "user", "content": instruction},
        )

    def parse(self, message: Mapping[str, Any]) -> tuple[Action, ...] | FormatError:
        """Return what a reply asks for, or why that cannot be told."""
        try:
            reply = json.loads(message["content"])
        except ValueError:
            return FormatError("The reply is not JSON.")
        if reply.get("done"):
            return (Action(SUBMIT),)
        return (Action(reply["run"]),) if "run" in reply else FormatError("No `run`.")

    def observe(self, action: Action, observation: str) -> str:
        """Return what the model is told about an action that ran."""
        return observation[-2000:]

    def feedback(self, error: FormatError) -> str:
        """Return what the model is told about a reply without an action."""
        return f"{error.reason} {RULES}"


REPLIES = ["Let me look.", '{"run": "ls"}', '{"run": "mv clos* reader_requests.log"}',
           '{"done": true}']  # fmt: skip


class ScriptedModel:
    """Stands for a model. A real one: Client(Connection("http://localhost:8000/v1", "NAME"))."""

    def __init__(self) -> None:
        self.replies = list(REPLIES)

    def __call__(self, messages: Any, *, tools: Any, seed: int, max_tokens: int) -> Completion:
        """Return the next message."""
        message = {"role": "assistant", "content": self.replies.pop(0)}
        return Completion(message, finish="stop")


agent = ChatAgent(ScriptedModel(), JsonHarness())
trajectory = rollout(catalogue.load("bulk-rename.archive-0030"), agent)
for message in agent.messages[2:]:
    print(f"{message['role']}: {message['content']}")
print(trajectory.ending, trajectory.reward)

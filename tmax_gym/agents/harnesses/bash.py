"""The harness `bash` of the TMax paper: every reply holds one command for bash.

A command is a tool call of the OpenAI chat interface, or Hermes JSON, Qwen3 XML or a fenced block
in the text; only the first command of a reply counts.  The only chat template is ChatML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from tmax_gym.agents.client.pieces import content_text
from tmax_gym.agents.harness import MAX_FORMAT_ERRORS, Action, FormatError, Message, Segment
from tmax_gym.agents.harnesses.commands import checked_command
from tmax_gym.agents.harnesses.tools import Call, calls, read_call, tool
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.errors import HarnessError

Dialect = Literal["openai", "hermes", "qwen3", "fenced"]

TOOL = tool(
    "bash",
    "Run a command in the persistent bash session and return its output.",
    command=("string", "What bash runs; may span lines.", True),
)
_EXAMPLES: Mapping[str, str] = {
    "openai": "a call of the tool `bash`",
    "hermes": '<tool_call>\n{"name": "bash", "arguments": {"command": "ls -la"}}\n</tool_call>',
    "qwen3": (
        "<tool_call>\n<function=bash>\n<parameter=command>\nls -la\n</parameter>\n"
        "</function>\n</tool_call>"
    ),
    "fenced": "```bash\nls -la\n```",
}

_SYSTEM = """\
You work in a Linux terminal. Each of your replies consists of a short line of reasoning and \
then exactly one command for bash, written as

{example}

A reply with no command is refused; of several commands only the first runs."""

_RULES = """\
{instruction}

How this terminal works:
- One bash session lasts for the whole task: the directory, variables and functions that you set \
stay. It starts in /app.
- A command that takes longer than {seconds:g} seconds is stopped. Put servers into the \
background.
- Nobody can type: commands that ask questions read an empty input. There is no network.
- Long output is cut in the middle.

A way of working that serves well: look at what is there; try things out in small steps; make \
the change; check the result by running it; think of unusual inputs; then submit.

When the task is done, submit with this command and nothing beside it:
{submit}
Nothing runs afterwards; what the machine then holds is graded."""

_REFUSED = """\
{reason}
Reply with exactly one bash command, written as

{example}

To submit the finished task, the command is: {submit}"""

_XML = re.compile(
    r"<function=bash>\s*<parameter=command>\n?(.*?)\n?</parameter>\s*</function>", re.DOTALL
)
_FENCE = re.compile(r"^(`{3,})(?:bash|sh)[ \t]*\n(.*?)^\1[ \t]*$", re.DOTALL | re.MULTILINE)


class BashHarness:
    """One call of bash in each turn."""

    name = "bash"
    setup = ""
    stop = Segment("<|im_end|>", control=True)

    def __init__(
        self,
        dialect: Dialect = "hermes",
        *,
        command_seconds: float = 30.0,
        thinking: bool = False,
        max_format_errors: int = MAX_FORMAT_ERRORS,
    ) -> None:
        """Choose how calls are written, and the time limit that the rules name.

        With `thinking`, `render` opens a `<think>` block in which the reply begins.
        """
        if dialect not in get_args(Dialect):
            raise HarnessError(
                f"the bash harness has no dialect {dialect!r}; use one of: "
                + ", ".join(get_args(Dialect))
            )
        self.dialect = dialect
        self.command_seconds = command_seconds
        self.thinking = thinking
        self.max_format_errors = max_format_errors
        self.tools: tuple[Mapping[str, Any], ...] = (TOOL,) if dialect == "openai" else ()

    def opening(self, instruction: str) -> tuple[Message, ...]:
        """Return the system message, and the task with the rules."""
        rules = _RULES.format(instruction=instruction, seconds=self.command_seconds, submit=SUBMIT)
        system = _SYSTEM.format(example=_EXAMPLES[self.dialect])
        return {"role": "system", "content": system}, {"role": "user", "content": rules}

    def parse(self, reply: Message) -> tuple[Action, ...] | FormatError:
        """Return the first call's command, or why there is none."""
        if self.dialect == "openai":
            rows = reply.get("tool_calls")
            called = calls({"tool_calls": rows[:1] if isinstance(rows, list | tuple) else rows})
            if isinstance(called, FormatError):
                return called
            return _from_call(called[0]) if called else _nothing()
        text = self._spoken(content_text(reply.get("content")))
        if text is None:
            return FormatError("The reply ended before its reasoning did.")
        if self.dialect == "fenced":
            block = _FENCE.search(text)
            return checked_command(block[2].removesuffix("\n")) if block else _nothing()
        if self.dialect == "qwen3":
            call = _XML.search(text)
            return checked_command(call[1]) if call else _nothing()
        return _from_json(text)

    def observe(self, action: Action, observation: str) -> str:
        """Return the observation as it is."""
        return observation

    def feedback(self, error: FormatError) -> str:
        """Return the reason, an example and how to submit."""
        example = _EXAMPLES[self.dialect]
        return _REFUSED.format(reason=error.reason, example=example, submit=SUBMIT)

    def say(self, command: str) -> str:
        """Return a call of `command`."""
        if self.dialect == "fenced":
            fence = "```"
            while any(line.startswith(fence) for line in command.split("\n")):
                fence += "`"
            return f"{fence}bash\n{command}\n{fence}"
        if self.dialect == "qwen3":
            if re.search(r"</parameter>\s*</function>", command):
                raise HarnessError("the qwen3 dialect cannot say a command that closes its own tag")
            return (
                f"<tool_call>\n<function=bash>\n<parameter=command>\n{command}\n</parameter>\n"
                "</function>\n</tool_call>"
            )
        call = {"name": "bash", "arguments": {"command": command}}
        return f"<tool_call>\n{json.dumps(call, ensure_ascii=False)}\n</tool_call>"

    def render(self, messages: Sequence[Message], *, cut: bool = False) -> tuple[Segment, ...]:
        """Return the messages in ChatML, and the opening of the reply."""
        start, end = Segment("<|im_start|>", control=True), self.stop
        out: list[Segment] = [end] if cut else []
        for message in messages:
            role, text = message["role"], str(message["content"])
            if role != "system":
                # What follows a reply begins on a new line, as in the published templates.
                out.append(Segment("\n"))
            if role == "tool":
                role, text = "user", f"<tool_response>\n{text}\n</tool_response>"
            out += [start, Segment(f"{role}\n"), Segment(text), end]
        out += [Segment("\n"), start, Segment("assistant\n")]
        if self.thinking:
            out += [Segment("<think>", control=True), Segment("\n")]
        return tuple(out)

    def _spoken(self, reply: str) -> str | None:
        """Return the reply without its reasoning, or None if the reasoning does not end."""
        if self.thinking or reply.lstrip().startswith("<think>"):
            _, closed, rest = reply.partition("</think>")
            return rest if closed else None
        return reply


def _nothing() -> FormatError:
    return FormatError("The reply holds no bash command.")


def _from_json(text: str) -> tuple[Action, ...] | FormatError:
    """Return the first Hermes call; JSON decoding finds its end, whatever tags a command holds."""
    _, tag, rest = text.partition("<tool_call>")
    if not tag:
        return _nothing()
    try:
        function, end = json.JSONDecoder().raw_decode(rest.lstrip())
    except (ValueError, RecursionError):
        return FormatError("The text after <tool_call> is not a JSON object.")
    if not rest.lstrip()[end:].lstrip().startswith("</tool_call>"):
        return FormatError("The call is not closed with </tool_call>.")
    call = read_call(function)
    return call if isinstance(call, FormatError) else _from_call(call)


def _from_call(call: Call) -> tuple[Action, ...] | FormatError:
    if call.name != "bash":
        return FormatError("There is only one tool, and its name is bash.")
    if "command" not in call.arguments:
        return FormatError("The call needs the argument `command`.")
    return checked_command(call.arguments["command"], call_id=call.id)

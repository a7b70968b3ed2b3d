"""The text between a chat request and the policy: ChatML around it, and tool calls in replies.

Messages are written as the harness `bash` writes them, so that a policy reads the same tokens in
training with and without the endpoint.  Tools and calls are written as the published templates of
Qwen3 (`hermes`) and Qwen3.5 (`qwen3`) write them.  Reasoning that a harness sends back with old
replies is left out, as in those templates; reasoning in recorded ids stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tmax_gym.agents.harness import FormatError, Segment
from tmax_gym.agents.harnesses.bash import BashHarness
from tmax_gym.agents.harnesses.tools import read_call
from tmax_trainers.capture.requests import Message

Kind = Literal["hermes", "qwen3"]

_TOOLS: Mapping[str, str] = {
    # The chat template of Qwen3.
    "hermes": """\
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{tools}
</tools>

For each function call, return a json object with function name and arguments within \
<tool_call></tool_call> XML tags:
<tool_call>
{{"name": <function-name>, "arguments": <args-json-object>}}
</tool_call>""",
    # The chat template of Qwen3.5.
    "qwen3": """\
# Tools

You have access to the following functions:

<tools>
{tools}
</tools>

If you choose to call a function ONLY reply in the following format with NO suffix:

<tool_call>
<function=example_function_name>
<parameter=example_parameter_1>
value_1
</parameter>
<parameter=example_parameter_2>
This is the value for the second parameter
that can span
multiple lines
</parameter>
</function>
</tool_call>

<IMPORTANT>
Reminder:
- Function calls MUST follow the specified format: an inner <function=...></function> block must \
be nested within <tool_call></tool_call> XML tags
- Required parameters MUST be specified
- You may provide optional reasoning for your function call in natural language BEFORE the \
function call, but NOT after
- If there is no function call available, answer the question like normal with your current \
knowledge and do not tell the user about function calls
</IMPORTANT>""",
}
_XML = re.compile(
    r"<tool_call>\s*<function=([^>\n]+)>\s*(.*?)\s*</function>\s*</tool_call>", re.DOTALL
)
_PARAMETER = re.compile(r"<parameter=([^>\n]+)>\n?(.*?)\n?</parameter>", re.DOTALL)
_CALL = "<tool_call>"
_BLANKS = re.compile(r"\s*")
_NEWLINE = Segment("\n")


@dataclass(frozen=True, slots=True)
class Reply:
    """A sampled turn as the harness gets it."""

    text: str
    calls: tuple[tuple[str, str], ...] = ()
    """Names and arguments (JSON)."""
    reasoning: str = ""

    def message(self) -> Message:
        """Return the message that a harness sends back with its next request."""
        return Message("assistant", self.text, self.calls)


class Dialect:
    """Renders messages for a policy, and reads its replies.

    Args:
        kind: How tool calls are written.
        thinking: Whether replies begin inside a thinking block.
    """

    def __init__(self, kind: Kind = "qwen3", *, thinking: bool = False) -> None:
        self._kind: Kind = kind
        self._thinking = thinking
        self._chat = BashHarness(kind, thinking=thinking)
        self.stop = self._chat.stop
        """The end of a reply; the last token that the policy samples in a turn."""
        self.opening: tuple[Segment, ...] = self._chat.render(())
        """The text between the last message and the reply."""

    def whole(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]
    ) -> Iterator[tuple[Message, tuple[Segment, ...]]]:
        """Yield every message of a new prompt with its text; tools join the system message."""
        rows = list(messages)
        if tools:
            listed = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
            text = _TOOLS[self._kind].format(tools=listed)
            if rows[0].role == "system":
                first = rows.pop(0).text
                parts = (first, text) if self._kind == "hermes" else (text, first)
                text = "\n\n".join(part for part in parts if part)
            rows.insert(0, Message("system", text))
        for place, message in enumerate(rows):
            segments = self._written(message)
            yield message, segments if place else segments[1:]

    def more(
        self, messages: Sequence[Message], *, cut: bool
    ) -> Iterator[tuple[Message | None, tuple[Segment, ...]]]:
        """Yield messages that follow a recorded reply; `cut` if its end is missing."""
        if cut:
            yield None, (self.stop,)
        for message in messages:
            yield message, self._written(message)

    def read(self, text: str, *, tools: Sequence[Mapping[str, Any]] = (), cut: bool) -> Reply:
        """Return the reply in a sampled text.

        A call that cannot be read stays text, as on other servers; so do all calls of a reply that
        was cut off, and those to a harness without tools.
        """
        reasoning, text = self._thought(text)
        if cut or not tools:
            return Reply(text, reasoning=reasoning)
        calls = _hermes(text) if self._kind == "hermes" else _xml(text, tools)
        if not calls:
            return Reply(text, reasoning=reasoning)
        return Reply(text.partition(_CALL)[0], calls, reasoning)

    def _thought(self, text: str) -> tuple[str, str]:
        """Return the reasoning of a reply and the rest."""
        if not self._thinking:
            return "", text
        reasoning, closed, rest = text.partition("</think>")
        return (reasoning.strip(), rest.lstrip("\n")) if closed else (reasoning, "")

    def _written(self, message: Message) -> tuple[Segment, ...]:
        """Return the text of a message after another one."""
        calls = "\n".join(self._call(name, arguments) for name, arguments in message.calls)
        text = "\n".join(part for part in (message.text, calls) if part)
        segments = self._chat.render(({"role": message.role, "content": text},))
        own = segments[: len(segments) - len(self.opening)]
        return own if own[0] == _NEWLINE else (_NEWLINE, *own)

    def _call(self, name: str, arguments: str) -> str:
        if self._kind == "hermes":
            call = f'{{"name": {json.dumps(name)}, "arguments": {arguments}}}'
            return f"{_CALL}\n{call}\n</tool_call>"
        known = read_call({"name": name, "arguments": arguments})
        given = {"arguments": arguments} if isinstance(known, FormatError) else known.arguments
        rows = "".join(
            f"<parameter={key}>\n{value if isinstance(value, str) else json.dumps(value)}\n"
            "</parameter>\n"
            for key, value in given.items()
        )
        return f"<tool_call>\n<function={name}>\n{rows}</function>\n</tool_call>"


def _hermes(text: str) -> tuple[tuple[str, str], ...]:
    """Return the calls in Hermes JSON, or none if one of them cannot be read."""
    calls, decoder, end = [], json.JSONDecoder(), 0
    while (begin := text.find(_CALL, end)) >= 0:
        # Decoding finds the end of the object, whatever tags its strings hold.
        try:
            blanks = _BLANKS.match(text, begin + len(_CALL))
            function, end = decoder.raw_decode(text, blanks.end() if blanks else begin)
        except (ValueError, RecursionError):
            return ()
        call = read_call(function)
        if isinstance(call, FormatError):
            return ()
        calls.append((call.name, json.dumps(dict(call.arguments), ensure_ascii=False)))
    return tuple(calls)


def _xml(text: str, tools: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    """Return the calls in XML; values of parameters that are no strings are read as JSON."""
    functions = [tool.get("function") or {} for tool in tools]
    kinds = {
        (function.get("name"), key): schema.get("type")
        for function in functions
        for key, schema in ((function.get("parameters") or {}).get("properties") or {}).items()
        if isinstance(schema, Mapping)
    }
    calls = []
    for found in _XML.finditer(text):
        name = found[1].strip()
        arguments = {
            key: value if kinds.get((name, key), "string") == "string" else _value(value)
            for key, value in _PARAMETER.findall(found[2])
        }
        calls.append((name, json.dumps(arguments, ensure_ascii=False)))
    return tuple(calls)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text

"""The agent of every style: a conversation with a model, in a terminal.

Covers several calls in one reply, replies that cannot be read, the room of the context window,
and an event for everything that happens.  Does not cover what is said: that is the style's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tmax_gym.agents.agent import Ground, Prepared, Turn
from tmax_gym.agents.client.client import Completion, ContextFull, Model, Spent
from tmax_gym.agents.harness import MAX_FORMAT_ERRORS, FormatError, content_text
from tmax_gym.agents.harnesses import window as windows
from tmax_gym.agents.harnesses.style import Act, Style
from tmax_gym.agents.harnesses.window import Window
from tmax_gym.agents.model_agents import turn_seed
from tmax_gym.envs.observation import SUBMIT
from tmax_gym.trajectory import Ending

Log = Callable[..., None]
"""Takes an event's name and its facts by keyword, as `EventLog.add` does."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a conversation may use."""

    window: Window = field(default_factory=Window)
    steps: int | None = None
    """Of the episode, for notices; None where nobody knows."""
    max_format_errors: int = MAX_FORMAT_ERRORS


def _no_log(event: str, **facts: object) -> None:
    """Record nothing."""


class DialogueAgent:
    """A model in a style; plays one episode at a time."""

    def __init__(
        self, model: Model, style: Style, *, rules: Rules | None = None, log: Log | None = None
    ) -> None:
        """Choose a model.

        Args:
            model: Answers.
            style: What it is told, and what its replies mean.
            rules: Room and steps.
            log: Gets `model`, `command`, `format_error`, `compacted`, `context_full`, `submit`.
        """
        self.name = style.name
        self.spent = Spent()
        """All that was asked for since the agent was made: a repeated episode was paid for."""
        self._model = model
        self._style = style
        self._rules = rules or Rules()
        self._log: Log = log or _no_log
        self.reset("", seed=0)

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin with the opening messages."""
        self._messages: list[Mapping[str, Any]] = list(self._style.opening(instruction))
        self._seed = seed
        self._window = self._rules.window
        self._asked = 0
        self._steps = 0
        self._errors = 0
        self._known = (0, 0)
        """Tokens that the endpoint counted, and for how many messages."""
        self._queue: list[Act] = []
        self._running: Act | None = None
        self._opening = self._style.first

    def prepare(self, ground: Ground) -> None:
        """Let the style see to what it needs of the machine, before the first turn."""
        if isinstance(self._style, Prepared):
            self._style.prepare(ground)

    @property
    def tokens(self) -> None:
        """Return None: a chat interface hides its tokens."""
        return None

    @property
    def messages(self) -> tuple[Mapping[str, Any], ...]:
        """Return the conversation so far."""
        return tuple(self._messages)

    def act(self, observation: str) -> Turn:
        """Return the next turn."""
        if self._running is not None:
            running, self._running = self._running, None
            self._hear(running, observation)
        if self._opening:
            first, self._opening = self._opening, ""
            self._running = Act(command=first, tool="first")
            return self._turn(Act(command=first))
        if self._queue:
            return self._do(self._queue.pop(0), reply="")
        return self._ask()

    def _hear(self, act: Act, observation: str) -> None:
        """Tell the model what came of an act."""
        if act.submit:  # a task of several steps goes on
            self._tell(act, "(submitted)")
            self._messages.append({"role": "user", "content": f"The next part:\n\n{observation}"})
            self._opening = self._style.first  # programs of the part before are gone
            return
        text = self._style.render(act, observation)
        if act.quiet:
            return
        if act.tool == "first":  # part of the last message: some endpoints want roles to alternate
            last = self._messages[-1]
            self._messages[-1] = {**last, "content": f"{last['content']}\n\n{text}"}
            return
        left = None if self._rules.steps is None else self._rules.steps - self._steps
        used = self._used() + len(text) // 3
        if scarce := windows.notice(self._window, used=used, steps_left=left):
            text = f"{text}\n\n{scarce}"
        self._tell(act, text)

    def _tell(self, act: Act, text: str) -> None:
        if act.call_id:
            row = {"role": "tool", "tool_call_id": act.call_id, "content": text}
        else:
            row = {"role": "user", "content": text}
        self._messages.append(row)

    def _used(self) -> int:
        known, counted = self._known
        return windows.total(self._messages, known=known, counted=counted)

    def _ask(self) -> Turn:
        completion = self._completion()
        if completion is None:
            self._log("context_full", turn=self._asked, tokens=self._used())
            return Turn(ending=Ending.CONTEXT_LIMIT)
        message = dict(completion.message)
        text = content_text(message.get("content"))
        message.pop("reasoning_content", None)  # not sent back: servers differ about it
        cut = completion.finish == "length"
        found = (
            FormatError("The reply was too long and was cut off: say less, act sooner.")
            if cut
            else self._style.parse(message)
        )
        if isinstance(found, FormatError):
            return self._refused(found, text)
        self._errors = 0
        self._said(message, [act.call_id for act in found if act.call_id])
        self._queue = list(found)
        return self._do(self._queue.pop(0), reply=text)

    def _completion(self) -> Completion | None:
        """Return the model's next message; None where the window is full."""
        for _ in range(3):
            room = self._window.room(self._used())
            if not room and not self._compact():
                return None
            room = room or self._window.room(self._used())
            if not room:
                return None
            try:
                found = self._model(
                    tuple(self._messages),
                    tools=self._style.tools,
                    seed=turn_seed(self._seed, self._asked),
                    max_tokens=room,
                )
            except ContextFull as full:
                self._learn(full)
                continue
            spent = found.spent
            self.spent += spent
            counted = len(self._messages)
            self._known = (spent.input_tokens, counted) if spent.input_tokens else (0, 0)
            self._log(
                "model",
                turn=self._asked,
                max_tokens=room,
                finish=found.finish,
                input_tokens=spent.input_tokens,
                output_tokens=spent.output_tokens,
                retries=spent.retries,
            )
            self._asked += 1
            return found
        return None

    def _learn(self, full: ContextFull) -> None:
        """Take over what an endpoint told of its window and of the conversation."""
        self._log("context_full", turn=self._asked, said=str(full)[:200])
        estimate = self._used()
        if full.window is not None and full.window < self._window.tokens:
            self._window = replace(self._window, tokens=full.window)
        if full.prompt is not None and full.prompt > estimate:
            self._known = (full.prompt, len(self._messages))
        elif full.window is None or full.window >= self._window.tokens:
            # Nothing was learnt: the estimate is too low by an unknown amount.
            self._window = replace(self._window, tokens=int(self._window.tokens * 0.75))

    def _compact(self) -> bool:
        if not self._window.compact:
            return False
        smaller = windows.compacted(self._messages, goal=self._window.tokens // 2)
        if smaller is None:
            return False
        self._log("compacted", before=self._used(), after=windows.total(smaller))
        self._messages, self._known = list(smaller), (0, 0)
        return True

    def _said(self, message: Mapping[str, Any], answered: list[str]) -> None:
        """Record a reply with the calls that will be answered: an endpoint wants all of them."""
        row: dict[str, Any] = {"role": "assistant", "content": content_text(message.get("content"))}
        if answered:
            row["content"] = row["content"] or None  # strict endpoints refuse "" beside calls
            row["tool_calls"] = [
                {**call, "id": str(call.get("id") or f"call-{index}"), "type": "function"}
                for index, call in enumerate(message.get("tool_calls") or ())
                if str(call.get("id") or f"call-{index}") in answered
            ]
        self._messages.append(row)

    def _refused(self, error: FormatError, text: str) -> Turn:
        self._errors += 1
        self._steps += 1
        self._log("format_error", turn=self._asked - 1, reason=error.reason)
        answer = self._style.feedback(error)
        self._messages.append({"role": "assistant", "content": text or "(no command)"})
        self._messages.append({"role": "user", "content": answer})
        last = self._errors >= self._rules.max_format_errors
        ending = Ending.FORMAT_ERROR if last else None
        return Turn(reply=text or "(no command)", feedback=answer, ending=ending)

    def _do(self, act: Act, *, reply: str) -> Turn:
        if act.command or act.submit:
            self._running = act
            return self._turn(act, reply)
        self._tell(act, act.answer)
        if self._queue:
            return self._do(self._queue.pop(0), reply=reply)
        self._steps += 1
        self._log("answer", turn=self._asked - 1, tool=act.tool)
        return Turn(reply=reply or f"({act.tool})", feedback=act.answer)

    def _turn(self, act: Act, reply: str = "") -> Turn:
        command = SUBMIT if act.submit else act.command
        self._steps += 1
        self._log("submit" if act.submit else "command", turn=self._asked - 1, command=command)
        return Turn(command, reply)
